"""Selections: ops whose y has an element of a where a condition holds, else an element of b."""

from opsmith.op import *
from runtimes.families.axes import merged
from runtimes.families.broadcast import Five, broadcast_shape, broadcast_strides, pad_shape
from runtimes.families.movement import EVERY_TYPE

Shape = tuple[int, ...]
ARGUMENTS = ("p", "in.condition", "in.a", "in.b", "out.y")


@dataclass(frozen=True)
class Selection:
    """Walk through a condition, a and b. A stride of 0 repeats an element along an axis."""

    size: Five  # of y, with leading ones; axes that are walked in one go are one
    condition_stride: Five  # elements
    a_stride: Five
    b_stride: Five


def selection(
    name: str, source: Rename, condition_shape: Callable[[NodeView], Shape], **fields: Any
) -> Op:
    """Op of a selection whose condition, in the shape `condition_shape`, broadcasts with a and b.

    `fields` are further ones of Op, such as traits, and decompose where there may be many axes.
    """

    def infer(node: NodeView) -> Sequence[TensorType]:
        a, b = node["a"], node["b"]
        return [TensorType(a.dtype, broadcast_shape(condition_shape(node), a.shape, b.shape))]

    def axes(node: NodeView) -> list[tuple[int, ...]]:
        y = node["y"].shape
        shapes = (condition_shape(node), node["a"].shape, node["b"].shape)
        strides = (broadcast_strides(shape, y) for shape in shapes)
        return merged(*zip(y, *strides, strict=True)) or [(1, 1, 1, 1)]

    def plan(node: NodeView) -> Plan:
        size, *strides = zip(*axes(node), strict=True)
        params = Selection(pad_shape(size), *(pad_shape(stride, 0) for stride in strides))
        return Plan(params, overlap=partial(elementwise, node))

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        condition, a, b = inputs
        return [np.where(condition.reshape(condition_shape(node)), a, b)]

    kernel = Kernel(
        "reference",
        Selection,
        plan,
        cost=per_element(10.0),
        header="runtimes/families/selection.h",
        function="opsmith::selection::select<T>",
        arguments=ARGUMENTS,
    )
    x = ExampleTensor(f32, (4, 5))
    condition = ExampleTensor(boolean, (4, 5))
    return Op(
        name,
        inputs=(Input("condition", boolean), Input("a", "T"), Input("b", "T")),
        infer=infer,
        evaluate=evaluate,
        legalize=(source,),
        variants=of_types(
            {"T": EVERY_TYPE}, kernel, kind=Kind("selection", "chosen"), untyped=True
        ),
        examples=(Example({"condition": condition, "a": x, "b": x, "y": x}),),
        **fields,
    )
