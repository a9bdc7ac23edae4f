"""PReLU: negative elements of a times b, which broadcasts to a."""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.binary import binary, example, zero_points
from runtimes.families.broadcast import Pairs, pairs


@dataclass(frozen=True)
class Params(Pairs):
    """Walk through quantised pairs, and Q31 multipliers to y of a and of products."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    multiplier: int
    shift: int
    product_multiplier: int
    product_shift: int


def check(node: NodeView) -> Iterator[str]:
    """Problem of a b that is larger than a, so that y's shape is not a's."""
    a, y = node["a"].shape, node["y"].shape
    if a != y:
        yield f"b {node['b'].type} is larger than a {node['a'].type}"


def quantised(node: NodeView) -> Iterator[str]:
    """Problems of the quantisations of a, b and y."""
    return per_tensor_problems(node, "a", "b", "y")


def params(node: NodeView) -> Params:
    """Params of an integer node."""
    a, b, y = (np.float32(node[name].scale) for name in "aby")
    with np.errstate(over="ignore"):
        ratios = float(a / y), float(a * b / y)
    multiplier, shift = quantize_multiplier(ratios[0], wraps=True)
    product_multiplier, product_shift = quantize_multiplier(ratios[1], wraps=True)
    return Params(
        **vars(pairs(node)),
        **zero_points(node),
        multiplier=multiplier,
        shift=shift,
        product_multiplier=product_multiplier,
        product_shift=product_shift,
    )


def of_integers(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """PReLU of int8, uint8 and int16, in numpy."""
    p = params(node)
    a, b = (each.astype(np.int64) for each in inputs)
    a, b = a - p.a_zero_point, b - p.b_zero_point
    product = multiply_by_quantized_multiplier(a * b, p.product_multiplier, p.product_shift)
    found = np.where(a < 0, product, multiply_by_quantized_multiplier(a, p.multiplier, p.shift))
    dtype = node["y"].dtype
    return [np.clip(found + p.y_zero_point, *dtype.limits).astype(dtype.numpy)]


def of_floats(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """PReLU of float32, in numpy."""
    a, b = inputs
    with np.errstate(over="ignore", invalid="ignore"):
        return [np.where(a >= 0, a, a * b)]


CODE = Code(instance=150, general=230, slowdown=3.7)
REFERENCE = reference(params, cost=per_element(20.0), code=CODE)
OF_FLOATS = reference(pairs, cost=per_element(12.0))


def variant(dtype: DType, of_b: DType, zero_points: tuple[int, int]) -> Variant:
    """Variant for integers."""
    a = ExampleTensor(dtype, (4, 5), 0.05, zero_points[0])
    b = ExampleTensor(of_b, (5,), 0.03, zero_points[1])
    return Variant(
        {"T": dtype, "B": of_b},
        (REFERENCE,),
        check=quantised,
        evaluate=of_integers,
        numerics=unlike_tflm(),
        examples=(Example.of(a=a, b=b, y=a),),
    )


OP = binary(
    "prelu",
    Rename("tflite.PRELU", versions=range(1, 3)),
    variants=(
        variant(i8, i8, (3, 7)),
        variant(u8, u8, (3, 7)),
        variant(i16, i8, (0, 0)),
        Variant({"T": f32, "B": f32}, (OF_FLOATS,), evaluate=of_floats, examples=(example(f32),)),
    ),
    check=check,
    b="B",
)
