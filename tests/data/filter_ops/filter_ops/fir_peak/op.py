"""FirPeak: a frame of samples through a FIR filter that goes on across frames, and its peak.

The options of the custom op are the `taps`, an array of int16 with the newest sample's first, and
`shift`: sums are rounded to units of 2^shift and saturate. The samples that a frame needs of the
one before are state.
"""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """Sizes, and how far sums are shifted."""

    samples: int  # of a frame
    taps: int
    shift: int


@dataclass(frozen=True)
class Tables:
    """The filter."""

    reversed_taps: NDArray[np.int16]  # the oldest sample's first


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as x. peak: one number, the largest magnitude in y."""
    if len(node["x"].shape) != 1:
        raise OpError(f"x {node['x'].type} must be a vector of samples")
    return [node["x"].type, TensorType(i32, (1,))]


def check(node: NodeView) -> Iterator[str]:
    """Numbers that fit the arithmetic."""
    taps, shift = node.attributes["taps"], node.attributes["shift"]
    if taps.ndim != 1 or not taps.size:
        yield "taps must be a vector with an element"
    elif int(np.abs(taps.astype(np.int64)).sum()) * 2**15 + 2**14 >= 2**31:
        yield "sums may overflow 32 bits; scale the taps down"
    if not 0 < shift <= 15:
        yield f"shift {shift} is not 1 to 15"


def params(node: NodeView) -> Params:
    """The sizes and the shift."""
    return Params(node["x"].elements, node.attributes["taps"].size, node.attributes["shift"])


def tables(node: NodeView) -> Tables:
    """The taps in the order of time."""
    return Tables(np.ascontiguousarray(node.attributes["taps"][::-1]))


def before(node: NodeView) -> int:
    """How many samples of earlier frames the first one of a frame needs; at least 1."""
    return max(int(node.attributes["taps"].size) - 1, 1)


def window(node: NodeView) -> int:
    """Number of samples in the frame and in the earlier ones that it needs, one after the other."""
    return before(node) + node["x"].elements


def evaluate(
    node: NodeView, inputs: Sequence[Array], state: Mapping[str, Array]
) -> Sequence[Array]:
    """The sums in numpy, and what the next frame needs."""
    taps, shift = node.attributes["taps"].astype(np.int64), node.attributes["shift"]
    samples = np.concatenate([state["history"], inputs[0]])
    first = len(state["history"]) - (len(taps) - 1)
    sums = np.convolve(samples[first:].astype(np.int64), taps, mode="valid")
    y = np.clip((sums + (1 << (shift - 1))) >> shift, *i16.limits)
    state["history"][:] = samples[len(samples) - len(state["history"]) :]
    return [y.astype(np.int16), np.abs(y).max(keepdims=True).astype(np.int32)]


def kernel(name: str, requires: frozenset[str] = frozenset()) -> Kernel:
    """One that keeps samples of two frames in one buffer."""
    plan = every_node(params, tables, scratch={"window": window})
    scratch = {"window": i16}
    return Kernel(name, Params, plan, tables=Tables, scratch=scratch, requires=requires)


OP = Op(
    name="fir_peak",
    legalize=(Rename("tflite.CUSTOM.FirPeak", options=flexbuffer),),
    inputs=(Input("x", i16),),
    outputs=(Output("y", i16), Output("peak", i32)),
    attributes=(Attribute("taps", i16), Attribute("shift", int, default=15)),
    states=(State("history", i16, before),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(i16, (160,)),
                "y": ExampleTensor(i16, (160,)),
                "peak": ExampleTensor(i32, (1,)),
            },
            {"taps": (100, -200, 300)},
        ),
    ),
    variants=(Variant({}, (kernel("dsp", frozenset({"dsp"})), kernel("reference"))),),
)
