"""Table: any function of bytes, by its value for each element, which the compiler makes."""

from opsmith.op import *
from runtimes.families.lookup import bytes_by
from runtimes.families.unary import unary


def of_bytes(node: NodeView, x: Array) -> Array:
    """Elements of y from the table; without a table, elements of x."""
    values = np.frombuffer(node.attributes["values"], x.dtype)
    return values[x.view(np.uint8)] if values.size else x


def check(node: NodeView) -> Iterator[str]:
    """Problems of a table that has not one value for each element."""
    count = len(node.attributes["values"])
    if count not in (0, 256):
        yield f"values has {count} bytes instead of 256"


def looks_up(node: NodeView, values: Array) -> Mapping[str, bytes]:
    """Table of the given results."""
    return {"values": values.tobytes()}


OP = unary(
    "table",
    Rename("tflite.CUSTOM.OpsmithTable", options=lambda data: {"values": bytes(data)}),
    variants=tuple(bytes_by(of_bytes, dtype, check) for dtype in (i8, u8)),
    attributes=(Attribute("values", bytes, default=b""),),  # by the elements' bits
    hooks=Hooks(looks_up=looks_up),
)
