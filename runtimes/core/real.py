"""Conversion of elements to and from the float64 values that they represent: real.h in numpy."""

import numpy as np

from opsmith.ir import Array, Tensor


def affine(tensor: Tensor) -> tuple[float, int]:
    """(scale, zero point) of a tensor; 1 and 0 where it is not quantised."""
    return (1.0, 0) if tensor.quantization is None else (tensor.scale, tensor.zero_point)


def affine_problem(tensor: Tensor, name: str) -> str:
    """Sentence about a quantisation that these functions cannot take, or ""."""
    if tensor.quantization is not None and tensor.quantization.per_channel:
        return f"{name} must be quantised per tensor or not at all"
    if affine(tensor)[1] and (tensor.dtype.size > 2 or not tensor.dtype.is_integer):
        return f"{name} is {tensor.dtype.name} and must have zero point 0"
    return ""


def real_numbers(elements: Array, tensor: Tensor) -> Array:
    """float64 values that elements of the tensor represent."""
    if not tensor.dtype.is_integer:
        return elements.astype(np.float64)
    scale, zero_point = affine(tensor)
    found: Array = (elements.astype(np.float64) - zero_point) * scale
    return found


def nearest_elements(real: Array, tensor: Tensor) -> Array:
    """Nearest elements of the tensor for float64 values, ties away from zero, saturated; the lowest
    for NaN.
    """
    if not tensor.dtype.is_integer:
        with np.errstate(over="ignore"):
            return real.astype(tensor.dtype.numpy)
    scale, zero_point = affine(tensor)
    low, high = (limit - zero_point for limit in tensor.dtype.limits)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.clip(np.nan_to_num(real / scale, nan=low), low, high)
    whole = np.trunc(scaled)
    rest = scaled - whole
    rounded = whole + (rest >= 0.5) - (rest <= -0.5)
    found: Array = (rounded.astype(np.int64) + zero_point).astype(tensor.dtype.numpy)
    return found
