"""ReduceProd: the product along any axes."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.notebook import OPTIMISED
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.families.reduction import (
    Axes,
    Folding,
    axes,
    elements_of,
    nothing_problems,
    reduced_elements,
    reduction,
)

SHIFTS = range(-31, 8)  # to the left, that LiteRT's multiplication of 64 bits takes


@dataclass(frozen=True)
class ProductAxes(Axes):
    """Axes of a reduction, and scalings of a product after every element and at the end."""

    x_zero_point: int
    y_zero_point: int
    multiplier: int  # Q15, of x.scale / y.scale^(1 / elements of a product)
    shift: int  # to the right


def _multiplier(node: NodeView) -> tuple[int, int]:
    """(Q31 multiplier, left shift) after each element."""
    root = node["y"].scale ** (1 / reduced_elements(node))
    return quantize_multiplier(node["x"].scale / root)


def params(node: NodeView) -> ProductAxes:
    """Axes and scaling of a node."""
    multiplier, shift = _multiplier(node)
    return ProductAxes(
        **vars(axes(node)),
        x_zero_point=node["x"].zero_point,
        y_zero_point=node["y"].zero_point,
        multiplier=min((multiplier + (1 << 15)) >> 16, (1 << 15) - 1),
        shift=15 - shift,
    )


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic cannot take."""
    problems = [*per_tensor_problems(node, "x", "y"), *nothing_problems(node)]
    yield from problems
    if problems:
        return
    if node["x"].dtype == i16:
        yield from symmetric_problems(node, "x", "y")
    if _multiplier(node)[1] not in SHIFTS:
        yield "x.scale / y.scale^(1 / elements of a product) must be below 128"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Products in numpy, which wrap at 32 bits."""
    p, y = params(node), node["y"]

    def scaled(products: Array) -> Array:
        found: Array = (products * p.multiplier + (1 << (p.shift - 1))) >> p.shift
        return found.astype(np.int32).astype(np.int64)

    first, *others = elements_of(node, inputs[0]).astype(np.int64).T - p.x_zero_point
    product = first
    for element in others:
        product = scaled(product * element)
    total = (scaled(product) + p.y_zero_point).astype(np.int32)
    return [np.clip(total, *y.dtype.limits).astype(y.dtype.numpy).reshape(y.shape)]


QUANTISED = of_types(
    {"T": (i8, i16)},
    reference(params),
    check=check,
    evaluate=evaluate,
    numerics=OPTIMISED,
    examples=(Example.of(x=(2, 3, 4), axis=[1]),),
)
MULTIPLYING = Folding(np.multiply, lambda _: 1, "wrapping_product")
OP = reduction(
    "reduce_prod",
    Rename("tflite.REDUCE_PROD", versions=range(1, 3)),
    (*QUANTISED, *map(MULTIPLYING.variant, (i32, i64, f32))),
    traits={"from_nothing"},
)
