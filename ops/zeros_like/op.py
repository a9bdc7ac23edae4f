"""ZerosLike: zeros, as many as x has elements; of int8, which LiteRT lacks, without zero point."""

from opsmith.op import *
from runtimes.families.unary import by_reference, unary

VARIANTS = {
    dtype: by_reference(dtype, lambda node, x: np.zeros_like(x), 3.0, check=None)
    for dtype in (i8, i32, i64, f32)
}
VARIANTS[i8] = replace(VARIANTS[i8], departs=no_kernel("int8"))
OP = unary("zeros_like", Rename("tflite.ZEROS_LIKE"), variants=tuple(VARIANTS.values()))
