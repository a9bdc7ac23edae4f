"""SignalFilterBank: the energy of a spectrum in overlapping triangular bands.

Defined by TensorFlow Lite Micro (signal/src/filter_bank.cc): each bin counts by its weight in one
band and by its unweight, the rest, in the next. Sums are of 64 bits and wrap. Band 0 of the tables
only feeds the first channel.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, signal, vector_problems

BANDS = ("starts", "weight_starts", "widths")
WEIGHTS = ("weights", "unweights")


@dataclass(frozen=True)
class Params:
    """Number of channels, without band 0."""

    num_channels: int


@dataclass(frozen=True)
class Tables:
    """Bands: starts, sizes and weights; per-channel tables begin with an element for band 0."""

    starts: NDArray[np.int16]  # the first bin of the band
    weight_starts: NDArray[np.int16]  # where the band's weights begin
    widths: NDArray[np.int16]  # how many bins it has
    weights: NDArray[np.int16]
    unweights: NDArray[np.int16]


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shape of y: a sum for each channel. A number of channels below 1 fits no tensor."""
    return [(node.attributes["num_channels"],)]


def check(node: NodeView) -> Iterator[str]:
    """Sentence about bands beyond the spectrum or the weights."""
    problems = list(vector_problems(node, *BANDS, size=node.attributes["num_channels"] + 1))
    yield from problems
    if problems:
        return
    if len(node["weights"].shape) != 1 or node["weights"].shape != node["unweights"].shape:
        yield f"weights {node['weights'].type} must be a vector as unweights are"
    starts, weight_starts, widths = (node[name].data.astype(np.int64) for name in BANDS)
    if np.any(widths < 0):
        yield "a width is negative"
    for name, first, size in (
        ("x", starts, node["x"].elements),
        ("weights", weight_starts, node["weights"].elements),
    ):
        outside = (widths > 0) & ((first < 0) | (first + widths > size))
        if np.any(outside):
            yield f"band {int(np.argmax(outside))} leaves {name} {node[name].type}"


def tables(node: NodeView) -> Tables:
    """Tables of the bands of a node."""
    return Tables(*(node[name].data for name in (*BANDS, *WEIGHTS)))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums in numpy: matrices of weights and of unweights, times the spectrum."""
    t, bins = tables(node), node["x"].elements
    channels = node.attributes["num_channels"]
    matrix = np.zeros((channels + 2, bins), np.uint64)
    for i in range(channels + 1):
        width = int(t.widths[i])
        part = slice(int(t.starts[i]), int(t.starts[i]) + width)
        of = slice(int(t.weight_starts[i]), int(t.weight_starts[i]) + width)
        matrix[i, part] += t.weights[of].astype(np.uint64)
        matrix[i + 1, part] += t.unweights[of].astype(np.uint64)
    return [(matrix @ inputs[0].astype(np.uint64))[1:-1]]


OP = signal(
    "signal_filter_bank",
    "SignalFilterBank",
    inputs={"x": u32},
    constants=dict.fromkeys((*WEIGHTS, *BANDS), i16),
    outputs={"y": u64},
    kernels=(reference(Params, tables),),
    example={
        "x": (80,),
        "weights": np.arange(68) % 100,
        "unweights": np.arange(68) % 100,
        "starts": np.array([4, 8, 12, 20, 32, 48]),
        "weight_starts": np.array([0, 4, 8, 16, 28, 44]),
        "widths": np.array([4, 4, 8, 12, 16, 24]),
        "num_channels": 5,
    },
    attributes=(Attribute("num_channels", int),),
    shapes=shapes,
    vectors=("x",),
    check=check,
    evaluate=evaluate,
)
