"""FullyConnected of int8 by dsp_long.h: as dsp.h, requantised by products of 64 bits."""

from __future__ import annotations

from functools import partial

from opsmith.op import Code, Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.cmsis.dsp_padding import copied_words, whole_words
from opsmith.runtimes.families.matmul import MATMUL, Packed, row_overlap

from .dsp import CHANNELS, DspParams, refused_pairs, tables


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights that can be paired, with a copy of a row that is no whole words."""
    if refused := refused_pairs(node):
        return refused
    found = MATMUL.long_products(node)
    if isinstance(found, Refused):
        return found
    depth = node["weights"].shape[1]
    params = MATMUL.params(
        DspParams,
        node,
        left_shift=found.left,
        right_shift=found.right,
        padded_depth=whole_words(depth),
    )
    overlap = partial(row_overlap, node, CHANNELS)
    return Plan(params, partial(tables, found), {"row": copied_words(depth)}, overlap)


DSP_LONG = Kernel(
    "dsp_long",
    DspParams,
    plan,
    Packed,
    scratch={"row": i8},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=MATMUL.cost(1.16, 26.0),
    code=Code(instance=190, general=390),
)
