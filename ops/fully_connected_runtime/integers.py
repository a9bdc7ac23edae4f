"""FullyConnected of int8 and uint8 with computed weights."""

from opsmith.op import *
from runtimes.core.accumulator import LIMIT
from runtimes.core.notebook import OPTIMISED
from runtimes.core.tflm import unlike_tflm
from runtimes.families.layer import Quantized, weights_zero_point
from runtimes.families.matmul import MATMUL, Sizes, operand_problems, scales


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, Sizes):
    """Sizes, zero points, and bounds of y."""

    weights_zero_point: int
    per_channel: bool


@dataclass(frozen=True)
class Tables:
    """Scale from a sum to an element of y."""

    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def of_bytes(t: DType) -> Variant:
    """Variant of int8 or uint8."""
    shapes = {"x": (1, 12), "weights": (5, 12), "y": (1, 5)}
    tensors = {name: ExampleTensor(t, shape, scale=0.1) for name, shape in shapes.items()}
    tensors["bias"] = ExampleTensor(i32, (5,), scale=0.01)
    plan = every_node(partial(MATMUL.params, Params), partial(MATMUL.params, Tables))
    return Variant(
        {"T": t, "B": i32},
        (Kernel("reference", Params, plan, Tables, cost=MATMUL.cost(6.8, 170.0)),),
        check=integer_problems,
        evaluate=integers,
        numerics={**OPTIMISED, **unlike_tflm()},
        examples=(Example(tensors),),
    )


def integer_problems(node: NodeView) -> Iterator[str]:
    """Problems of sums that may overflow with any weights, and any bias that is computed."""
    yield from (problems := list(operand_problems(node)))
    if problems:
        return
    x, bias, zero_point = node["x"], node.get("bias"), weights_zero_point(node["weights"])
    low, high = x.dtype.limits
    largest = max(high - x.zero_point, x.zero_point - low) * max(
        high - zero_point, zero_point - low
    )
    bound = largest * MATMUL.inputs(node)
    if bound > LIMIT:
        yield "a sum may overflow 32 bits"
    if bias is not None:
        bound += LIMIT if bias.constant is None else int(abs(bias.data.astype(np.int64)).max())
    if (min(bound, LIMIT) * scales(node) > LIMIT).any():
        yield "a scaled sum may overflow 32 bits"


def integers(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of integers in numpy; sums with the bias wrap."""
    x, weights, *bias = inputs
    rows = x.reshape(-1, weights.shape[1]).astype(np.int64) - node["x"].zero_point
    sums = rows @ (weights.astype(np.int64) - weights_zero_point(node["weights"])).T
    wrapped = sum(bias, sums).astype(np.int32).astype(np.int64)
    y = node["y"]
    return [MATMUL.requantized(node, wrapped).astype(y.dtype.numpy).reshape(y.shape)]
