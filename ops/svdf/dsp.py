"""SVDF of int8 by dsp.h: the features of eight filters at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import (
    BEYOND_24_BITS,
    added_by_rows,
    packed_rows,
    part_of_inputs,
    refused_pairs,
)
from runtimes.cmsis.dsp_padding import PaddedRows, copied_words, whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.families.owning import unpaired

from .params import FACTS, SvdfSums, feature_bias, macs

FILTERS = 8  # whose sums the kernel keeps


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, SvdfSums):
    """Sizes, and requantisation of sums."""


@dataclass(frozen=True)
class DspTables:
    """Features, weights over time, and biases of both, packed for dsp.h."""

    features: NDArray[np.int8]  # as packed_rows() has them
    feature_bias: NDArray[np.int32]  # [filters]: what the zero point of x adds, less what sums do
    time: NDArray[np.int16]  # [filters][memory]
    bias: NDArray[np.int32]  # [units]


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for features that fit in pairs, with a copy of an x that is no whole words."""
    features, depth = node["features"].data, node["x"].shape[1]
    if refused := refused_pairs([features], params):
        return refused
    if part_of_inputs(features, node["x"].dtype.limits) < depth:
        return BEYOND_24_BITS
    made = of_facts(params, node, FACTS, padded_depth=whole_words(depth))
    tables = partial(_tables, node, params)
    return Plan(made, tables, {"x": copied_words(depth)})


def _tables(node: NodeView, params: type) -> DspTables:
    weights = node["features"].data
    features = packed_rows(params, weights)
    bias = feature_bias(node) - added_by_rows(weights)
    return of_facts(
        DspTables,
        node,
        FACTS,
        features=features,
        feature_bias=filled_up(bias, FILTERS),
    )


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    DspTables,
    scratch={"x": i8},
    requires={"dsp"},
    copies=("memcpy",),  # of an x that is no whole words
    cost=instructions(macs, 1.5, 70.0),
)
UNPAIRED = unpaired("svdf", DSP)
KERNELS = (KernelsFor({"T": i8, "S": i16}, (DSP, UNPAIRED)),)
