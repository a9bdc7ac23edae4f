"""Channels, the last axis of a tensor: known ranges of their values, and which are needed.

An op says with hook `channels.ranges` how far the elements of its outputs go, with `channels.live`
which channels of its tensors it needs, and with `channels.keep` what its constants become when it
gets no more than those. An op that says nothing may give any value and needs every channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array, Constant, DType, Quantization, Tensor

Mask = NDArray[np.bool_]
MOST_CHANNELS = 1 << 23  # limit of channels of all tensors together


@dataclass(frozen=True)
class Range:
    """Bounds that no element of a channel exceeds, one pair for each channel."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @property
    def constant(self) -> Mask:
        """Mask of channels whose elements are all equal to `low`."""
        return np.equal(self.low, self.high)

    def __sub__(self, offset: int) -> Range:
        return Range(self.low - offset, self.high - offset)

    def clip(self, low: int, high: int) -> Range:
        """Range of the elements after clamping to `low` and `high`."""
        return Range(np.clip(self.low, low, high), np.clip(self.high, low, high))

    def spread(self, channels: int) -> Range:
        """Range for a tensor of N channels with these elements in unchanged order."""
        mine = len(self.low)
        if channels == mine:
            return self
        if channels % mine == 0:
            return Range(np.tile(self.low, channels // mine), np.tile(self.high, channels // mine))
        folds = channels if mine % channels == 0 else 1  # 1: correspondence unknown
        low, high = self.low.reshape(-1, folds), self.high.reshape(-1, folds)
        return Range(np.resize(low.min(axis=0), channels), np.resize(high.max(axis=0), channels))


# By tensor id. Integer tensors, except u64, have ranges; every tensor has a mask.
Ranges = Mapping[str, Range]
Masks = Mapping[str, Mask]


def channels_of(tensor: Tensor) -> int:
    """Number of channels of a tensor; a scalar has one."""
    return tensor.shape[-1] if tensor.shape else 1


def has_too_many(tensors: Iterable[Tensor]) -> bool:
    """True if tensors have too many channels to look at each: a few bytes declare millions."""
    return sum(map(channels_of, tensors)) > MOST_CHANNELS


def full_range(tensor: Tensor) -> Range:
    """Range of the type of an integer tensor; for a constant, the range of its actual values."""
    channels = channels_of(tensor)
    if tensor.constant is not None and tensor.elements:
        rows = tensor.data.reshape(-1, channels)
        return Range(rows.min(axis=0).astype(np.int64), rows.max(axis=0).astype(np.int64))
    low, high = tensor.dtype.limits
    lowest, highest = (np.broadcast_to(np.int64(end), channels) for end in (low, high))
    return Range(lowest, highest)  # broadcast arrays, which take no memory


def tied(tensors: Iterable[Tensor], live: Masks) -> Masks:
    """Masks for tensors whose channels are removed together: live in one, live in all."""
    members = list(tensors)
    together = np.logical_or.reduce([live[tensor.id] for tensor in members])
    return {tensor.id: together for tensor in members}


def all_live(tensors: Iterable[Tensor]) -> Masks:
    """Masks of tensors that keep all channels."""
    return {tensor.id: np.ones(channels_of(tensor), np.bool_) for tensor in tensors}


def tied_in_order(x: Tensor, y: Tensor, live: Masks) -> Masks:
    """Masks for two tensors with equal elements in one order.

    Element e is in channel e % channels of either, so that a channel of the tensor with fewer (n)
    is every n-th channel of the other. Where neither number divides the other, all are live.
    """
    few, many = sorted((x, y), key=channels_of)
    if channels_of(many) % channels_of(few):
        return all_live((x, y))
    folded = live[many.id].reshape(-1, channels_of(few)).any(axis=0) | live[few.id]
    return {many.id: np.tile(folded, channels_of(many) // channels_of(few)), few.id: folded}


def tied_in_groups(x: Tensor, y: Tensor, groups: int, live: Masks) -> Masks:
    """Masks where each group of channels of y comes from one group of x, and groups stay whole."""
    masks = [live[tensor.id].reshape(groups, -1) for tensor in (x, y)]
    kept = masks[0].any(axis=1) | masks[1].any(axis=1)
    return {
        tensor.id: np.repeat(kept, mask.shape[1])
        for tensor, mask in zip((x, y), masks, strict=True)
    }


def select(tensor: Tensor, axis: int, kept: Mask) -> Tensor:
    """Tensor with only the kept indices of an axis, in its data and its quantisation."""
    shape = list(tensor.shape)
    axis %= len(shape)
    shape[axis] = int(kept.sum())
    quantization = tensor.quantization
    if quantization is not None and quantization.per_channel and quantization.axis == axis:
        pairs = zip(quantization.scales, quantization.zero_points, kept, strict=True)
        scales, zero_points = zip(*((s, z) for s, z, keep in pairs if keep), strict=True)
        quantization = Quantization(scales, zero_points, axis)
    constant = tensor.constant
    if constant is not None:
        constant = Constant(np.compress(kept, constant.array, axis))
    return replace(tensor, shape=tuple(shape), quantization=quantization, constant=constant)


def constant_of(old: Tensor | None, data: Array, dtype: DType) -> Tensor:
    """Constant tensor that replaces `old`, or a new one where `old` is None."""
    made = data.astype(dtype.numpy)
    old = old or Tensor("", "", dtype, made.shape)
    return replace(old, shape=made.shape, constant=Constant(made))
