"""SignalOverlapAdd: the signal that is the sum of overlapping frames, `frame_step` apart.

Defined by TensorFlow Lite Micro (signal/micro/kernels/overlap_add.cc), whose sums of int16 saturate
at each frame. What later frames may still add to survives invoke(); rows are independent.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, append, signal


@dataclass(frozen=True)
class Params:
    """Numbers of rows and frames, and sizes of a frame and of a step."""

    rows: int
    frames: int  # of a row
    frame_size: int
    frame_step: int


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shape of y: a step for each frame."""
    x, step = node["x"], node.attributes["frame_step"]
    return [(*x.shape[:-2], x.shape[-2] * step)]


def check(node: NodeView) -> Iterator[str]:
    """Sentence about steps that do not fit frames."""
    size, step = node["x"].shape[-1], node.attributes["frame_step"]
    if not 1 <= step <= size:
        yield f"frame_step {step} is not 1 to {size}, the samples of a frame"


params = by_name(
    Params,
    rows=lambda node: node["x"].elements // (node["x"].shape[-1] * node["x"].shape[-2]),
    frames=lambda node: node["x"].shape[-2],
    frame_size=lambda node: node["x"].shape[-1],
)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Signal in numpy, frame by frame; the state advances by a step for each frame."""
    p, x = params(node), inputs[0]
    sums, zeros = state["sums"].reshape(p.rows, -1), np.zeros((p.rows, p.frame_step), x.dtype)
    steps = []
    for frame in x.reshape(p.rows, p.frames, -1).swapaxes(0, 1):
        sums[:] = _sum(sums, frame)
        steps.append(sums[:, : p.frame_step].copy())
        append(sums, zeros)
    return [np.stack(steps, axis=1).reshape(node["y"].shape)]


def _sum(a: Array, b: Array) -> Array:
    if a.dtype != np.int16:
        with np.errstate(over="ignore", invalid="ignore"):
            return a + b
    return np.clip(a.astype(np.int32) + b, *i16.limits).astype(np.int16)


OP = signal(
    "signal_overlap_add",
    "SignalOverlapAdd",
    inputs={"x": "T"},
    outputs={"y": "T"},
    kernels=dict.fromkeys((i16, f32), (reference(params),)),
    example={"x": (2, 3, 8), "frame_step": 5},
    attributes=(Attribute("frame_step", int),),
    states=(State("sums", "T", lambda node: params(node).rows * params(node).frame_size),),
    shapes=shapes,
    ranks={"x": at_least(2)},
    check=check,
    evaluate=evaluate,
)
