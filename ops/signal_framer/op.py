"""SignalFramer: overlapping frames of `frame_size` samples, one for each `frame_step` new ones.

Defined by TensorFlow Lite Micro (signal/micro/kernels/framer.cc). With `prefill`, zeros come before
the first sample, and the first frame ends with the first step; without it the first frames are not
complete: then `valid` is false and they are zero here, while the source leaves the memory as it
was. A frame begins where a step does, so that its end is not the newest sample without `prefill`
where `frame_step` does not divide `frame_size`.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, append, row_shape, signal


@dataclass(frozen=True)
class Params(Rows):
    """Number and size of rows, sizes of frames and steps, and samples kept of each row."""

    frame_size: int
    frame_step: int
    kept: int  # samples, from the first of a frame to the newest


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shapes of y, the frames of each row, and of valid, a scalar."""
    *outer, samples = row_shape(node["x"])
    size, step = node.attributes["frame_size"], node.attributes["frame_step"]
    if step < 1 or samples % step:
        raise OpError(f"the rows of x {node['x'].type} are no multiple of frame_step {step}")
    return [(*outer, samples // step, size), ()]


def check(node: NodeView) -> Iterator[str]:
    """Sentences about a frame_size below 1, or with `prefill` below frame_step."""
    size, step = node.attributes["frame_size"], node.attributes["frame_step"]
    if size < 1:
        yield f"frame_size {size} is less than 1"
    elif node.attributes["prefill"] and size < step:
        yield f"prefill needs a frame_size of at least frame_step {step}, not {size}"


def kept(node: NodeView) -> int:
    """Number of samples kept, from the first of a frame to the newest."""
    size, step = node.attributes["frame_size"], node.attributes["frame_step"]
    return int(size if node.attributes["prefill"] else -(-size // step) * step)


def missing(node: NodeView) -> Array:
    """Initial state: the number of steps before the first complete frame."""
    steps = kept(node) // node.attributes["frame_step"] - 1
    return np.array([0 if node.attributes["prefill"] else steps], np.int32)


params = by_name(Params, kept=kept)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Frames in numpy; the state advances by a step for each frame."""
    p, missing = params(node), state["missing"]
    samples = state["samples"].reshape(p.rows, p.kept)
    steps = inputs[0].reshape(p.rows, -1, p.frame_step)
    frames = np.zeros((p.rows, steps.shape[1], p.frame_size), np.int16)
    for i in range(steps.shape[1]):
        append(samples, steps[:, i])
        if i >= missing[0]:
            frames[:, i] = samples[:, : p.frame_size]
    valid = missing[0] == 0
    missing[0] = max(missing[0] - steps.shape[1], 0)
    return [frames.reshape(node["y"].shape), np.array(valid)]


OP = signal(
    "signal_framer",
    "SignalFramer",
    inputs={"x": i16},
    outputs={"y": i16, "valid": boolean},
    kernels=(reference(params),),
    example={"x": (8,), "valid": (), "frame_size": 6, "frame_step": 4, "prefill": False},
    attributes=(
        Attribute("frame_size", int),
        Attribute("frame_step", int),
        Attribute("prefill", bool),
    ),
    states=(
        State("samples", i16, lambda node: params(node).rows * kept(node)),
        State("missing", i32, lambda node: 1, missing),
    ),
    shapes=shapes,
    check=check,
    evaluate=evaluate,
)
