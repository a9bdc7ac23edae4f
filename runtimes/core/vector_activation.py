"""Fused activations of vectors of floats: vector_activation.h in numpy."""

import numpy as np
from numpy.typing import NDArray

from opsmith.op.clamp import ACTIVATIONS

Floats = NDArray[np.float32]

NUMBERS = {name: number for number, name in enumerate(ACTIVATIONS)}  # as enum VectorActivation
ENDS = {"RELU": (0, np.inf), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}


def activated(activation: str, x: Floats) -> Floats:
    """x clamped by an activation; NaN becomes the lower bound, -0 becomes 0. NONE does nothing."""
    if activation == "NONE":
        return x
    low, high = (np.float32(end) for end in ENDS[activation])
    above = np.where(x > low, x, low)
    return np.where(above < high, above, high)
