"""Dequantize kernels on a GPU."""

from opsmith.op import KernelsFor, i8, i16, u8
from runtimes.gpu.unary import each

VALUES = (each("REAL_VALUE", y="float"),)
KERNELS = tuple(KernelsFor({"T": dtype}, VALUES) for dtype in (i8, u8, i16))
