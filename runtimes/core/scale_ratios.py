"""Factors from sums of products to elements, x.scale * weights.scale / y.scale, by each TFLite
rule.

TFLite's kernels disagree about the precision of the product; the quotient is of doubles.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Ratios = NDArray[np.float64]  # of each channel, or one for all
Rule = Callable[[float, Sequence[float], float], Ratios]  # of the scales of x, weights and y


def double_product(x: float, weights: Sequence[float], y: float) -> Ratios:
    """Ratios x * weights / y, the product a double (PopulateConvolutionQuantizationParams)."""
    return x * np.array(weights, np.float64) / y


def single_ratio(x: float, weights: Sequence[float], y: float) -> NDArray[np.float32]:
    """Ratios x * weights / y with product and quotient rounded to single precision (XNNPACK)."""
    with np.errstate(over="ignore", under="ignore"):
        return np.float32(x) * np.array(weights, np.float32) / np.float32(y)


def single_product(x: float, weights: Sequence[float], y: float) -> Ratios:
    """Ratios x * weights / y, the product a float (GetQuantizedConvolutionMultipler)."""
    with np.errstate(over="ignore", under="ignore"):
        product = np.float32(x) * np.array(weights, np.float32)
    return product.astype(np.float64) / y
