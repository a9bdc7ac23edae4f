"""SignalFilterBankSquareRoot: square roots of 64-bit integers, shifted right by a number of bits.

Defined by TensorFlow Lite Micro (signal/src/square_root_64.cc and _32.cc): the nearest integer,
but for 65535 where the root of a number below 2^32 is nearer to 2^16, and 2^32 - 1 where it is
nearer to 2^32. Verified against Python's exact integer root around every square of a power of two,
over all numbers below 2^12 and random ones of every size, and, bit for bit, against the source,
compiled apart, and the 183 frames that are published with it.
"""

from opsmith.op import *
from opsmith.runtimes.families.signal import signal


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Roots by exact integers, in numpy. A shift beyond 32 bits, undefined there, gives 0."""
    bits = int(inputs[1])
    if not 0 <= bits < 32:
        return [np.zeros(node["y"].shape, np.uint32)]
    return [np.array([_root(int(each)) >> bits for each in inputs[0]], np.uint32)]


def _root(x: int) -> int:
    down = math.isqrt(x)
    nearest = down + (x - down * down > down)
    return min(nearest, 2**16 - 1 if x < 2**32 else 2**32 - 1)


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
