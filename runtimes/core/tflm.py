"""Rules for nodes that TensorFlow Lite Micro's reference kernels compute in another way than
LiteRT: most often with a ratio of scales in double precision where LiteRT has single precision.
"""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.notebook import Rules

MOST = 1 << 17  # integers that are tried
OTHER = "TensorFlow Lite Micro's kernel gives other elements, and is not reproduced"


def unlike_tflm(differs: Callable[[NodeView], bool] = lambda node: True) -> Rules:
    """Rules that do not reproduce nodes that `differs` holds for; others follow the reference."""
    return {Numerics.TFLM: lambda node: OTHER if differs(node) else None}


def by_tflm(takes: Callable[[NodeView], bool]) -> Rules:
    """Rules by which nodes for which `takes` is true follow TensorFlow Lite Micro, and others are
    not reproduced.
    """
    return {Numerics.TFLM: lambda node: "" if takes(node) else OTHER}


def rescaled_otherwise(node: NodeView, single: float, double: float, low: int, high: int) -> bool:
    """True if a ratio in single precision gives some integer from `low` to `high` another y than in
    double. Ranges of more than `MOST` integers are not tried and count as true.
    """
    ratios = [quantize_multiplier(ratio, wraps=True) for ratio in (single, double)]
    if ratios[0] == ratios[1] or high - low > MOST:
        return ratios[0] != ratios[1]
    numbers = np.arange(low, high + 1, dtype=np.int64)
    elements = (multiply_by_quantized_multiplier(numbers, *each) for each in ratios)
    y = node["y"]
    bounds = np.array(y.dtype.limits) - y.zero_point
    return not np.array_equal(*(np.clip(each, *bounds) for each in elements))
