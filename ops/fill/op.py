"""Fill: a tensor of a shape that is known at build time, with every element this value."""

from opsmith.op import *
from opsmith.runtimes.families.movement import EVERY_TYPE


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, with the sizes that `dims` lists."""
    dims, value = node["dims"], node["value"]
    if len(dims.shape) != 1:
        raise OpError(f"dims {dims.type} must have one dimension")
    if value.shape:
        raise OpError(f"value {value.type} must be one number")
    sizes = tuple(dims.data.tolist())
    if min(sizes, default=0) < 0:
        raise OpError(f"dims are {list(sizes)}; sizes must not be negative")
    return [TensorType(value.dtype, sizes)]


def check(node: NodeView) -> Iterator[str]:
    """Problem of quantisations that differ: the value is copied without conversion."""
    if node["value"].quantization != node["y"].quantization:
        yield "value and y must have the same quantisation"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Filled tensor, in numpy."""
    return [np.full(node["y"].shape, inputs[-1])]


OP = Op(
    "fill",
    inputs=(Input("dims", i32, constant=True, shape_of="y"), Input("value", "T")),
    infer=infer,
    variants=of_types(
        {"T": EVERY_TYPE},
        reference(by_name(Elements, elements=lambda node: node["y"].elements)),
        examples=(Example.of(dims=[3, 4], value=()),),
    ),
    legalize=(Rename("tflite.FILL", versions=range(1, 6)),),
    check=check,
    evaluate=evaluate,
)
