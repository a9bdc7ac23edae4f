"""Mean kernels of integers for the DSP extension and Helium."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference
from runtimes.cmsis.mve_packing import VECTOR
from runtimes.families.reduction import (
    ThresholdAxes,
    axes,
    lane_problem,
    reduced_elements,
    reducing,
    run_problem,
)

from .op import params
from .rules import LANE_THRESHOLDS


def shift_problem(node: NodeView) -> str:
    """Reason against a node whose sums are not rescaled by a right shift, or ""."""
    shift = params(node).shift
    return "" if -31 <= shift <= -1 else f"sums are shifted by {shift}, not by -31 to -1"


def range_problem(node: NodeView) -> str:
    """Reason why twice a sum, rescaled by a right shift, may not fit 32 bits, or ""."""
    if (shift := params(node).shift) not in range(-31, 1):
        return f"sums are shifted by {shift}, not by -31 to 0"
    return "" if reduced_elements(node) < 1 << 22 else "sums may have more than 30 bits"


def kernels(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of several channels at a time."""
    narrow = variant.types["T"] != i16
    dsp = reducing(1.2 if narrow else 3.0, 41.0)
    more = {"copies": ("memset",), "code": Code(instance=180, general=640, slowdown=1.6)}
    return (
        of_reference("dsp", dsp, lane_problem, paces={"mve": 0.75}, **more)(variant),
        of_reference("mve", by_vectors, lane_problem, shift_problem, code=Code(slowdown=1.1))(
            variant
        ),
    )


def by_vectors(node: NodeView) -> float:
    """Cost of vectors of neighbouring means, full or not, in cycles of a Cortex-M55."""
    p, lanes = axes(node), VECTOR // node["x"].dtype.size
    vectors = math.prod(p.kept[:3]) * -(-p.kept[3] // lanes)
    return vectors * (75 + 9.5 * p.reduced[3])


MVE_THRESHOLDS = Kernel(
    "mve_thresholds",
    ThresholdAxes,
    LANE_THRESHOLDS,
    numerics=OTHER_RULES,
    requires={"mve"},
    cost=by_vectors,
    code=Code(slowdown=1.1),
)
THRESHOLDS = Kernel(
    "dsp_thresholds",
    ThresholdAxes,
    LANE_THRESHOLDS,
    numerics=OTHER_RULES,
    requires={"dsp"},
    cost=reducing(1.2, 40.0),
    copies=("memset",),
    code=Code(instance=180, general=640, slowdown=1.6),
)
RUNS = tuple(
    of_reference(f"{feature}_runs", cost, run_problem, range_problem, requires=needed, code=code)
    for feature, needed, cost, code in (
        ("dsp", {"dsp"}, reducing(0.9, 9.0), Code(instance=120, general=500, slowdown=1.7)),
        ("mve", {"dsp", "mve"}, reducing(0.3, 10.0), Code(instance=80, general=400, slowdown=2.6)),
    )
)
KERNELS = (
    *(KernelsFor({"T": dtype}, (kernels,)) for dtype in (i8, u8, i16)),
    KernelsFor({"T": i8}, (THRESHOLDS, MVE_THRESHOLDS, *RUNS)),
)
