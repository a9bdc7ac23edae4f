"""Sliding windows over an image: output size and padding as in TFLite (kernels/padding.h)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from toolchain.ir import Array
from toolchain.op.declare import OpError
from toolchain.op.overlap import Taps, Walk, window_walk

Spans = frozenset[tuple[int, int]]  # [first, end) of the taps that lie inside the image
PADDINGS = ("SAME", "VALID")
MAX_WINDOW = 1 << 12  # pixels along one axis, also of a step, unless the image has more


def output_size(padding: str, size: int, window: int, stride: int, dilation: int = 1) -> int:
    """How many windows fit along one axis. Raises OpError where none does."""
    if stride < 1 or dilation < 1 or window < 1:
        raise OpError(f"stride {stride}, dilation {dilation} and window {window} must be positive")
    longest = max(size, MAX_WINDOW)
    effective = (window - 1) * dilation + 1
    found = -(-size // stride) if padding == "SAME" else -(-(size - effective + 1) // stride)
    if found < 1 or effective > longest:
        raise OpError(f"a window of {effective} does not fit an image of {size}")
    if max(stride, dilation) > longest:  # even of one window or one tap: kernels multiply by it
        raise OpError(f"stride {stride} or dilation {dilation} is more than {longest} pixels")
    return found


def padding_before(
    padding: str, size: int, window: int, stride: int, dilation: int, output: int
) -> int:
    """How many pixels of padding come before the first one along one axis."""
    if padding == "VALID":
        return 0
    effective = (window - 1) * dilation + 1
    return max((output - 1) * stride + effective - size, 0) // 2


class Window(Protocol):
    """The members of a Params that say how a window slides over an image."""

    @property
    def batches(self) -> int: ...
    @property
    def input_height(self) -> int: ...
    @property
    def input_width(self) -> int: ...
    @property
    def filter_height(self) -> int: ...
    @property
    def filter_width(self) -> int: ...
    @property
    def output_height(self) -> int: ...
    @property
    def output_width(self) -> int: ...
    @property
    def stride_height(self) -> int: ...
    @property
    def stride_width(self) -> int: ...
    @property
    def dilation_height(self) -> int: ...
    @property
    def dilation_width(self) -> int: ...
    @property
    def padding_top(self) -> int: ...
    @property
    def padding_left(self) -> int: ...


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """Where a window, such as a filter, goes over images. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    padding_top: int
    padding_left: int


def taps(image: Array, window: Window) -> Iterator[tuple[int, int, Array]]:
    """For each tap (row, column) of the window: the pixels under it, [batches, oh, ow, channels].

    The NHWC image is padded with zeros.
    """
    w = window
    rows = (w.output_height - 1) * w.stride_height + 1  # from the first to the last window
    columns = (w.output_width - 1) * w.stride_width + 1
    bottom = max(rows + (w.filter_height - 1) * w.dilation_height - image.shape[1], 0)
    right = max(columns + (w.filter_width - 1) * w.dilation_width - image.shape[2], 0)
    padded = np.pad(image, ((0, 0), (w.padding_top, bottom), (w.padding_left, right), (0, 0)))
    for row in range(w.filter_height):
        for column in range(w.filter_width):
            top, left = row * w.dilation_height, column * w.dilation_width
            down = slice(top, top + rows, w.stride_height)
            across = slice(left, left + columns, w.stride_width)
            yield row, column, padded[:, down, across]


def image_walk(w: Window) -> Walk:
    """Which pixels of x each pixel of y needs, for kernels that go through y pixel by pixel."""
    rows = Taps(
        w.input_height,
        w.output_height,
        w.filter_height,
        w.stride_height,
        w.dilation_height,
        w.padding_top,
    )
    columns = Taps(
        w.input_width,
        w.output_width,
        w.filter_width,
        w.stride_width,
        w.dilation_width,
        w.padding_left,
    )
    return window_walk(w.batches, rows, columns)


def spans_inside(window: Window) -> tuple[Spans, Spans]:
    """Along both axes: which runs of taps lie inside the image, over all outputs."""
    w = window
    tops = np.arange(w.output_height, dtype=np.int64) * w.stride_height - w.padding_top
    lefts = np.arange(w.output_width, dtype=np.int64) * w.stride_width - w.padding_left
    return (
        _spans(tops, w.input_height, w.filter_height, w.dilation_height),
        _spans(lefts, w.input_width, w.filter_width, w.dilation_width),
    )


def _spans(origins: Array, image: int, window: int, dilation: int) -> Spans:
    """The runs of taps for windows whose first taps are at `origins`."""
    first = np.maximum(-(origins // dilation), 0)
    end = np.clip(-((origins - image) // dilation), 0, window)
    return frozenset(zip(np.minimum(first, end).tolist(), end.tolist(), strict=True))
