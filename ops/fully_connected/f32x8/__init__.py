"""FullyConnected of float32 by int8 weights: rows are quantised at run time."""

from opsmith.op import *
from runtimes.core.per_channel import bias_of
from runtimes.core.vector_activation import NUMBERS, activated
from runtimes.families.dynamic_range import Dynamic, dynamic_variant, weight_scales
from runtimes.families.matmul import MATMUL, Sizes, row_overlap


@dataclass(frozen=True, kw_only=True)
class Params(Sizes):
    """Sizes, the activation, and the quantisation of rows."""

    activation: int  # as enum VectorActivation of runtimes/core/vector_activation.h
    asymmetric_quantize_inputs: bool  # by their range, not by their largest magnitude


@dataclass(frozen=True)
class Tables:
    """Weights in the model's order, and biases and scales."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.float32]  # [channels]
    scale: NDArray[np.float32]  # [channels]


def plan(node: NodeView) -> Plan:
    """Plan with scratch for a row of x, which is quantised before its elements of y are written."""
    params = MATMUL.params(Params, node, activation=NUMBERS[node.attributes["activation"]])
    return Plan(
        params,
        lambda: MATMUL.params(Tables, node, scale=weight_scales(node["weights"], params.channels)),
        {"row": params.depth},
        partial(row_overlap, node, params.channels),
    )


def cost(node: NodeView) -> float:
    """Cost of products and outputs, and of quantising rows."""
    return MATMUL.cost(6.1, 32.0)(node) + 45.0 * node["x"].elements


def has_negative_zero(node: NodeView) -> bool:
    """True if some bias is -0."""
    bias = bias_of(node)
    return bool(np.any((bias == 0) & np.signbit(bias)))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy. Where all of x is zero, LiteRT adds nothing to the bias: its -0 stays -0."""
    if inputs[0].any() and PLAIN.evaluate is not None:
        return PLAIN.evaluate(node, inputs)
    return [
        activated(node.attributes["activation"], np.broadcast_to(bias_of(node), node["y"].shape))
    ]


PLAIN = dynamic_variant(
    MATMUL,
    Dynamic(
        asymmetric=lambda node: bool(node.attributes["asymmetric_quantize_inputs"]),
        of_vectors=True,
    ),
    Kernel(
        "reference",
        Params,
        plan,
        Tables,
        scratch={"row": i8},
        cost=cost,
    ),
    Example.of(
        x=(1, 12),
        weights=ExampleTensor(i8, (5, 12), scale=0.0113, data=np.arange(60)),
        bias=ExampleTensor(f32, (5,), data=np.array([0.5, -1, 2, 0, 1])),
    ),
)
F32X8 = replace(PLAIN, evaluate=evaluate)
