"""CircularBuffer: the last frames of a signal, oldest first, of which x is the newest.

Defined by TensorFlow Lite Micro (micro/kernels/circular_buffer.cc): y is [1, slots, width, depth],
and holds its zero point before the first frame. There the op also ends every run of the model but
each `cycles_max`-th; here `cycles_max` must be 1. Without the option, or where it is 0, TensorFlow
Lite Micro's default is 1 for 5, 13 and 25 slots.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, append, signal

SLOTS_OF_ONE_CYCLE = (5, 13, 25)


@dataclass(frozen=True)
class Params:
    """Sizes of a frame and of all frames."""

    frame: int  # elements of x
    elements: int  # of y


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shape of y as the model stores it, since no option says how many frames there are."""
    x, y = node["x"], node["y"]
    if len(x.shape) != 4 or x.shape[:2] != (1, 1):
        raise OpError(f"x {x.type} is not 1x1xWxC")
    if len(y.shape) != 4 or (y.shape[0], *y.shape[2:]) != (1, *x.shape[2:]):
        raise OpError(f"y {y.type} does not consist of frames like x {x.type}")
    return [y.shape]


def check(node: NodeView) -> Iterator[str]:
    """Problems of an x and y of unlike quantisation, and of a `cycles_max` other than 1."""
    x, y, cycles = node["x"], node["y"], node.attributes["cycles_max"]
    if x.quantization != y.quantization:
        yield "x and y must have the same quantisation"
    if cycles > 1 or (cycles < 1 and y.shape[1] not in SLOTS_OF_ONE_CYCLE):
        each = f"cycles_max {cycles}" if cycles > 1 else f"{y.shape[1]} slots without cycles_max"
        yield f"{each} would end some runs early: only cycles_max 1 is supported"


def start(node: NodeView) -> Array:
    """Initial state: frames of the zero point."""
    return np.full(node["y"].elements, node["y"].start, np.int8)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Frames in numpy, which are also the state."""
    append(state["frames"], inputs[0].reshape(-1))
    return [state["frames"].reshape(node["y"].shape).copy()]


params = by_name(Params, frame=lambda node: node["x"].elements, elements=lambda n: n["y"].elements)
OP = signal(
    "circular_buffer",
    "CIRCULAR_BUFFER",
    inputs={"x": i8},
    outputs={"y": i8},
    kernels=(reference(params),),
    example={"x": (1, 1, 1, 6), "y": (1, 5, 1, 6), "cycles_max": 1},
    attributes=(Attribute("cycles_max", int, default=0),),
    states=(State("frames", i8, lambda node: node["y"].elements, start),),
    shapes=shapes,
    check=check,
    evaluate=evaluate,
)
