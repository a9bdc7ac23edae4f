"""SignalFftAutoScale: samples shifted left as far as their largest allows, and how far that is.

Defined by TensorFlow Lite Micro (signal/src/fft_auto_scale.cc), to the letter: its running largest
magnitude is a 16-bit value, which a sample of -32768 sets to -32768, so that smaller samples after
that count afresh, with their sign at first, and samples may wrap. Nothing but zeros is not shifted.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, signal


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shapes of y, which is x's, and of bits, a scalar."""
    return [node["x"].shape, ()]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Scaled samples in numpy, and the bits."""
    bits = max(0, 15 - _largest(inputs[0]).bit_length()) if _largest(inputs[0]) > 0 else 0
    scaled = inputs[0].astype(np.int64) * (1 << bits)
    return [scaled.astype(np.int16), np.array(bits, np.int32)]


def _largest(x: Array) -> int:
    """Largest magnitude, or the source's running value after a sample of -32768."""
    (least,) = np.nonzero(x == -32768)
    if not len(least):
        return int(np.abs(x).max())
    found = -32768
    for sample in x[least[-1] + 1 :].tolist():
        found = sample if sample > found else max(found, -sample)
    return found


OP = signal(
    "signal_fft_auto_scale",
    "SignalFftAutoScale",
    inputs={"x": i16},
    outputs={"y": i16, "bits": i32},
    kernels=(reference(Elements, cost=per_element(13.0)),),
    example={"x": (16,), "bits": ()},
    shapes=shapes,
    vectors=("x",),
    evaluate=evaluate,
)
