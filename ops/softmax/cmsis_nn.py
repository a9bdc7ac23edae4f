"""Kernels of cmsis_nn.h: CMSIS-NN's softmax, which has no table of exponentials."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Kernel, NodeView, Plan, Refused
from toolchain.op.arithmetic import quantize_multiplier
from toolchain.op.cost import per_element

from .exponentials import Rows, difference_scale, farthest, overlap, rows

MAX_DEPTH = 511  # more ones are shifted by more than 31, which CMSIS-NN cannot


@dataclass(frozen=True)
class NnTables:
    """Constants of arm_softmax_s8."""

    scaling: NDArray[np.int32]  # Q31 multiplier of a difference, its shift, the last that counts


def tables(node: NodeView) -> NnTables:
    """How differences from the largest element become Q5.26."""
    multiplier, shift = quantize_multiplier(difference_scale(node))
    return NnTables(np.array([multiplier, shift, -farthest(shift)], np.int32))


def plan(node: NodeView) -> Plan | Refused:
    """Scales that fit the library's shifts, and rows whose shares it shifts by less than 32."""
    p, scale = rows(node), difference_scale(node)
    if scale >= 1 << 30:
        return Refused(f"beta times the scale of x is {scale / (1 << 26):.6g}, not below 16")
    if p.depth > MAX_DEPTH:
        return Refused(f"rows have {p.depth} elements, more than {MAX_DEPTH}")
    return Plan(p, tables=partial(tables, node), overlap=partial(overlap, node))


KERNELS = (
    Kernel(
        "cmsis_nn",
        Rows,
        plan,
        tables=NnTables,
        requires={"cmsis_nn", "mve"},
        cost=per_element(449.0),
        libraries=("cmsis-nn",),
    ),
    Kernel(
        "cmsis_nn",
        Rows,
        plan,
        tables=NnTables,
        requires={"cmsis_nn", "dsp"},
        excludes={"mve"},
        cost=per_element(417.0),
        libraries=("cmsis-nn",),
    ),
)
