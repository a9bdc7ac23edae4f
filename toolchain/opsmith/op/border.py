"""A border of one value around a tensor, and nodes that can pad their input themselves."""

from dataclasses import dataclass
from typing import Any

from opsmith.op.view import NodeView


@dataclass(frozen=True)
class Border:
    """Elements before and after a tensor along each axis, and their value."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    value: int


def image_border(node: NodeView, border: Border) -> dict[str, Any] | None:
    """Attributes with which a node pads its image by this border itself.

    None where the border has other axes than those of pixels.
    """
    sides = list(zip(border.before, border.after, strict=True))
    if len(sides) != 4 or any(sides[0]) or any(sides[3]):
        return None
    own = node.attributes["border"] or (0, 0, 0, 0)
    return {"border": tuple(a + b for a, b in zip((*sides[1], *sides[2]), own, strict=True))}


def bordered(node: NodeView, axis: int) -> tuple[int, int]:
    """Border before x along axis 1 or 2, and size of x with its borders, in pixels."""
    before, after = (node.attributes.get("border") or (0, 0, 0, 0))[2 * axis - 2 : 2 * axis]
    return before, before + node["x"].shape[axis] + after
