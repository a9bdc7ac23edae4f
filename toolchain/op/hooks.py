"""What the compiler may do with the nodes of an op, besides having a kernel compute them.

All of it is optional. An op, or the family that it is of, gives groups of functions that belong
together, and a variant those that it has of its own:

    hooks=Hooks(channels=Channels(ranges=value_range, live=live_channels), macs=macs)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from toolchain.ir import Tensor
from toolchain.op.border import Border
from toolchain.op.channel_affine import ChannelAffine
from toolchain.op.channels import Masks, Range, Ranges
from toolchain.op.rows import Rows
from toolchain.op.view import NodeView


@dataclass(frozen=True)
class Affine:
    """Factors and addends of channels: which node is nothing else, and which can absorb them."""

    # y is one of its inputs times a factor, or plus an addend, of each channel, and activated
    applies: Callable[[NodeView], ChannelAffine | None] | None = None
    # (node, affine of its y, exactly) -> the constants, by name, with which it gives that; None
    # where it cannot, or where some bit of y could differ and `exactly` forbids it
    absorbs: Callable[[NodeView, ChannelAffine, bool], Mapping[str, Tensor] | None] | None = None


@dataclass(frozen=True)
class Borders:
    """Borders of one value: which node adds one, and which can absorb it."""

    # y is the first input with this around it; None: with what other ops could not absorb
    adds: Callable[[NodeView], Border | None] | None = None
    # (node, border of its first input) -> the attributes that change when it gets it without
    absorbs: Callable[[NodeView, Border], Mapping[str, Any] | None] | None = None


@dataclass(frozen=True)
class Channels:
    """What follows for channels, the last axis, from those of the tensors around a node."""

    # (node, ranges of its tensors) -> the range of each output; none: anything of its type
    ranges: Callable[[NodeView, Ranges], Sequence[Range]] | None = None
    # (node, live channels, ranges) -> the live channels of its tensors: at least those given, and
    # of what it reads all that they depend on
    live: Callable[[NodeView, Masks, Ranges], Masks] | None = None
    # (node, live channels, ranges) -> what its constants become, by name, without the others
    keep: Callable[[NodeView, Masks, Ranges], Mapping[str, Tensor]] | None = None


@dataclass(frozen=True)
class Permutations:
    """Nodes that do nothing but put axes in another order."""

    # y is the first input with its axes in this order
    order: Callable[[NodeView], tuple[int, ...]] | None = None
    # (node, order) -> what its constants become, by name, for y in this order instead
    reorder: Callable[[NodeView, Sequence[int]], Mapping[str, Tensor]] | None = None


@dataclass(frozen=True)
class Streaming:
    """Images that are made row by row."""

    # how a node makes its output so; None: not at all
    rows: Callable[[NodeView], Rows | None] | None = None
    # the op that takes rows one by one, where `rows` gives its attributes
    one_by_one: str | None = None


@dataclass(frozen=True)
class Views:
    """Where the bytes of y are those of inputs, so that nothing is left to do."""

    # the inputs, side by side, are y: the byte offset of each in it
    parts: Callable[[NodeView], Sequence[int] | None] | None = None
    # y is a part of the first input: its byte offset there
    part: Callable[[NodeView], int | None] | None = None
    # whether y, which has the type of the first input, is that input byte for byte
    identity: Callable[[NodeView], bool] | None = None
    # whether another node of the op, from y back to the type of x, gives x for every x
    restores: Callable[[NodeView], bool] | None = None


@dataclass(frozen=True)
class Hooks:
    """The hooks of an op or of a variant. `hooks | own` are those of `own`, where it has any."""

    affine: Affine = Affine()
    borders: Borders = Borders()
    channels: Channels = Channels()
    permutations: Permutations = Permutations()
    streaming: Streaming = Streaming()
    views: Views = Views()
    # the activation or bounds that the node is, when another op can do it
    clamp: Callable[[NodeView], str | tuple[int, int] | None] | None = None
    macs: Callable[[NodeView], int] | None = None  # multiplications with weights

    @property
    def given(self) -> Mapping[str, Any]:
        """Those that there are, by place: 'channels.live', 'macs'."""
        return dict(_given(self, ""))

    def __or__(self, own: Hooks) -> Hooks:
        merged: Hooks = _merged(self, own)
        return merged


def _given(group: Any, place: str) -> Iterator[tuple[str, Any]]:
    for field in fields(group):
        value, name = getattr(group, field.name), place + field.name
        if is_dataclass(value):
            yield from _given(value, f"{name}.")
        elif value is not None:
            yield name, value


def _merged(base: Any, own: Any) -> Any:
    """`own`, and in place of each None in it what `base` has there."""
    if not is_dataclass(base):
        return base if own is None else own
    names = [each.name for each in fields(base)]
    return type(own)(**{name: _merged(getattr(base, name), getattr(own, name)) for name in names})
