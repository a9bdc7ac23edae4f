"""Scales with which fpu_bytes.h finds the bytes nearest to floats."""

from opsmith.op import NodeView

SCALES = 2.0**-100, 2.0**100  # whose reciprocals are exact to 2^-24


def scale_problem(node: NodeView) -> str:
    """Reason why products with the reciprocal of y's scale may be farther from quotients."""
    least, most = SCALES
    scale = node["y"].scale
    return "" if least < scale < most else f"y.scale {scale:.6g} is not from 2^-100 to 2^100"
