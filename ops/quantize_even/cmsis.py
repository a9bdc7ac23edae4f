"""QuantizeEven kernels for the FPU with the DSP extension."""

from opsmith.op import Code, KernelsFor, NodeView, f32, i8
from runtimes.cmsis.fpu_bytes import scale_problem
from runtimes.cmsis.kernel import of_reference


def problem(node: NodeView) -> str:
    """Reason why a product with y's reciprocal scale may not find a quotient, or ""."""
    return "" if node.attributes["multiplied"] else scale_problem(node)


FIXED = of_reference(
    "fixed",
    13.0,
    problem,
    requires={"fpu", "dsp"},
    code=Code(instance=110, general=240, slowdown=1.1),
)
KERNELS = (KernelsFor({"T": f32, "U": i8}, (FIXED,)),)
