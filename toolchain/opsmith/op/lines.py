"""Images of one row or one column of pixels, and nodes that compute such images along another axis.

A line of pixels has the same bytes along axis 1 and along axis 2 of an NHWC image, and as a
sequence, [batches, steps, channels]. Hook `lines` says how a node of one form becomes a node of
another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opsmith.ir import Tensor
from opsmith.op.view import NodeView

ImageAxes = tuple[int, ...]  # the axis of an NHWC image that each axis of a tensor becomes
EXCHANGED: ImageAxes = (0, 2, 1, 3)  # for an image: exchange of rows and columns
KEPT: ImageAxes = (0, 1, 2, 3)  # of an image, where y is none yet
DOWN: ImageAxes = (0, 1, 3)  # for a sequence: each step becomes a row
ACROSS: ImageAxes = (0, 2, 3)  # for a sequence: each step becomes a column


@dataclass(frozen=True)
class Turned:
    """Attributes and constants of a node that change when its tensors get other axes."""

    attributes: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Tensor] = field(default_factory=dict)  # by declared input


def turned_shape(shape: tuple[int, ...], rank: int, axes: ImageAxes) -> tuple[int, ...]:
    """Shape of four axes from one padded to `rank` with leading ones and moved to `axes`."""
    sizes = [1, 1, 1, 1]
    for axis, size in zip(axes, (1,) * (rank - len(shape)) + shape, strict=True):
        sizes[axis] = size
    return tuple(sizes)


def exchanged(node: NodeView, *names: str) -> dict[str, Any]:
    """Attributes of a node of images ('stride' for `stride_height` and `stride_width`), and its
    border, with height and width exchanged.
    """
    given = node.attributes
    found: dict[str, Any] = {}
    for name in names:
        found[f"{name}_height"] = given[f"{name}_width"]
        found[f"{name}_width"] = given[f"{name}_height"]
    if given.get("border"):
        above, below, left, right = given["border"]
        found["border"] = (left, right, above, below)
    return found
