"""Cumsum: along an axis, the sums of all elements up to each, or after it.

Sums of int8 are TensorFlow Lite Micro's.
"""

from opsmith.op import *
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.argument import AxisSplit, along
from runtimes.families.axes import given_axis
from runtimes.families.byte_sums import ByteSums, byte_sums, ratio_problems, rescaled


@dataclass(frozen=True)
class SumsAlong(AxisSplit):
    """Sizes along the axis, and directions: reverse, and exclusive of the element itself."""

    exclusive: bool  # without the element itself
    backward: bool  # those after it, rather than before it


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, which is x's."""
    given_axis(node)
    return [node["x"].type]


def params(node: NodeView) -> SumsAlong:
    """Sizes and directions of a node."""
    a = node.attributes
    return SumsAlong(**vars(along(node)), exclusive=a["exclusive"], backward=a["reverse"])


@dataclass(frozen=True, kw_only=True)
class ByteSumsAlong(SumsAlong, ByteSums):
    """Sizes and directions of int8 rows, and requantisation of their sums."""


def byte_params(node: NodeView) -> ByteSumsAlong:
    """Params of an int8 node."""
    return ByteSumsAlong(**vars(params(node)), **vars(byte_sums(node["x"], node["y"])))


def byte_problems(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that sums of int8 cannot have."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems:
        yield from ratio_problems(node["x"], node["y"])


def of_bytes(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Cumulative sums of int8, in numpy."""
    lifted = inputs[0].astype(np.int32) - node["x"].zero_point
    return [rescaled(byte_params(node), evaluate(node, [lifted])[0])]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Cumulative sums in numpy, from 0, element by element."""
    p, axis = params(node), given_axis(node)
    x = np.flip(inputs[0], axis) if p.backward else inputs[0]
    zero = np.zeros_like(np.take(x, [0], axis))
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.add.accumulate(np.concatenate([zero, x], axis), axis, dtype=x.dtype)
    kept = np.arange(p.depth) + (0 if p.exclusive else 1)
    y = np.take(sums, kept, axis)
    return [np.flip(y, axis) if p.backward else y]


OVERLAP = {"x": Distance(in_place=True)}  # an element is read before its place is written
EXAMPLES = (Example.of(x=(2, 3, 4), axis=1),)
OF_BYTES = Variant(
    {"T": i8},
    (reference(byte_params, overlap=OVERLAP),),
    departs=no_kernel("int8"),
    check=byte_problems,
    evaluate=of_bytes,
    examples=EXAMPLES,
)
OP = Op(
    "cumsum",
    inputs=(Input("x", "T"), Input("axis", i32, constant=True)),
    infer=infer,
    variants=(
        *of_types({"T": (i32, i64, f32)}, reference(params, overlap=OVERLAP), examples=EXAMPLES),
        OF_BYTES,
    ),
    legalize=(Rename("tflite.CUMSUM"),),
    attributes=(
        Attribute("exclusive", bool, default=False),
        Attribute("reverse", bool, default=False),
    ),
    evaluate=evaluate,
)
