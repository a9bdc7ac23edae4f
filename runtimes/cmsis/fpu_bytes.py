"""Scales with which fpu_bytes.h gives the nearest byte to each float."""

from opsmith.op import NodeView

SCALES = 2.0**-100, 2.0**100  # whose reciprocals are exact to 2^-24


def scale_problem(node: NodeView) -> str:
    """Reason against a scale of y whose reciprocal's products are far from quotients, or ""."""
    least, most = SCALES
    scale = node["y"].scale
    return "" if least < scale < most else f"y.scale {scale:.6g} is not from 2^-100 to 2^100"
