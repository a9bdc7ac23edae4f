"""The kernel of convolutions of float32: reference.h in the folder of the op's variant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import bias_of
from runtimes.families.convolution import CONVOLUTION, FilterGeometry, pixel_overlap
from runtimes.families.layer import RealClamped
from toolchain.op.kernel import Kernel, every_node
from toolchain.op.view import NodeView


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, FilterGeometry):
    """The geometry and bounds of a convolution of float32."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Constants: the filter as the model has it, and a bias per output channel."""

    filter: NDArray[np.float32]
    bias: NDArray[np.float32]


def tables(node: NodeView) -> Tables:
    """The constants of a node."""
    return Tables(node["filter"].data, bias_of(node))


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(partial(CONVOLUTION.params, Params), tables, pixel_overlap),
    Tables,
)
