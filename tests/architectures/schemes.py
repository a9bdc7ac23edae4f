"""Quantisation schemes, and floats in the types of each as converters write them."""

from dataclasses import dataclass

import numpy as np

from opsmith.ir import Array

Bounds = tuple[float, float]
Affine = tuple[float, int]  # scale and zero point


@dataclass(frozen=True)
class Scheme:
    """How a network is quantised: the types of its activations and of its weights."""

    name: str
    activations: str
    weights: str

    @property
    def quantised(self) -> bool:
        """Whether activations are integers."""
        return self.activations != "float32"


INT8 = Scheme("int8", "int8", "int8")
INT16X8 = Scheme("int16x8", "int16", "int8")
UINT8 = Scheme("uint8", "uint8", "uint8")
FLOAT32 = Scheme("float32", "float32", "float32")
DYNAMIC_RANGE = Scheme("dynamic_range", "float32", "int8")


def affine(bounds: Bounds, dtype: str) -> Affine:
    """Scale and zero point of values between two bounds; symmetric for int16."""
    low, high = min(bounds[0], 0.0), max(bounds[1], 0.0)
    if dtype == "int16":
        return max(-low, high) / 32767, 0
    scale = (high - low) / 255
    return scale, round(np.iinfo(dtype).min - low / scale)


def fixed(dtype: str, *, signed: bool) -> Affine:
    """(scale, zero point) that LiteRT demands for values from 0 to 1, or from -1 to 1 if signed."""
    if dtype == "int16":
        return 1 / 32768, 0
    least = int(np.iinfo(dtype).min)
    return (1 / 128, least + 128) if signed else (1 / 256, least)


def per_tensor(floats: Array, dtype: str) -> tuple[Array, Affine]:
    """Floats quantised per tensor, and their scale and zero point."""
    high = float(floats.max()) if floats.any() else 1.0
    scale, zero_point = affine((float(floats.min()), high), dtype)
    limits = np.iinfo(dtype)
    return (
        np.clip(np.round(floats / scale) + zero_point, limits.min, limits.max).astype(dtype),
        (scale, zero_point),
    )


def per_channel(floats: Array, axis: int) -> tuple[Array, list[float]]:
    """Floats quantised to symmetric int8, and a scale for each index of the axis."""
    others = tuple(each for each in range(floats.ndim) if each != axis)
    scales = np.abs(floats).max(others, keepdims=True) / 127
    return np.round(floats / scales).astype(np.int8), scales.ravel().tolist()
