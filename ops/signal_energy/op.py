"""SignalEnergy: the squared magnitude of complex 16-bit numbers from one index to another.

Defined by TensorFlow Lite Micro (signal/src/energy.cc), which leaves what lies outside of
`start_index` to `end_index` as it was in memory; here it is 0.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, signal


@dataclass(frozen=True)
class Params:
    """Number of energies, and range of the computed ones."""

    elements: int  # of y
    start_index: int  # the first that is computed
    end_index: int  # the first that is not


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shape of y: a number for each two of x, a real and an imaginary part."""
    x = node["x"]
    if len(x.shape) != 1 or x.elements % 2:
        raise OpError(f"x {x.type} must be a vector of pairs")
    return [(x.elements // 2,)]


def check(node: NodeView) -> Iterator[str]:
    """Sentence about indices beyond y."""
    start, end = node.attributes["start_index"], node.attributes["end_index"]
    if not 0 <= start <= end <= node["y"].elements:
        yield f"indices {start} to {end} are not in order within y {node['y'].type}"


params = by_name(Params, elements=lambda node: node["y"].elements)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Squared magnitudes, in numpy."""
    p = params(node)
    energy = np.square(inputs[0].astype(np.int64)).reshape(-1, 2).sum(axis=1)
    energy[: p.start_index] = 0
    energy[p.end_index :] = 0
    return [energy.astype(np.uint32)]


OP = signal(
    "signal_energy",
    "SignalEnergy",
    inputs={"x": i16},
    outputs={"y": u32},
    kernels=(reference(params),),
    example={"x": (32,), "start_index": 0, "end_index": 16},
    attributes=(Attribute("start_index", int), Attribute("end_index", int)),
    shapes=shapes,
    check=check,
    evaluate=evaluate,
)
