"""ResizeBilinear of int8 by packed.h: two channels in a word, for scales such as two and four."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opsmith.op import Kernel, KernelsFor, NodeView, Plan, Refused, i8
from opsmith.op.cost import per_element
from opsmith.runtimes.families.resize import sizes

from .op import Params, params
from .places import UNIT, integer_places

MOST_BITS = 8  # of the sum of a pixel's weights: bytes times it fit 16 bits


@dataclass(frozen=True)
class PackedParams(Params):
    """The sizes and scales, and what weights of a pixel add up to."""

    bits: int  # its logarithm to the base of two


def plan(node: NodeView) -> Plan | Refused:
    """Where weights have common factors so large that few bits are left of them."""
    bits = sum(map(_bits, (integer_places(node, *each).beyond for each in sizes(node))))
    if bits > MOST_BITS:
        return Refused(f"weights of a pixel have {bits} bits, more than {MOST_BITS}")
    return Plan(PackedParams(**vars(params(node)), bits=max(bits, 1)))


def _bits(beyond: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> int:
    """Bits of weights along an axis, in units of their greatest common divisor."""
    return int(np.log2(UNIT // int(np.gcd.reduce(np.append(beyond, UNIT)))))


PACKED = Kernel("packed", PackedParams, plan, cost=per_element(11.5))
KERNELS = (KernelsFor({"T": i8}, (PACKED,)),)
