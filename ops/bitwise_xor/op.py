"""BitwiseXor: the bits that two elements have differently, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.binary import binary, plain

OP = binary(
    "bitwise_xor",
    Rename("tflite.BITWISE_XOR"),
    variants=tuple(plain(dtype, np.bitwise_xor, 8.0) for dtype in (i8, i16, i32, u8, u16, u32)),
    also=(Rename("onnx.BitwiseXor"),),
)
