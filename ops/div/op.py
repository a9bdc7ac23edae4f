"""Div: the element-wise quotient of two tensors that broadcast, with a fused activation.

Integers are cut towards zero. By zero TFLite does not divide but fails; here that gives 0, and a
constant divisor of zero is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runtimes.families.binary import activated, integers
from toolchain.op import Array, NodeView, Rename


def check(node: NodeView) -> Iterator[str]:
    """Divisors that are known to be zero."""
    if node["b"].constant is not None and not np.all(node["b"].data):
        yield "b is 0 in places"


def quotient(a: Array, b: Array) -> Array:
    """As quotient in reference.h: -2^31 / -1 saturates."""
    whole = np.abs(a) // np.where(b == 0, 1, np.abs(b))
    y = np.where(b == 0, 0, whole * np.sign(a) * np.sign(b))
    return np.minimum(y, np.iinfo(np.int32).max)


OP = activated(
    "div",
    Rename("tflite.DIV", versions=range(1, 3)),
    variants=(integers(quotient),),
    check=check,
)
