"""Functions by which an op takes part in transforms of the compiler, grouped by transform.

All are optional. They come from the op or its family, or from one of its variants:

    hooks=Hooks(channels=Channels(ranges=value_range, live=live_channels), macs=macs)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from opsmith.ir import Tensor
from opsmith.op.blocks import Cut
from opsmith.op.border import Border
from opsmith.op.channel_affine import ChannelAffine
from opsmith.op.channels import Masks, Range, Ranges
from opsmith.op.lines import Axes, Turned
from opsmith.op.rows import Rows
from opsmith.op.view import NodeView


@dataclass(frozen=True)
class Affine:
    """Factors and addends per channel: nodes that only apply them, and nodes that absorb them."""

    # y is one of its inputs times a factor, or plus an addend, of each channel, and activated
    applies: Callable[[NodeView], ChannelAffine | None] | None = None
    # (node, affine of its y, exactly) -> the constants, by name, with which it gives that; None
    # where it cannot, or where some bit of y could differ and `exactly` forbids it
    absorbs: Callable[[NodeView, ChannelAffine, bool], Mapping[str, Tensor] | None] | None = None


@dataclass(frozen=True)
class Blocks:
    """Images cut into blocks: nodes that cut or put together, and nodes that dilate instead."""

    # y is the first input, cut so that each position in a block is an image; None: otherwise
    cuts: Callable[[NodeView], Cut | None] | None = None
    # y is the image of which the first input has the positions in each block; None: otherwise
    joins: Callable[[NodeView], Cut | None] | None = None
    # (node, cut) -> the attributes with which it gives, for whole images with these zeros around
    # them, what it gives for those of the positions, put together; None where it cannot
    dilates: Callable[[NodeView, Cut], Mapping[str, Any] | None] | None = None


@dataclass(frozen=True)
class Borders:
    """Borders of one value: nodes that add one, and nodes that absorb it."""

    # y is the first input with this around it; None: with what other ops could not absorb
    adds: Callable[[NodeView], Border | None] | None = None
    # (node, border of its first input) -> the attributes that change when it gets it without
    absorbs: Callable[[NodeView, Border], Mapping[str, Any] | None] | None = None


@dataclass(frozen=True)
class Channels:
    """Channels, the last axis: their ranges, which are needed, and how to remove the others."""

    # (node, ranges of its tensors) -> the range of each output; none: anything of its type
    ranges: Callable[[NodeView, Ranges], Sequence[Range]] | None = None
    # (node, live channels, ranges) -> the live channels of its tensors: at least those given, and
    # of what it reads all that they depend on
    live: Callable[[NodeView, Masks, Ranges], Masks] | None = None
    # (node, live channels, ranges) -> what its constants become, by name, without the others
    keep: Callable[[NodeView, Masks, Ranges], Mapping[str, Tensor]] | None = None


@dataclass(frozen=True)
class Permutations:
    """Nodes that only permute axes."""

    # y is the first input with its axes in this order
    order: Callable[[NodeView], tuple[int, ...]] | None = None
    # (node, order) -> what its constants become, by name, for y in this order instead
    reorder: Callable[[NodeView, Sequence[int]], Mapping[str, Tensor]] | None = None


@dataclass(frozen=True)
class Streaming:
    """Computing images row by row."""

    # how a node computes its output row by row; None where it cannot
    rows: Callable[[NodeView], Rows | None] | None = None
    # the op that takes rows one by one, where `rows` returns its attributes
    one_by_one: str | None = None


@dataclass(frozen=True)
class Views:
    """Nodes whose output has the bytes of inputs, so that nothing has to be computed."""

    # the byte offset in y of each input, where the inputs, side by side, are y
    parts: Callable[[NodeView], Sequence[int] | None] | None = None
    # the byte offset of y in the first input, where y is a part of it
    part: Callable[[NodeView], int | None] | None = None
    # whether y, which has the type of the first input, is that input byte for byte
    identity: Callable[[NodeView], bool] | None = None
    # whether another node of the op, from y back to the type of x, gives x for every x
    restores: Callable[[NodeView], bool] | None = None
    # the attributes with which a node of the first input alone is that in the shape of y, whatever
    # both shapes are: the compiler adds such nodes
    shaped: Callable[[NodeView], Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Hooks:
    """The hooks of an op or a variant. `a | b` merges two; those of `b` take precedence."""

    affine: Affine = Affine()
    blocks: Blocks = Blocks()
    borders: Borders = Borders()
    channels: Channels = Channels()
    permutations: Permutations = Permutations()
    streaming: Streaming = Streaming()
    views: Views = Views()
    # the activation or bounds, of a node that only clamps
    clamp: Callable[[NodeView], str | tuple[int, int] | None] | None = None
    macs: Callable[[NodeView], int] | None = None  # multiplications with weights
    # (node, axes) -> what changes of it where the axes of its tensors, images of one row or column
    # or sequences, become these of an image; None where it cannot. Trait 'elementwise' implies it
    lines: Callable[[NodeView, Axes], Turned | None] | None = None

    @property
    def given(self) -> Mapping[str, Any]:
        """The hooks that are set, by path: 'channels.live', 'macs'."""
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
