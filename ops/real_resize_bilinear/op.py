"""Real resize bilinear: an image of int8 in another size as ONNX's linear Resize, rounded once.

Places are exact fractions of pixels; halves go to even before the zero point.
"""

from opsmith.op import *
from opsmith.op.even import even_quotients
from opsmith.op.linear_places import MOST_PARTS, PLACES, ExactPlaces, linear_places
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.blocks import KEPT
from runtimes.families.resize import INPUTS, shape, sizes


@dataclass(frozen=True)
class Params:
    """Sizes in pixels and channels, the zero point, and parts of a pixel along each axis."""

    batches: int
    x_size: tuple[int, int]  # height and width
    y_size: tuple[int, int]
    channels: int
    zero_point: int
    one_down: int
    one_across: int


@dataclass(frozen=True)
class LinearPlace:
    """Place in x of a row or a column of y: between two, some parts beyond the first."""

    low: Annotated[int, i16]
    high: Annotated[int, i16]
    beyond: Annotated[int, i16]


@dataclass(frozen=True)
class Tables:
    """Places in x of the rows and columns of y."""

    rows: tuple[LinearPlace, ...]
    columns: tuple[LinearPlace, ...]


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x with the new height and width."""
    return [TensorType(i8, shape(node))]


def check(node: NodeView) -> Iterator[str]:
    """Problems of y's quantisation, which must be x's, and of the number of parts."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems and node["x"].quantization != node["y"].quantization:
        yield "x and y must have the same quantisation"
    rows, columns = places(node)
    if rows.one * columns.one > MOST_PARTS:
        yield f"a pixel has {rows.one} x {columns.one} parts, more than {MOST_PARTS}"


def places(node: NodeView) -> tuple[ExactPlaces, ExactPlaces]:
    """Places in x of y's rows, and of its columns."""
    rows, columns = (linear_places(node.attributes["places"], *each) for each in sizes(node))
    return rows, columns


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Interpolated image in numpy, exact until it is rounded."""
    rows, columns = places(node)
    point = node["x"].zero_point
    x = inputs[0].astype(np.int64) - point
    down, right = rows.beyond[:, None, None], columns.beyond[:, None]
    lines = x[:, rows.low] * (rows.one - down) + x[:, rows.high] * down
    left = lines[:, :, columns.low] * (columns.one - right)
    sums: Array = left + lines[:, :, columns.high] * right
    return [(even_quotients(sums, rows.one * columns.one) + point).astype(np.int8)]


def plan(node: NodeView) -> Plan:
    """Plan with sizes, and tables of places."""
    rows, columns = places(node)
    batches, height, width, channels = node["x"].shape
    y_size = node["y"].shape[1], node["y"].shape[2]
    point, ones = node["x"].zero_point, (rows.one, columns.one)
    params = Params(batches, (height, width), y_size, channels, point, *ones)
    return Plan(params, partial(_tables, rows, columns))


def _tables(*both: ExactPlaces) -> Tables:
    return Tables(
        *(
            tuple(
                LinearPlace(*map(int, each)) for each in zip(p.low, p.high, p.beyond, strict=True)
            )
            for p in both
        )
    )


def odd_parts(node: NodeView) -> str:
    """Reason why no shift rounds the sums, or ""."""
    rows, columns = places(node)
    one = rows.one * columns.one
    return (
        ""
        if one > 1 and one & (one - 1) == 0
        else f"{one} parts of a pixel are no power of two above 1"
    )


SHIFTED = refusing(plan, odd_parts)
OP = Op(
    "real_resize_bilinear",
    legalize=(Rename("tflite.CUSTOM.OpsmithResizeLinear", options=flexbuffer),),
    inputs=INPUTS,
    attributes=(Attribute("places", str, choices=PLACES),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=(
        Variant(
            {"T": i8},
            (
                Kernel(
                    "shifted", Params, SHIFTED, Tables, numerics=ANY_RULE, cost=per_element(20.0)
                ),
                Kernel(
                    "reference", Params, plan, Tables, numerics=ANY_RULE, cost=per_element(31.0)
                ),
            ),
            numerics=dict.fromkeys(OTHER_RULES, lambda node: ""),
        ),
    ),
    hooks=Hooks(channels=KEPT),  # weights are 0 to 1
    examples=tuple(
        Example.of({"places": "half_pixel"}, x=(1, 2, 3, 4), size=list(size), y=(1, *size, 4))
        for size in ((4, 6), (5, 7))
    ),
)
