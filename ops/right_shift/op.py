"""RightShift: bits of one element moved down by another, of tensors that broadcast.

Signs are kept. A shift below 0 is none, and one of all bits or more leaves the sign.
"""

from opsmith.op import *
from runtimes.families.binary import binary, plain


def shifted(a: Array, b: Array) -> Array:
    """Shifted elements, in numpy."""
    found: Array = a >> np.clip(b, 0, a.dtype.itemsize * 8 - 1)
    return found


OP = binary(
    "right_shift",
    Rename("tflite.RIGHT_SHIFT"),
    variants=tuple(plain(dtype, shifted, 12.0) for dtype in (i8, i16, i32, u8, u16, u32)),
)
