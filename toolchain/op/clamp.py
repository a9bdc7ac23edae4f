"""What a node does to its output in passing: a fused activation, and the bounds of a clamp."""

from __future__ import annotations

from toolchain.ir.types import i32
from toolchain.op.arithmetic import ACTIVATIONS, activation_range, integer_activation_range
from toolchain.op.describe import Attribute, ListOf
from toolchain.op.view import NodeView

# of ops with trait 'fuses_activation'
CLAMP_ATTRIBUTES = (
    Attribute("activation", str, default="NONE", choices=ACTIVATIONS),
    Attribute("clamp", ListOf(int), default=()),  # least and greatest element, once activated
)


def clamp_range(node: NodeView) -> tuple[int, int]:
    """(minimum, maximum) that a node with these attributes clamps y to."""
    y, activation = node["y"], node.attributes["activation"]
    plain = y.dtype == i32
    range_ = integer_activation_range(activation, i32) if plain else activation_range(activation, y)
    return clamped(range_, node.attributes["clamp"])


def clamped(range_: tuple[int, int], clamp: tuple[int, ...]) -> tuple[int, int]:
    """The bounds of what was clamped to a range, and then to another if there is one."""
    if not clamp:
        return range_
    low, high = (min(max(end, clamp[0]), clamp[1]) for end in range_)
    return low, high
