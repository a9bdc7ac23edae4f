"""Sum kernels of int8 for the DSP extension and Helium."""

from opsmith.op import Code, KernelsFor, NodeView, i8
from runtimes.cmsis.kernel import of_reference
from runtimes.families.reduction import reduced_elements, reducing, run_problem

from .op import params


def range_problem(node: NodeView) -> str:
    """Reason why twice a sum, shifted left as its multiplier asks, may not fit 32 bits, or ""."""
    shift = params(node).shift
    fits = shift >= -31 and reduced_elements(node) << (max(shift, 0) + 1) < 1 << 23
    return "" if fits else f"sums of {reduced_elements(node)} elements are shifted by {shift}"


RUNS = tuple(
    of_reference(f"{feature}_runs", cost, run_problem, range_problem, requires=needed, code=code)
    for feature, needed, cost, code in (
        ("dsp", {"dsp"}, reducing(0.9, 9.0), Code(instance=120, general=500, slowdown=1.7)),
        ("mve", {"dsp", "mve"}, reducing(0.3, 10.0), Code(instance=80, general=400, slowdown=2.6)),
    )
)
KERNELS = (KernelsFor({"T": i8}, RUNS),)
