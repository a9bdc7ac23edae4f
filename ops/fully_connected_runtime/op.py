"""FullyConnected whose weights or bias are computed at run time, or whose weights are int16."""

from opsmith.op import *
from opsmith.runtimes.core.narrow_requantization import BIAS_TYPE
from opsmith.runtimes.core.notebook import OF_FLOATS, unlike
from opsmith.runtimes.families.layer import RealClamped
from opsmith.runtimes.families.matmul import KEEP_NUM_DIMS, MATMUL, Sizes, multiplied

from .integers import of_bytes
from .narrow import of_halfwords


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


REAL = Kernel("reference", RealParams, every_node(partial(MATMUL.params, RealParams)))
FLOATS = Variant(
    {"T": f32, "B": f32},
    (REAL,),
    check=check_bias,
    numerics=unlike(OF_FLOATS),
    evaluate=floats,
    examples=(Example.of(x=(1, 12), weights=(5, 12), bias=(5,)),),
)
OP = Op(
    name="fully_connected_runtime",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 15),
            attributes=FUSED,
            ignore=("asymmetric_quantize_inputs",),
            extends="fully_connected",
        ),
    ),
    inputs=(Input("x", "T"), Input("weights", "T"), Input("bias", "B", optional=True, first=True)),
    attributes=(*CLAMP_ATTRIBUTES, KEEP_NUM_DIMS, BIAS_TYPE),
    traits={"fuses_activation"},
    infer=multiplied,
    hooks=Hooks(macs=MATMUL.macs),
    variants=(of_bytes(i8), of_bytes(u8), of_halfwords(i64), of_halfwords(i32), FLOATS),
)
