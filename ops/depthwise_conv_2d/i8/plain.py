"""DepthwiseConv2D of int8 by plain.h: a window at a time, on cores that have only Thumb."""

from functools import partial

import numpy as np

from opsmith.op import ANY_RULE, Code, Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.core.dsp_requantization import DspRequantization
from opsmith.runtimes.families.convolution import Packed, group_overlap
from opsmith.runtimes.families.depthwise import DEPTHWISE
from opsmith.runtimes.families.owning import owning

from .params import OwnParams, ShiftParams

MAX_WINDOW = 4096  # bytes of scratch


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for limited scratch, and exact requantisation."""
    _, height, width, _ = node["filter"].shape
    if (window := height * width * node["x"].shape[3]) > MAX_WINDOW:
        return Refused(f"a window has {window} bytes, more than {MAX_WINDOW}")
    overlap = partial(group_overlap, node, 1)
    return DEPTHWISE.proved(node, params, tables, {"window": window}, overlap)


def tables(found: DspRequantization) -> Packed:
    """Filter in the model's order, [filter_height * filter_width][channels]; and requantisation
    constants.
    """
    return Packed(np.ascontiguousarray(found.weights.T), found.table)


PLAIN = Kernel(
    "plain",
    ShiftParams,
    plan,
    Packed,
    scratch={"window": i8},
    numerics=ANY_RULE,
    requires={"thumb"},
    cost=DEPTHWISE.cost(6.5, 23.0),
    code=Code(instance=600, general=1410, slowdown=1.08),
)
KERNELS = (PLAIN, owning("depthwise_conv_2d", PLAIN, plan, OwnParams))
