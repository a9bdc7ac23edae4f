"""Distance of an output from an input that dies with the node: the result of `overlap=` hooks.

A kernel that walks **forward** writes its output from the first byte to the last. Let the output
start `d` bytes before the input. A byte that is written at output offset w destroys the input's
byte w - d, so nothing that is still to be read is lost when w_end - d <= r at every write, where r
is the least input offset that is read at that time or later: d >= max(w_end - r), which is
`Distance.forward`. Walking **backward** is the mirror image: an output that starts d bytes after
the input is safe when d >= max(r_end - w), `Distance.backward`. Both may be negative, where an
output shrinks so fast that it may start on the wrong side of the input.

The functions here compute these maxima over all writes of a walk, so they are exact for kernels
that walk as their docstrings say, and conservative for kernels that read more of a pixel before
they write it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Tensor
from opsmith.ir.types import i8, u8
from opsmith.op.view import NodeView


@dataclass(frozen=True)
class Distance:
    """Distance in bytes at which an output destroys nothing of an input still to be read."""

    forward: int | None = None  # the least by which it starts earlier; None: never over it
    backward: int | None = None  # the least by which it starts later, walking backward
    in_place: bool = False  # it may start where the input does, whatever the walk


LARGEST_WALK = 1 << 22  # output pixels: where there are more, nothing overlaps
Overlap = Callable[[NodeView], Mapping[str, Distance]]  # declared input -> distance


@dataclass(frozen=True)
class PixelWalk:
    """First and last input pixel that each output pixel reads; none where last < first."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]


