"""SignalStacker: each frame with the frames before and after it, one after the other.

Defined by TensorFlow Lite Micro (signal/micro/kernels/stacker.cc). The first frame also stands for
the missing frames before it. y is complete once the frames after the first have come, and from then
on after each `stacker_step` frames; otherwise `valid` is false and y is zero here, while the source
leaves the memory as it was.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, append, signal, vector_problems


@dataclass(frozen=True)
class Params:
    """Number and size of the frames, and the step from one stack to the next."""

    num_channels: int
    frames: int  # of y
    stacker_step: int


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shapes of y, all frames as a vector, and of valid, a scalar."""
    return [(node.attributes["num_channels"] * frames(node),), ()]


def frames(node: NodeView) -> int:
    """Number of frames in y."""
    left, right = (node.attributes[f"stacker_{side}_context"] for side in ("left", "right"))
    return int(left) + 1 + int(right)


def check(node: NodeView) -> Iterator[str]:
    """Sentences about an x that is no frame, and a step that skips frames."""
    yield from vector_problems(node, "x", size=node.attributes["num_channels"])
    step, count = node.attributes["stacker_step"], frames(node)
    if not 1 <= step <= count:
        yield f"stacker_step {step} is not 1 to {count}, the frames of y"


def missing(node: NodeView) -> Array:
    """Initial state: the number of frames after the first before y is complete."""
    return np.array([node.attributes["stacker_right_context"]], np.int32)


params = by_name(Params, frames=frames)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Stacked frames in numpy; the state advances by one frame."""
    p, kept, missing = params(node), state["kept"], state["missing"]
    append(kept, np.tile(inputs[0], 1 if state["begun"][0] else p.frames))
    state["begun"][0] = True
    valid = missing[0] == 0
    missing[0] = p.stacker_step - 1 if valid else missing[0] - 1
    return [kept * valid, np.array(valid)]


OP = signal(
    "signal_stacker",
    "SignalStacker",
    inputs={"x": i16},
    outputs={"y": i16, "valid": boolean},
    kernels=(reference(params),),
    example={
        "x": (4,),
        "valid": (),
        "num_channels": 4,
        "stacker_left_context": 2,
        "stacker_right_context": 1,
        "stacker_step": 2,
    },
    integers=dict.fromkeys(
        ("num_channels", "stacker_left_context", "stacker_right_context", "stacker_step"), 2**24
    ),
    states=(
        State("kept", i16, lambda node: node["y"].elements),
        State("missing", i32, lambda node: 1, missing),
        State("begun", boolean, lambda node: 1),
    ),
    shapes=shapes,
    check=check,
    evaluate=evaluate,
)
