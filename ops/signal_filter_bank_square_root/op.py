"""SignalFilterBankSquareRoot: square roots of 64-bit integers, shifted right by a number of bits.

Defined by TensorFlow Lite Micro (signal/src/square_root_64.cc and _32.cc): the nearest integer, of
numbers below 2^32 at most 2^16 - 1, of others at most 2^32 - 1.
"""

from opsmith.op import *
from runtimes.families.signal import signal


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Roots by exact integers, in numpy. A shift beyond 32 bits, undefined there, gives 0."""
    bits = int(inputs[1]) if 0 <= inputs[1] < 32 else 32
    return [np.array([_root(int(each)) >> bits for each in inputs[0]], np.uint32)]


def _root(x: int) -> int:
    return min((math.isqrt(4 * x) + 1) // 2, 2**16 - 1 if x < 2**32 else 2**32 - 1)


OP = signal(
    "signal_filter_bank_square_root",
    "SignalFilterBankSquareRoot",
    inputs={"x": u64, "bits": i32},
    outputs={"y": u32},
    kernels=(reference(Elements),),
    example={"x": (40,), "bits": ()},
    ranks={"x": 1, "bits": 0},
    evaluate=evaluate,
)
