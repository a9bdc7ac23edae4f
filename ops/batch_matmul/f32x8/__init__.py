"""BatchMatMul of float32 by constant int8: each row of a is quantised at run time.

One matrix b whose sums float32 has exactly makes it a fully connected layer, which has kernels.
"""

from opsmith.op import *
from runtimes.core.dynamic_range import by_range
from runtimes.core.notebook import OPTIMISED
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.families.dynamic_range import NO_RANGE

from ..operands import depth, macs
from ..products import matrices
from ..sums import DotProducts, sums

DEEPEST = 2048  # of int8 on x86-64, LiteRT sums deeper columns in 16 bits that may wrap
EXACT = 1 << 24  # largest magnitude of integers that float32 has without gaps


@dataclass(frozen=True, kw_only=True)
class Params(DotProducts):
    """Walk through matrices, and quantisation of b."""

    b_scale: float  # a float32


def check(node: NodeView) -> Iterator[str]:
    """Reasons why LiteRT does not compute a node, or not always with equal results."""
    if node["b"].constant is None:
        yield "b must be a constant, where a is float32 and b int8"
    yield from (problems := list(per_tensor_problems(node, "b")))
    if not problems:
        yield from zero_problems(node, "b")
    if not node.attributes["asymmetric_quantize_inputs"]:
        yield "asymmetric_quantize_inputs must be set, where a is float32 and b int8"
    if depth(node) > DEEPEST:
        yield f"rows of a have {depth(node)} elements, where {DEEPEST} are the most"
    for name in "ab":  # of several, LiteRT mixes up the scales and the sums
        if sum(size > 1 for size in node[name].shape[:-2]) > 1:
            yield f"{name} {node[name].type} must have one axis of batches"


def is_layer(node: NodeView) -> bool:
    """True for rows of a by one matrix, where float32 subtracts zero points as integers do."""
    a, b = node["a"], node["b"]
    if (a.dtype, b.dtype) != (f32, i8) or node.attributes["adj_x"]:
        return False
    one = math.prod(b.shape[:-2]) == 1 and len(b.shape) <= len(a.shape)
    return one and int(np.abs(columns(node).astype(np.int64)).sum(0).max(initial=0)) << 7 <= EXACT


def columns(node: NodeView) -> Array:
    """The only matrix of b, in the orientation of the product."""
    b = node["b"].data.reshape(node["b"].shape[-2:])
    return b.T if node.attributes["adj_y"] else b


def as_layer(node: NodeView, builder: GraphBuilder) -> None:
    """Add a fully connected layer whose weights are the columns of b."""
    weights = np.ascontiguousarray(columns(node).T)
    b = builder.tensor("weights", i8, weights.shape, node["b"].quantization, weights)
    options = {"keep_num_dims": True, "asymmetric_quantize_inputs": True}
    builder.node("fully_connected", [node["a"], b, None], [node["y"]], **options)


def params_of(node: NodeView) -> Params:
    """Params of a node."""
    return Params(**vars(sums(node)), b_scale=float(np.float32(node["b"].scale)))


def plan(node: NodeView) -> Plan:
    """Plan with scratch for a row of a, which is quantised when its first element of y is due."""
    params = params_of(node)
    return Plan(params, scratch={"row": params.depth, "quantised": params.depth})


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; the zero points of a are subtracted from sums in single precision."""
    a, b = matrices(node, *inputs)
    flat = a.reshape(math.prod(a.shape[:-1]), a.shape[-1])  # -1 is ambiguous where a is empty
    rows, zero_points, scales = (
        each.reshape(*a.shape[:-1], each.shape[-1]) for each in by_range(flat)
    )
    columns = b.astype(np.int64)
    offsets = columns.sum(-2, keepdims=True).astype(np.float32) * zero_points.astype(np.float32)
    lifted = np.trunc(np.matmul(rows, columns).astype(np.float32) - offsets)
    with np.errstate(over="ignore", invalid="ignore"):
        return [np.float32(0) + scales * np.float32(node["b"].scale) * lifted]


F32X8 = Variant(
    {"A": f32, "B": i8, "Y": f32},
    (
        Kernel(
            "reference",
            Params,
            plan,
            scratch={"row": f32, "quantised": i8},
            cost=instructions(macs, 10.0, 20.0),
        ),
    ),
    folder="f32x8",
    departs=NO_RANGE,
    check=check,
    evaluate=evaluate,
    numerics=OPTIMISED,
    examples=(
        Example.of(
            {"asymmetric_quantize_inputs": True},
            a=(2, 3, 7),
            b=ExampleTensor(i8, (7, 5), scale=0.05, data=np.arange(35)),
        ),
    ),
)
