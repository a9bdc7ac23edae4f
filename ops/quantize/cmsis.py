"""Quantize from float32 by an FPU: beside Helium, and with the DSP extension."""

from opsmith.op import Code, KernelsFor, NodeView, f32, i8, u8
from opsmith.runtimes.cmsis.kernel import of_reference

from .op import quantization

SCALES = 2.0**-100, 2.0**100  # whose reciprocals are exact to 2^-24


def scale_problem(node: NodeView) -> str:
    """Reason why products with the reciprocal of the scale may be farther from quotients."""
    least, most = SCALES
    scale = quantization(node).y_scale
    return "" if least < scale < most else f"y.scale {scale:.6g} is not from 2^-100 to 2^100"


CODE = Code(instance=100, general=200, slowdown=1.1)
FPU = of_reference("fpu", 10.0, requires={"fpu", "mve"})
FIXED = of_reference("fixed", 13.0, scale_problem, requires={"fpu", "dsp"}, code=CODE)
KERNELS = (
    KernelsFor({"T": f32}, (FPU,)),
    *(KernelsFor({"T": f32, "U": dtype}, (FIXED,)) for dtype in (i8, u8)),
)
