"""Limits of the size of a tensor: above the memory of any board, within reach of the passes."""

import math

from opsmith.ir.types import DType

MAX_BYTES = 2**28 - 1  # of one tensor
MAX_LAST = 2**22  # size of the last axis, since ranges are kept for each channel
MAX_RANK = 8


def size_problem(dtype: DType, shape: tuple[int, ...]) -> str:
    """Sentence about a shape of positive sizes that exceeds the limits, or ""."""
    if len(shape) > MAX_RANK:
        return f"{len(shape)} dimensions, where at most {MAX_RANK} are supported"
    if math.prod(shape) * max(dtype.size, 1) > MAX_BYTES:
        return f"shape {shape} takes more than {MAX_BYTES} bytes"
    if shape and shape[-1] > MAX_LAST:
        return f"shape {shape} has more than {MAX_LAST} channels"
    return ""
