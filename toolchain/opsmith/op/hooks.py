"""Functions by which an op takes part in transforms of the compiler, grouped by transform.

All are optional. They come from the op or its family, or from one of its variants:

    hooks=Hooks(channels=Channels(ranges=value_range, live=live_channels), macs=macs)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from opsmith.ir import Array, Tensor
from opsmith.op.blocks import Cut
from opsmith.op.border import Border
from opsmith.op.channel_affine import ChannelAffine
from opsmith.op.channels import Masks, Range, Ranges
from opsmith.op.lines import ImageAxes, Turned
from opsmith.op.rows import RowWindow
from opsmith.op.view import NodeView


@dataclass(frozen=True)
class Affine:
    """Hooks for factors and addends per channel: of nodes that apply and that absorb them."""

    # node -> factor or addend of each channel that it applies to one of its inputs, and its
    # activation; None for any other node
    applies: Callable[[NodeView], ChannelAffine | None] | None = None
    # (node, affine of its y, exactly) -> its constants, by name, with these factors or addends
    # folded in; None where that is impossible, or where `exactly` is set and a bit could differ
    absorbs: Callable[[NodeView, ChannelAffine, bool], Mapping[str, Tensor] | None] | None = None


@dataclass(frozen=True)
class Blocks:
    """Hooks for images cut into blocks: of nodes that cut or join, and that dilate instead."""

    # node -> how it cuts x into blocks of pixels, in y each position of a block being an image of
    # its own (SPACE_TO_BATCH_ND); None for any other node
    cuts: Callable[[NodeView], Cut | None] | None = None
    # node -> how it reassembles such images (BATCH_TO_SPACE_ND); None for any other node
    joins: Callable[[NodeView], Cut | None] | None = None
    # (node, cut) -> attributes, such as a dilation, with which the op computes from whole, zero-
    # padded images what it computes from the cut ones; None where bytes could differ
    dilates: Callable[[NodeView, Cut], Mapping[str, Any] | None] | None = None


@dataclass(frozen=True)
class Borders:
    """Hooks for borders of one value: of nodes that add a border, and nodes that absorb one."""

    # node -> border of one value that it adds around its input; None for any other node
    adds: Callable[[NodeView], Border | None] | None = None
    # (node, border) -> attributes with which the op pads its input with that border itself; None
    # where bytes would differ
    absorbs: Callable[[NodeView, Border], Mapping[str, Any] | None] | None = None


@dataclass(frozen=True)
class Channels:
    """Hooks for channels, the last axis: their ranges, which are needed, how to remove the rest."""

    # (node, ranges of its tensors) -> bounds of the channels of each output that no input of the
    # model can leave; elementwise ops of one input need none
    ranges: Callable[[NodeView, Ranges], Sequence[Range]] | None = None
    # (node, live channels, ranges) -> channels of its tensors that the op needs, given those that
    # other nodes need; without the hook, all of them
    live: Callable[[NodeView, Masks, Ranges], Masks] | None = None
    # (node, live channels, ranges) -> constants, by name, without the removed channels; what
    # constant channels contributed is added to the bias
    keep: Callable[[NodeView, Masks, Ranges], Mapping[str, Tensor]] | None = None


@dataclass(frozen=True)
class Permutations:
    """Hooks for permutations of axes, and for nodes below which a permutation can move."""

    # node -> axis of the first input that becomes each axis of y
    order: Callable[[NodeView], tuple[int, ...]] | None = None
    # (node, order) -> constants, by name, for another order
    reorder: Callable[[NodeView, Sequence[int]], Mapping[str, Tensor]] | None = None
    # (node, order) -> constants, by name, with which it gives y with its axes in this order where
    # x has them so; elementwise ops need none
    along: Callable[[NodeView, Sequence[int]], Mapping[str, Tensor]] | None = None
    # (node, order) -> constants, by name, with which it gives the same y where the elements of each
    # row of x are in this order; None where it cannot
    columns: Callable[[NodeView, Sequence[int]], Mapping[str, Tensor] | None] | None = None


@dataclass(frozen=True)
class Streaming:
    """Hooks for computing images row by row."""

    # node -> how y is made row by row (axis 1 of NHWC): rows of x that one of y needs, and
    # attributes that make one row; None where it cannot. Elementwise ops need none
    rows: Callable[[NodeView], RowWindow | None] | None = None
    # name of the op that takes the rows of non-overlapping windows one at a time and keeps sums
    # instead of rows; `rows` gives its attributes
    one_by_one: str | None = None


@dataclass(frozen=True)
class Views:
    """Hooks for nodes whose output has the bytes of inputs, so that nothing has to be computed."""

    # node -> byte offsets at which the inputs, side by side, are y, so that nothing is copied; None
    # where they are not
    parts: Callable[[NodeView], Sequence[int] | None] | None = None
    # node -> byte offset of y within the first input, where it lies there
    part: Callable[[NodeView], int | None] | None = None
    # node -> whether y, which has the type of x, equals x byte for byte; the node is then removed
    identity: Callable[[NodeView], bool] | None = None
    # node -> whether another node of the op, from y back to the type of x, gives x for all of its
    # elements; both are then removed
    restores: Callable[[NodeView], bool] | None = None
    # node -> attributes of a node that reshapes its only input to the shape of y; the compiler
    # inserts such nodes, of the first op that has this hook
    shaped: Callable[[NodeView], Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Hooks:
    """The hooks of an op or a variant. `a | b` merges two; those of `b` take precedence."""

    affine: Affine = Affine()  # of channels, which go into constants
    blocks: Blocks = Blocks()  # of pixels, which become dilations
    borders: Borders = Borders()  # of one value, which become padding
    channels: Channels = Channels()  # that nothing reads, which go
    permutations: Permutations = Permutations()  # of axes, which merge or move into constants
    streaming: Streaming = Streaming()  # of images, row by row
    views: Views = Views()  # that copy nothing
    # node -> activation, or least and greatest element of an integer y, of a node that only clamps,
    # so that the op before it could clamp instead
    clamp: Callable[[NodeView], str | tuple[int, int] | None] | None = None
    # node -> multiplications with weights, for the report
    macs: Callable[[NodeView], int] | None = None
    # (node, results for all 256 elements of its input, in the order of their bits) -> attributes
    # with which it gives them; the compiler puts nodes of the first such op in place of several
    looks_up: Callable[[NodeView, Array], Mapping[str, Any]] | None = None
    # (node, axes) -> attributes and constants that change when its tensors, sequences or images of
    # one row or column, are laid along these axes of an image; None where it cannot. Elementwise
    # ops need none
    lines: Callable[[NodeView, ImageAxes], Turned | None] | None = None

    @property
    def given(self) -> Mapping[str, Any]:
        """Hooks that are set, by path: 'channels.live', 'macs'."""
        return dict(_given(self, ""))

    def __or__(self, other: Hooks) -> Hooks:
        merged: Hooks = _merged(self, other)
        return merged


def _given(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for field in fields(group):
        value, name = getattr(group, field.name), path + field.name
        if is_dataclass(value):
            yield from _given(value, f"{name}.")
        elif value is not None:
            yield name, value


def _merged(first: Any, second: Any) -> Any:
    if first is second:
        return first
    if not is_dataclass(first):
        return first if second is None else second
    names = [each.name for each in fields(first)]
    return type(second)(**{n: _merged(getattr(first, n), getattr(second, n)) for n in names})
