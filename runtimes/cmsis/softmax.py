"""Softmax by CMSIS-NN."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from runtimes.cmsis.cmsis_nn import nn_kernels
from toolchain.op import Distance, KernelsFor, NodeView, Plan, Refused, i8
from toolchain.op.arithmetic import quantize_multiplier
from toolchain.op.cost import per_element

DIFFERENCE_BITS = 5  # integer bits of a scaled difference from the largest element, Q5.26
MAX_DEPTH = 512  # more ones are shifted by more than 31, which CMSIS-NN cannot
COSTS = {"mve": per_element(449.0), "dsp": per_element(417.0)}


@dataclass(frozen=True)
class NnSoftmax:
    """What arm_softmax_s8 is told."""

    rows: int
    depth: int  # elements of a row
    multiplier: int  # Q31, of a difference from the largest element, which becomes Q5.26
    shift: int
    least: int  # the difference below which an exponential is 0


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Scales that fit the library's shifts, and rows whose shares it shifts by less than 32."""
    depth = node["x"].shape[-1]
    scale = float(node.attributes["beta"] * node["x"].scale * (1 << (31 - DIFFERENCE_BITS)))
    if not scale < 1 << 30:
        return Refused(f"differences are scaled by {scale:.3g}, not less than 2^30")
    if not depth < MAX_DEPTH:
        return Refused(f"rows have {depth} elements, not less than {MAX_DEPTH}")
    multiplier, shift = quantize_multiplier(scale)
    reached = math.floor(((1 << DIFFERENCE_BITS) - 1) * (1 << 26) / (1 << shift))
    params = NnSoftmax(node["x"].elements // depth, depth, multiplier, shift, -reached)
    # row by row, and in its last pass element by element: y may lie on x
    return Plan(params, overlap=partial(dict, x=Distance(forward=0)))


KERNELS = (KernelsFor({"T": i8}, nn_kernels(NnSoftmax, plan, COSTS)),)
