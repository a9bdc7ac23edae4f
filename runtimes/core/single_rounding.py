"""Constants of a rule itself, for kernels that take no thresholds: `Single` and `Rounding`.

`runtimes/core/channel_constants.h` has both. An FPU computes XNNPACK's rule itself: the sum as
float32, times a factor, to the nearest integer, halves to even. That is exact for every factor and
sum, where thresholds are not: products of dyadic scales are often halves, of which each second one
goes up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opsmith.op.kernel import Refused
from runtimes.core.byte_layer import ByteLayer
from runtimes.core.dsp_requantization import (
    DspRequantization,
    Owning,
    Shifts,
    double_requantization,
)
from runtimes.core.rescaling import Singles

_NOT_SINGLE = Refused("sums are not rescaled in single precision")


@dataclass(frozen=True, kw_only=True)
class Singled(Shifts):
    """Params of kernels that round in single precision."""

    single: bool = True


@dataclass(frozen=True, kw_only=True)
class Rounded(Owning):
    """Params of kernels that round twice, or once in channels of large multipliers."""

    own: int = 0  # channels that round once
    rounded: bool = True


def rule_requantization(layer: ByteLayer, params: type) -> DspRequantization | Refused:
    """Constants for params that have the fields of `Singled` or of `Rounded`."""
    single = issubclass(params, Singled)
    return single_requantization(layer) if single else double_requantization(layer)


def single_requantization(layer: ByteLayer) -> DspRequantization | Refused:
    """Constants [channel][3] of a layer of int8, or Refused where its rule is another. A sum wraps
    until its bias is added.
    """
    if not isinstance(layer.rescaling, Singles) or layer.less:
        return _NOT_SINGLE
    bias = layer.folded_bias()[:, 0].astype(np.int32)
    factors = np.broadcast_to(layer.rescaling.factors, layer.channels).astype(np.float32)
    zero_points = np.full(layer.channels, layer.zero_point, np.int32)
    table = np.stack([bias, factors.view(np.int32), zero_points], axis=1)
    return DspRequantization(0, 0, layer.rows, table)
