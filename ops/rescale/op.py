"""Rescale: bytes at another quantisation, as a CONCATENATION of uint8 takes in its tensors.

QUANTIZE rounds in fixed point, and may give other bytes.
"""

from opsmith.op import *
from runtimes.families.lookup import bytes_by
from runtimes.families.rescaled_bytes import rescaled_bytes, rescaling_problems
from runtimes.families.unary import unary


def of_bytes(node: NodeView, x: Array) -> Array:
    """Elements converted to the quantisation of y, in numpy."""
    return rescaled_bytes(x, node["x"], node["y"])


def check(node: NodeView) -> Iterator[str]:
    """Problems of scales whose rescaling LiteRT leaves undefined."""
    return rescaling_problems(node["x"], node["y"])


OP = unary(
    "rescale", Rename("tflite.CUSTOM.OpsmithRescale"), variants=(bytes_by(of_bytes, u8, check),)
)
