"""Row-by-row computation of an image, for models that stream: results of hooks `streaming.rows`.

Rows lie along axis 1 of NHWC images. A node that makes one row of its output at a time is the same
op with another geometry: its input has as many rows as its window spans, its output one row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opsmith.ir import Tensor
from opsmith.op.view import NodeView

AXIS = 1


@dataclass(frozen=True)
class RowWindow:
    """Window of a streamed node: row i of y needs `window` rows of x from i * stride - before."""

    window: int = 1
    stride: int = 1
    before: int = 0  # rows above the image; less than 0: rows of it that nothing is made of
    value: int | None = None  # what rows outside of it are made of; None: there may not be any
    # attributes that change where x has `window` rows and y has one
    attributes: Mapping[str, Any] = field(default_factory=dict)
    # of the op that `streaming.one_by_one` names, which is given each row by itself and has row i
    # of y when it was given the last that this needs; only for windows that do not overlap
    one_by_one: Mapping[str, Any] | None = None


def elementwise_rows(node: NodeView) -> RowWindow | None:
    """Window of one row for inputs that are rows of one image, or constants; None for others."""
    *inputs, (_, y) = node.tensors.items()  # the output is declared last
    assert isinstance(y, Tensor)
    for _, x in inputs:
        for tensor in x if isinstance(x, tuple) else (x,):
            if tensor is None:
                continue
            height = tensor.shape[-3] if len(tensor.shape) >= 3 else 1
            if len(tensor.shape) > 4 or height != (1 if tensor.constant else y.shape[AXIS]):
                return None
    return RowWindow()


def window_rows(
    node: NodeView,
    window: int,
    stride: int,
    before: int,
    value: int | None,
    columns: tuple[int, int],
) -> RowWindow:
    """Window of rows of an op with `padding` and `border`, padded by `columns` left and right of x.

    `window` counts all rows from the first tap to the last; `value` is the value of padding, None
    where rows of padding cannot be made.
    """
    attributes = {"padding": "VALID", "border": (0, 0, *columns)}
    return RowWindow(window, stride, before, value, attributes)


def columns_around(size: int, output: int, window: int, stride: int, left: int) -> tuple[int, int]:
    """Pixels of padding left and right of an image that make all windows of a row lie within."""
    return left, max((output - 1) * stride + window - left - size, 0)
