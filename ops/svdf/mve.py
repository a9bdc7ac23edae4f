"""SVDF of int8 by mve.h, for Helium: the features of four filters at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked, filled_rows, steps

from .params import FACTS, SvdfSums, feature_bias, macs, ratios

FILTERS = 4  # whose sums the kernel keeps


@dataclass(frozen=True, kw_only=True)
class MveParams(SvdfSums):
    """Sizes, requantisation of sums, and steps of x."""

    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these


@dataclass(frozen=True)
class MveTables:
    """Features, weights over time, and biases of both, packed for mve.h."""

    features: NDArray[np.int8]  # [filters / 4][step][4][inputs]
    feature_bias: NDArray[np.int32]  # [filters]: what the zero point of x adds
    time: NDArray[np.int16]  # [filters][memory]
    bias: NDArray[np.int32]  # [units]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for sums of features that are shifted right."""
    if (shift := ratios(node)[0][1]) >= 0:
        return Refused(f"sums of features are shifted by {shift}, not to the right")
    tail, full_steps = steps(node["x"].shape[1])
    params = of_facts(MveParams, node, FACTS, tail=tail, full_steps=full_steps)
    return Plan(params, partial(_tables, node))


def _tables(node: NodeView) -> MveTables:
    features = node["features"].data
    bias = filled_rows(feature_bias(node).astype(np.int32), FILTERS)
    packed = blocked(features, features.shape[1])
    return of_facts(MveTables, node, FACTS, features=packed, feature_bias=bias)


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    requires={"mve"},
    cost=instructions(macs, 0.4, 60.0),
)
KERNELS = (KernelsFor({"T": i8, "S": i16}, (MVE,)),)
