"""Per-channel requantisation and bias (TFLite: PopulateConvolutionQuantizationParams)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toolchain.op.arithmetic import quantize_multiplier
from toolchain.op.view import NodeView


def channel_scales(node: NodeView, channels: int) -> NDArray[np.float64]:
    """The filter's scale of each output channel: one entry is spread over all."""
    quantization = node["filter"].quantization
    assert quantization is not None
    return np.broadcast_to(np.array(quantization.scales, np.float64), (channels,))


def channel_multipliers(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """(multiplier, shift) of each output channel: x.scale * filter.scale / y.scale."""
    channels = node["y"].shape[-1]
    ratios = node["x"].scale * channel_scales(node, channels) / node["y"].scale
    return _multipliers(ratios.tobytes())


@lru_cache(maxsize=256)
def _multipliers(ratios: bytes) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    pairs = [quantize_multiplier(ratio) for ratio in np.frombuffer(ratios).tolist()]
    found = np.array([m for m, _ in pairs], np.int32), np.array([s for _, s in pairs], np.int8)
    for each in found:
        each.setflags(write=False)  # they serve all that ask
    return found


def bias_table(node: NodeView, channels: int) -> NDArray[np.int32]:
    """The bias of each output channel; zeros where the node has none."""
    bias = node.get("bias")
    return np.zeros(channels, np.int32) if bias is None else bias.data.reshape(channels)


def per_channel_problems(node: NodeView, channels: int, axis: int) -> Iterator[str]:
    """Sentences about a quantisation that a per-channel convolution cannot have."""
    problems = list(_quantization_problems(node, channels, axis))
    yield from problems
    if not problems:
        channel_multipliers(node)  # raises OpError where a ratio of scales has no multiplier


def _quantization_problems(node: NodeView, channels: int, axis: int) -> Iterator[str]:
    for name in ("x", "y"):
        quantization = node[name].quantization
        if quantization is None or quantization.per_channel:
            yield f"{name} must be quantised per tensor"
    quantization, bias = node["filter"].quantization, node.get("bias")
    if quantization is None or len(quantization.scales) not in (1, channels):
        yield f"filter must have 1 or {channels} scales"
    elif quantization.per_channel and quantization.axis != axis:
        yield f"filter must be quantised along axis {axis}"
    elif any(quantization.zero_points):
        yield "filter must have zero points 0"
    if bias is not None and bias.elements != channels:
        yield f"bias has {bias.elements} elements instead of {channels}"
