"""Table: any function of int8 elements, by the value of each that a front end computes."""

from opsmith.op import *
from opsmith.runtimes.families.lookup import bytes_by
from opsmith.runtimes.families.unary import unary


def of_bytes(node: NodeView, x: Array) -> Array:
    """Elements of y from the table; without a table, elements of x."""
    values = np.frombuffer(node.attributes["values"], np.int8)
    return values[x.view(np.uint8)] if values.size else x


def check(node: NodeView) -> Iterator[str]:
    """Problems of a table that has not one value for each element."""
    count = len(node.attributes["values"])
    if count not in (0, 256):
        yield f"values has {count} bytes instead of 256"


OP = unary(
    "table",
    Rename("tflite.CUSTOM.OpsmithTable", options=lambda data: {"values": bytes(data)}),
    variants=(bytes_by(of_bytes, i8, check),),
    attributes=(Attribute("values", bytes, default=b""),),  # of elements 0 to 127, -128 to -1
)
