"""FullyConnected of float32 with weights or a bias that are computed."""

from opsmith.op import *
from runtimes.core.notebook import OF_FLOATS, unlike
from runtimes.families.layer import RealClamped
from runtimes.families.matmul import MATMUL, Sizes


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Sizes):
    """Sizes, and bounds of y, for floats."""


def floats(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of floats in numpy: products are added one by one, and then the bias."""
    x, weights, *bias = inputs
    rows = x.reshape(-1, weights.shape[1])
    sums = np.zeros((len(rows), len(weights)), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(weights.shape[1]):
            products = rows[:, i : i + 1] * weights[:, i]
            sums = sums + products
        biased = sums + (bias[0] if bias else np.float32(0))
    return [real_clamped(node, biased).reshape(node["y"].shape)]


def check_bias(node: NodeView) -> Iterator[str]:
    """Sentence about a bias that has not one element for each channel."""
    bias, channels = node.get("bias"), node["weights"].shape[0]
    if bias is not None and bias.elements != channels:
        yield f"bias has {bias.elements} elements instead of {channels}"


FLOATS = Variant(
    {"T": f32, "B": f32},
    (Kernel("reference", RealParams, every_node(partial(MATMUL.params, RealParams))),),
    check=check_bias,
    numerics=unlike(OF_FLOATS),
    evaluate=floats,
    examples=(Example.of(x=(1, 12), weights=(5, 12), bias=(5,)),),
)
