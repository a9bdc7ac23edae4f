"""Draws an array as a picture of characters."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_SHADES = " .:-=+*#%@"  # black to white on a dark screen, in ASCII that prints anywhere
_WIDEST = 48  # pixels; wider pictures are drawn smaller


def draw(array: Array) -> str:
    """Framed picture of an array, two characters per pixel.

    The array is height x width; a leading axis of one is dropped, and channels are averaged. Grey
    levels span the type of integers, and the actual range of other values.
    """
    grey = _shrunk(_grey(array))
    low, high = _range(array)
    steps = (grey - low) / ((high - low) or 1) * len(_SHADES)
    levels = np.clip(np.nan_to_num(steps), 0, len(_SHADES) - 1).astype(int)
    edge = "+" + "-" * (2 * grey.shape[1]) + "+"
    rows = ("".join(_SHADES[level] * 2 for level in row) for row in levels)
    return "\n".join((edge, *(f"|{row}|" for row in rows), edge))


def _grey(array: Array) -> Array:
    """Grey image of height x width: a vector is one row, channels become their mean."""
    real = array.astype(np.float64)
    if real.ndim > 2 and real.shape[0] == 1:
        real = real[0]
    if real.ndim < 2:
        return real.reshape(1, -1)
    return np.asarray(real.reshape(*real.shape[:2], -1).mean(axis=2))


def _shrunk(grey: Array) -> Array:
    """Picture reduced by means of square blocks until it is no wider than a screen."""
    block = -(-grey.shape[1] // _WIDEST)
    rows = [grey[at : at + block].mean(axis=0) for at in range(0, len(grey), block)]
    tall = np.stack(rows)
    columns = range(0, tall.shape[1], block)
    return np.stack([tall[:, at : at + block].mean(axis=1) for at in columns], axis=1)


def _range(array: Array) -> tuple[float, float]:
    if np.issubdtype(array.dtype, np.integer):
        limits = np.iinfo(array.dtype)
        return float(limits.min), float(limits.max)
    real = array.astype(np.float64)
    return float(real.min()), float(real.max())
