"""Operators of StableHLO that ops of two tensors take."""

from __future__ import annotations

from opsmith.ir import DType
from opsmith.op import NodeView, Rename


def of_pairs(operator: str, *types: DType, turned: bool = False) -> Rename:
    """StableHLO's operator of a and b, which have one shape and one of these types; b comes first
    where it is `turned`.
    """

    def fits(node: NodeView) -> bool:
        return node["a"].dtype in types and node["a"].shape == node["b"].shape

    inputs = (1, 0) if turned else None
    return Rename(f"tflite.STABLEHLO_{operator}", inputs=inputs, when=fits)
