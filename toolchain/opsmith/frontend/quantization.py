"""Checks of quantisation parameters, for all front ends."""

import math

from opsmith.ir import DType, Quantization
from opsmith.ir.types import ALL


def quantization_problem(found: Quantization, dtype: DType, shape: tuple[int, ...]) -> str:
    """Reason why a tensor of this type and shape can have no quantisation, scales apart, or ""."""
    scales, points, axis = found.scales, found.zero_points, found.axis
    if not scales or len(points) != len(scales):
        return f"{len(scales)} scales but {len(points)} zero points"
    integers = dtype in ALL and dtype.is_integer
    least, most = dtype.limits if integers else (0, 0)
    if integers and not least <= min(points) <= max(points) <= most:
        return f"a zero point does not fit {dtype.name}"
    if len(scales) > 1 and not (0 <= axis < len(shape) and shape[axis] == len(scales)):
        return f"{len(scales)} scales do not fit axis {axis} of {shape}"
    return ""


def scale_problem(found: Quantization) -> str:
    """Reason why the scales of a quantisation are invalid, or ""."""
    if min(found.scales) > 0 and math.isfinite(sum(found.scales)):  # and none is NaN
        return ""
    if math.inf in found.scales:  # from int16x8 converters: the range of a GRU's state is 0
        return "a scale is infinite, of which LiteRT makes nothing defined: its elements are lost"
    return "a scale is not a positive number"
