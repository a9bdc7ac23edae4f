"""Costs of the convolutions of dsp_runs.h, which multiply runs of neighbouring bytes."""

from opsmith.op import NodeView, u8
from opsmith.runtimes.families.convolution import groups

UNSIGNED = 1.1  # times as long, since weights have a zero point, too


def cost(node: NodeView) -> float:
    """Instructions of a convolution; a run is a row of its window, or several taps together."""
    _, height, width, inputs = node["filter"].shape
    count, channels = groups(node), node["y"].shape[3]
    neighbours = count == 1 and node.attributes["dilation_width"] == 1
    runs, size = (height, width * inputs) if neighbours else (height * width, inputs)
    (pairs, alone), (words, rest) = divmod(channels // count, 2), divmod(size, 4)
    two = 98 + runs * (1 + 16.9 * words + (30 + 4.5 * rest) * (rest > 0))
    one = 38 + runs * (1 + 10.6 * words + (18 + 2.7 * rest) * (rest > 0))
    pixels = node["y"].elements / channels
    return pixels * count * (pairs * two + alone * one) * (UNSIGNED if node["x"].dtype == u8 else 1)
