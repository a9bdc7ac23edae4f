"""Mul: the element-wise product of two tensors that broadcast, with a fused activation."""

from opsmith.op import *
from runtimes.families.binary import activated, by_channel, floats, integers, plain
from runtimes.families.stablehlo import of_pairs

from .quantised import REFERENCE_COST, quantised


def unclamped(node: NodeView) -> Iterator[str]:
    """Problem of an activation, which uint32 cannot have."""
    if node.attributes["activation"] != "NONE":
        yield f"activation {node.attributes['activation']} of uint32 is not supported"


OP = activated(
    "mul",
    Rename("tflite.MUL", versions=range(1, 8)),
    variants=(
        quantised(i8),
        quantised(u8),
        quantised(i16),
        integers(np.multiply, REFERENCE_COST),
        integers(np.multiply, REFERENCE_COST, i64),
        plain(u32, np.multiply, REFERENCE_COST, check=unclamped),
        floats(np.multiply, REFERENCE_COST),
    ),
    hooks=by_channel("factor"),
    also=(of_pairs("MULTIPLY", i32, i64, u32),),
)
