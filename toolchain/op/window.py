"""Sliding windows over an image: output size and padding, as TFLite computes them (kernels/padding.h)."""

from __future__ import annotations

from toolchain.op.describe import OpError

PADDINGS = ("SAME", "VALID")


def output_size(padding: str, size: int, window: int, stride: int, dilation: int = 1) -> int:
    """How many windows fit along one axis. Raises OpError where none does."""
    if stride < 1 or dilation < 1 or window < 1:
        raise OpError(f"stride {stride}, dilation {dilation} and window {window} must be positive")
    effective = (window - 1) * dilation + 1
    found = -(-size // stride) if padding == "SAME" else -(-(size - effective + 1) // stride)
    if found < 1:
        raise OpError(f"a window of {effective} does not fit an image of {size}")
    return found


def padding_before(
    padding: str, size: int, window: int, stride: int, dilation: int, output: int
) -> int:
    """How many pixels of padding come before the first one along one axis."""
    if padding == "VALID":
        return 0
    effective = (window - 1) * dilation + 1
    return max((output - 1) * stride + effective - size, 0) // 2
