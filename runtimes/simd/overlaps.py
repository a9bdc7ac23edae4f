"""Distances of outputs of layers from their inputs, for kernels that go forward."""

from opsmith.op import *
from opsmith.op.overlap import PixelWalk, group_distance, grouped, row_walk
from runtimes.families.matmul import Sizes
from runtimes.families.window import Geometry, image_walk

Walked = Geometry | Sizes


def copied(node: NodeView, p: Walked, pixels: int) -> Mapping[str, Distance]:
    """Distance for kernels that copy a group of pixels, or rows, before they write its outputs."""
    walk, read, written = _walked(node, p)
    return {"x": Distance(group_distance(walk, len(walk.first), pixels, read, written).forward)}


def reread(node: NodeView, p: Walked, pixels: int) -> Mapping[str, Distance]:
    """Distance for kernels that may read all inputs of a group of pixels, or rows, until its
    outputs are written, as they go through channels in blocks.
    """
    walk, read, written = _walked(node, p)
    if not walk.first.size:
        return {}
    found, starts = grouped(walk, len(walk.first), pixels)
    ends = np.append(starts[1:], len(walk.first)) * written
    needed = np.minimum.accumulate(found.first[::-1])[::-1] * read
    return {"x": Distance(int(np.max(ends - needed)))}


def _walked(node: NodeView, p: Walked) -> tuple[PixelWalk, int, int]:
    """Walk over pixels of y, and the bytes of a pixel of x and of y."""
    size, channels = node["x"].dtype.size, node["y"].shape[-1]
    if isinstance(p, Sizes):
        return row_walk(p.rows), p.depth * size, channels * size
    return image_walk(p), p.input_channels * size, channels * size
