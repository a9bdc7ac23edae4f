"""Fill: a tensor of a shape that is known at build time, with every element this value."""

from opsmith.op import *
from runtimes.families.movement import EVERY_TYPE, numbers, quantised_as


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, with the sizes that `dims` lists."""
    sizes = tuple(node["dims"].data.tolist())
    if min(sizes, default=0) < 0:
        raise OpError(f"dims are {list(sizes)}; sizes must not be negative")
    return [TensorType(node["value"].dtype, sizes)]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Filled tensor, in numpy."""
    return [np.full(node["y"].shape, inputs[-1])]


KERNEL = reference(by_name(Elements, elements=lambda node: node["y"].elements))
OP = Op(
    "fill",
    inputs=(numbers("dims", rank=1, shape_of="y"), Input("value", "T", rank=0)),
    infer=infer,
    variants=of_types({"T": EVERY_TYPE}, KERNEL, examples=(Example.of(dims=[3, 4], value=()),)),
    legalize=(Rename("tflite.FILL", versions=range(1, 6)),),
    check=quantised_as("y", "value"),
    evaluate=evaluate,
)
