"""Costs of the convolutions of dsp_runs.h, which multiply runs of neighbouring bytes."""

from opsmith.op import NodeView, u8
from runtimes.families.convolution import geometry, groups
from runtimes.families.convolution_counts import pixels
from runtimes.families.window import inside

PER_TWO, PER_ONE = 112.0, 58.0  # of two outputs of a pixel, and of one
UNSIGNED = 1.05  # times as long, since weights have a zero point, too


def cost(node: NodeView) -> float:
    """Cycles of a Cortex-M4F for a convolution, whose runs are rows of its windows, or taps in
    groups, inside of x.
    """
    count, inputs = groups(node), node["filter"].shape[3]
    down, right = (float((end - first).sum()) for first, end in map(inside, geometry(node).axes))
    _, _, width, channels = node["y"].shape
    rows, taps = node["x"].shape[0] * down * width, node["x"].shape[0] * down * right
    neighbours = count == 1 and node.attributes["dilation_width"] == 1
    runs, size = (rows, right / width * inputs) if neighbours else (taps, inputs)
    words = int(size) // 4
    rest = size - 4 * words
    more = 0.0 if size == int(size) else 25.0 + 25.0 * (rest > 0)  # sizes that differ
    pairs, alone = divmod(channels // count, 2)
    of_two = PER_TWO * pixels(node) + runs * (more + 16.5 * words + 10.5 * rest)
    per_one = 10.0 if neighbours else 6.0  # left inputs of one channel
    of_one = PER_ONE * pixels(node) + runs * (more + 9.6 * words + per_one * rest)
    unsigned = UNSIGNED if node["x"].dtype == u8 else 1.0
    return count * (pairs * of_two + alone * of_one) * unsigned
