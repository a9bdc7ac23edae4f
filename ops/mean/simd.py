"""Mean kernels in vectors: of float32 by runtimes/simd/reduction.h, of bytes by simd.h."""

from opsmith.op import *
from runtimes.families.reduction import lane_problem, reducing
from runtimes.simd.instruction_sets import for_each_set
from runtimes.simd.reduction import reduced

from .rules import SINGLE, SINGLE_ROUNDINGS


def of_words(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of the definition's four neighbours at a time."""
    (lanes,) = (each for each in variant.kernels if each.name == "lanes")
    return of_lanes(lanes, "", variant)


def of_lanes(lanes: Kernel, suffix: str, variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of one that takes four neighbours at a time."""
    found = for_each_set(
        lanes,
        "opsmith::mean::in_vectors",
        reducing(0.3, 30.0),
        header="ops/mean/simd.h",
        arguments=("p", "in.x", "out.y"),
    )
    return tuple(replace(each, name=each.name + suffix) for each in found)


THRESHOLDS = partial(of_lanes, SINGLE_ROUNDINGS[0], "_thresholds")
BY_SINGLE = replace(SINGLE, plan=refusing(SINGLE.plan, lane_problem))
SINGLES = partial(of_lanes, BY_SINGLE, "_single")
KERNELS = (
    KernelsFor({"T": f32}, (partial(reduced, struct="Mean"),)),
    KernelsFor({"T": i8}, (of_words, THRESHOLDS, SINGLES)),
    KernelsFor({"T": u8}, (of_words,)),
)
