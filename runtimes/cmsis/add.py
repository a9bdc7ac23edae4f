"""Add by CMSIS-NN."""

from __future__ import annotations

from dataclasses import dataclass

from runtimes.cmsis.cmsis_nn import nn_kernels
from toolchain.op import NodeView, Plan, Refused, i8
from toolchain.op.arithmetic import quantize_multiplier
from toolchain.op.clamp import clamp_range
from toolchain.op.cost import per_element

LEFT_SHIFT = 20  # bits of headroom that both addends are scaled up by
COSTS = {"mve": per_element(13.8), "dsp": per_element(81.7)}


@dataclass(frozen=True)
class NnAdd:
    """What arm_elementwise_add_s8 is told: multipliers are Q31, shifts are powers of two."""

    elements: int
    left_shift: int
    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    a_multiplier: int
    a_shift: int
    b_multiplier: int
    b_shift: int
    y_multiplier: int
    y_shift: int
    activation_min: int
    activation_max: int


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Addends of one shape. Both are scaled to twice the larger of their scales."""
    a, b, y = node["a"], node["b"], node["y"]
    if not a.elements == b.elements == y.elements:
        return Refused(f"a {a.type} and b {b.type} are not of one shape")
    common = 2.0 * max(a.scale, b.scale)
    ratios = a.scale / common, b.scale / common, common / ((1 << LEFT_SHIFT) * y.scale)
    if not max(ratios) < 1:
        return Refused(f"the scale ratio {max(ratios)} is not below 1")
    (a_multiplier, a_shift), (b_multiplier, b_shift), (y_multiplier, y_shift) = (
        quantize_multiplier(ratio) for ratio in ratios
    )
    low, high = clamp_range(node)
    return Plan(
        NnAdd(
            elements=y.elements,
            left_shift=LEFT_SHIFT,
            a_zero_point=a.zero_point,
            b_zero_point=b.zero_point,
            y_zero_point=y.zero_point,
            a_multiplier=a_multiplier,
            a_shift=a_shift,
            b_multiplier=b_multiplier,
            b_shift=b_shift,
            y_multiplier=y_multiplier,
            y_shift=y_shift,
            activation_min=low,
            activation_max=high,
        )
    )


KERNELS = nn_kernels({"T": i8}, NnAdd, plan, COSTS)