@dataclass(frozen=True)
class Taps:
    """A window that slides along one axis of an image."""

    size: int  # of the image
    output: int  # how many windows
    window: int
    stride: int
    dilation: int
    padding: int  # before the image

    def spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First and last pixel inside the image that each position of the window reads."""
        origin = np.arange(self.output, dtype=np.int64) * self.stride - self.padding
        skipped = np.maximum(-(origin // self.dilation), 0)
        first = origin + skipped * self.dilation
        inside = np.minimum(self.window - 1, (self.size - 1 - origin) // self.dilation)
        return first, np.where(skipped <= inside, origin + inside * self.dilation, -1)


def row_walk(rows: int) -> PixelWalk:
    """Walk of a kernel for which row i of y needs row i of x."""
    every = np.arange(rows if rows <= LARGEST_WALK else 0, dtype=np.int64)
    return PixelWalk(every, every)


@lru_cache(maxsize=16)  # layers of the same shape often follow each other
def window_walk(batches: int, rows: Taps, columns: Taps) -> PixelWalk:
    """Walk over all output pixels of NHWC images, row by row."""
    if batches * rows.output * columns.output > LARGEST_WALK:
        return row_walk(0)
    (top, bottom), (left, right) = rows.spans(), columns.spans()
    none = (bottom < 0)[:, None] | (right < 0)[None, :]
    pixels = rows.size * columns.size
    above, below = top[:, None] * columns.size, bottom[:, None] * columns.size
    first = np.where(none, pixels, above + left[None, :]).reshape(-1)
    last = np.where(none, -1, below + right[None, :]).reshape(-1)
    start = np.arange(batches, dtype=np.int64)[:, None] * pixels
    empty = np.tile(last < 0, batches)
    walk = PixelWalk(
        np.where(empty, batches * pixels, (start + first).reshape(-1)),
        np.where(empty, -1, (start + last).reshape(-1)),
    )
    for each in (walk.first, walk.last):
        each.setflags(write=False)  # cached, and shared by all callers
    return walk


def pixel_distance(walk: PixelWalk, x_bytes: int, y_bytes: int, block: int = 1) -> Distance:
    """Distance for kernels that compute a pixel of y in blocks of elements, write a block once it
    is computed, and may read any part of the pixel's window for each block.

    Sizes are bytes of a pixel. A backward walk reverses only the order of pixels.
    """
    if not walk.first.size:
        return Distance()
    at = np.arange(len(walk.first), dtype=np.int64) * y_bytes
    forward = _worst(at + y_bytes, _later(walk) * x_bytes)
    backward = _worst((_earlier(walk) + 1) * x_bytes, at)
    before_last = (y_bytes - 1) // block * block  # bytes written when the last block is computed
    if before_last:
        reads = walk.last >= 0
        first, last, start = walk.first[reads], walk.last[reads], at[reads]
        forward = max(forward, _worst(start + before_last, first * x_bytes))
        backward = max(backward, _worst((last + 1) * x_bytes, start))
    return Distance(forward, backward)


Groups = int | Sequence[int]  # of pixels of y: of equal size, or where in an image each begins


def grouped(walk: PixelWalk, pixels: int, groups: Groups) -> tuple[PixelWalk, NDArray[np.int64]]:
    """Walk by groups of pixels of y, and the first pixel of each group.

    No group reaches from one image, which has `pixels` pixels of y, into the next.
    """
    at = range(0, pixels, groups) if isinstance(groups, int) else groups
    starts = np.arange(len(walk.first), dtype=np.int64).reshape(-1, pixels)[:, list(at)].reshape(-1)
    if not starts.size:
        return walk, starts
    first = np.minimum.reduceat(walk.first, starts)
    return PixelWalk(first, np.maximum.reduceat(walk.last, starts)), starts


def side_by_side(walk: PixelWalk, width: int, size: int) -> PixelWalk:
    """Walk of a kernel that may compute up to `size` neighbours in a row of y at once.

    The walk holds wherever groups start: the first input pixel of an output pixel is the least that
    it or preceding pixels of a group need, the last is the greatest for it or following pixels.
    """
    if not walk.first.size:
        return walk
    first, last = (spans.reshape(-1, width).copy() for spans in (walk.first, walk.last))
    for step in range(1, min(size, width)):
        np.minimum(first[:, step:], walk.first.reshape(-1, width)[:, :-step], out=first[:, step:])
        np.maximum(last[:, :-step], walk.last.reshape(-1, width)[:, step:], out=last[:, :-step])
    return PixelWalk(first.reshape(-1), last.reshape(-1))


def group_distance(
    walk: PixelWalk,
    pixels: int,
    size: Groups,
    x_bytes: int,
    y_bytes: int,
    *,
    again: bool = False,
) -> Distance:
    """Distance for kernels that read all input of a group of pixels before they write any of the
    group; with `again`, they may read it until they have written the group.

    Sizes are bytes of a pixel. A backward walk reverses only the order of groups.
    """
    if not walk.first.size:
        return Distance()
    groups, starts = grouped(walk, pixels, size)
    ends = np.append(starts[1:], len(walk.first))
    earlier, later = _earlier(groups) + 1, _later(groups)
    if again:
        earlier, later = np.maximum(earlier, groups.last + 1), np.minimum(later, groups.first)
    forward = _worst(ends * y_bytes, later * x_bytes)
    backward = _worst(earlier * x_bytes, starts * y_bytes)
    return Distance(forward, backward)


def channel_distance(walk: PixelWalk, channels: int, multiplier: int = 1) -> Distance:
    """Distance for kernels of one-byte elements that, for each output channel, read its input
    channel in the pixel's window and then write; `multiplier` outputs come from each input channel.

    A backward walk goes through both pixels and channels from the last to the first.
    """
    if not walk.first.size:
        return Distance()
    outputs = channels * multiplier
    at = np.arange(len(walk.first), dtype=np.int64) * outputs
    forward = _worst(at + outputs, _later(walk) * channels)
    backward = _worst((_earlier(walk) + 1) * channels, at)
    if outputs > 1:
        reads = walk.last >= 0
        first, last, start = walk.first[reads], walk.last[reads], at[reads]
        # The worst moment is between two outputs of the last channel; if each channel has one
        # output, all moments are equal.
        most = outputs - channels
        forward = max(forward, _worst(start + most, first * channels))
        backward = max(backward, _worst(last * channels, start))
    return Distance(forward, backward)


def planes(x: tuple[int, ...], y: tuple[int, ...]) -> Distance:
    """Distance for kernels that copy a channel of an image to scratch before they write any of it.

    Where y is larger than x, an image of y would reach into the next image of x, still to be read.
    """
    return Distance(in_place=x[0] == 1 or y[1] * y[2] <= x[1] * x[2])


def elementwise(node: NodeView) -> dict[str, Distance]:
    """Overlaps of kernels that walk forward and read element i of every input before writing y[i].

    Inputs that broadcast are left out. So are inputs of types that must not alias in C++ (strict
    aliasing), since a compiler may then move a read after a write.
    """
    *inputs, (_, y) = node.tensors.items()  # the output is declared last
    assert isinstance(y, Tensor)
    found = {}
    for name, x in inputs:
        if not isinstance(x, Tensor) or x.elements != y.elements:
            continue
        if x.dtype == y.dtype or {x.dtype, y.dtype} & {i8, u8}:
            growth = y.dtype.size - x.dtype.size
            found[name] = Distance(forward=growth * (max(y.elements - 1, 1) if growth > 0 else 1))
    return found


def _later(walk: PixelWalk) -> NDArray[np.int64]:
    """Least input pixel that any output pixel after each output pixel reads."""
    least = np.minimum.accumulate(walk.first[::-1])[::-1]
    return np.append(least[1:], np.iinfo(np.int32).max)


def _earlier(walk: PixelWalk) -> NDArray[np.int64]:
    """Greatest input pixel that any output pixel before each output pixel reads."""
    return np.append(np.int64(np.iinfo(np.int32).min), np.maximum.accumulate(walk.last)[:-1])


def _worst(end: NDArray[np.int64], start: NDArray[np.int64]) -> int:
    return int(np.max(end - start, initial=-(2**31)))
