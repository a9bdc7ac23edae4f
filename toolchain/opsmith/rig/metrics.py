"""Error metrics of an output against its reference, under the names of ST Edge AI's `validate`."""

import math
from typing import Any

import numpy as np

from opsmith.rig.arrays import Array
from opsmith.rig.build import PortTensor

Metrics = dict[str, float | None]
NAMES = ("acc", "rmse", "mae", "l2r", "nse", "cos")


def metrics(tensor: PortTensor, output: Array, reference: Array) -> Metrics:
    """Metrics of the real values of an output; None where one is undefined.

    For outputs that are one vector, `acc` is 1 where output and reference have their highest value
    at one index.
    """
    ours, theirs = real_values(tensor, output), real_values(tensor, reference)
    if ours.shape != theirs.shape or not ours.size:
        return dict.fromkeys(NAMES)
    with np.errstate(all="ignore"):  # for infinite values
        error, spread = ours - theirs, theirs - theirs.mean()
        found = {
            "acc": float(ours.argmax() == theirs.argmax()) if is_vector(tensor) else None,
            "rmse": float(np.sqrt(np.mean(error**2))),
            "mae": float(np.mean(np.abs(error))),
            "l2r": _ratio(np.linalg.norm(error), np.linalg.norm(theirs)),
            "nse": _complement(_ratio(np.sum(error**2), np.sum(spread**2))),
            "cos": _ratio(np.dot(ours, theirs), np.linalg.norm(ours) * np.linalg.norm(theirs)),
        }
    return {name: value if _finite(value) else None for name, value in found.items()}


def real_values(tensor: PortTensor, values: Array) -> Array:
    """Values as one vector, dequantised where the tensor has a scale."""
    real = values.reshape(-1).astype(np.float64)
    return real if tensor.scale is None else (real - (tensor.zero_point or 0)) * tensor.scale


def is_vector(tensor: PortTensor) -> bool:
    """True if an output is one vector, such as of probabilities."""
    return 1 < math.prod(tensor.shape) == tensor.shape[-1]


def _ratio(value: np.floating[Any], of: np.floating[Any]) -> float | None:
    return float(value / of) if of else None


def _complement(value: float | None) -> float | None:
    return None if value is None else 1.0 - value


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
