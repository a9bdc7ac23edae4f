"""Ops whose output is one value everywhere except at regular places, which have elements of x."""

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.movement import EVERY_TYPE
from runtimes.families.walk import Eight, padded


@dataclass(frozen=True)
class SpreadAxis:
    """Positions of x along an axis of y."""

    size: int  # of y
    count: int  # positions of x, from `start` on; where an axis has none, y has nothing of x
    start: int = 0
    first: int = 0  # the position of y that the first of them goes to
    step: int = 1  # positions of y from one of them to the next


@dataclass(frozen=True)
class SpreadParams:
    """Params of a spread: sizes and steps in x and y, with leading axes of one position."""

    elements: int  # of y
    size: Eight  # of what y has of x
    x_first: int  # element of x
    x_step: Eight  # elements of x from one that y has to the next
    y_first: int  # element of y
    y_step: Eight  # elements of y from one of x to the next


def spread(
    name: str,
    source: Rename,
    along: Callable[[NodeView], Sequence[SpreadAxis]],
    value: str,
    **fields: Any,
) -> Op:
    """Op whose y has elements of x at the places `along` each axis, and elsewhere the input
    `value`.

    `fields` are further ones of Op, except outputs, infer, evaluate, variants and legalize.
    """

    def infer(node: NodeView) -> Sequence[TensorType]:
        if node[value].elements != 1:
            raise OpError(f"{value} {node[value].type} must be one element")
        return [TensorType(node["x"].dtype, tuple(axis.size for axis in along(node)))]

    def params(node: NodeView) -> SpreadParams:
        axes, x, y = along(node), strides(node["x"].shape), strides(node["y"].shape)
        return SpreadParams(
            node["y"].elements,
            padded([axis.count for axis in axes]),
            sum(axis.start * step for axis, step in zip(axes, x, strict=True)),
            padded(x),
            sum(axis.first * step for axis, step in zip(axes, y, strict=True)),
            padded([axis.step * step for axis, step in zip(axes, y, strict=True)]),
        )

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [spread_out(along(node), inputs[0], inputs[-1])]

    def cost(node: NodeView) -> float:
        """Instructions: to fill y, bytes several at a time, and to copy elements of x."""
        each = 0.7 if node["x"].dtype.size == 1 else 3.3
        return each * node["y"].elements + 3.9 * math.prod(axis.count for axis in along(node))

    kernel = Kernel(
        "reference",
        SpreadParams,
        every_node(params),
        header="runtimes/families/spread.h",
        function="opsmith::spread::spread<T>",
        arguments=("p", "in.x", f"in.{value}", "out.y"),
        cost=cost,
    )
    return Op(
        name,
        legalize=(source,),
        infer=infer,
        evaluate=evaluate,
        variants=of_types({"T": EVERY_TYPE}, kernel, untyped=True),
        **fields,
    )


def spread_out(axes: Sequence[SpreadAxis], x: Array, value: Array) -> Array:
    """Elements of x at the places `axes`, and `value` elsewhere, in numpy."""
    y = np.full([axis.size for axis in axes], value.reshape(-1)[0])
    if all(axis.count for axis in axes):
        to = tuple(slice(axis.first, None, axis.step) for axis in axes)
        of = tuple(slice(axis.start, axis.start + axis.count) for axis in axes)
        y[to][tuple(slice(0, axis.count) for axis in axes)] = x[of]
    return y
