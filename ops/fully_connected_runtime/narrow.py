"""FullyConnected of int16 with weights of int16, constant or computed."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.narrow_requantization import LEFT, LIMIT, halved
from runtimes.core.per_channel import bias_problems
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.core.rescaling import Narrow
from runtimes.core.scale_ratios import single_product
from runtimes.families.layer import Clamped
from runtimes.families.matmul import MATMUL, Sizes


@dataclass(frozen=True, kw_only=True)
class NarrowParams(Clamped, Sizes):
    """Sizes, bounds of y, and requantisation."""

    multiplier: int  # Q15
    shift: int  # to the right


def of_halfwords(bias: DType) -> Variant:
    """int16 variant with a bias of int32 or int64."""
    shapes = {"x": (1, 12), "weights": (5, 12), "y": (1, 5)}
    tensors = {name: ExampleTensor(i16, shape, scale=0.01) for name, shape in shapes.items()}
    tensors["bias"] = ExampleTensor(bias, (5,), scale=0.0001)
    definition = reference(params, cost=MATMUL.cost(9.0, 60.0))
    return Variant(
        {"T": i16, "B": bias},
        (definition,),
        check=problems,
        evaluate=evaluate,
        examples=(Example(tensors, {"quantized_bias_type": bias.name.upper()}),),
    )


def params(node: NodeView) -> NarrowParams:
    """Sizes and multiplier of a node."""
    found = (np.array([each]) for each in _multiplier(node))
    multiplier, shift = (int(each[0]) for each in halved(*found))
    return MATMUL.params(NarrowParams, node, multiplier=multiplier, shift=shift)


def _multiplier(node: NodeView) -> tuple[int, int]:
    """(Q31 multiplier, left shift): x.scale * weights.scale / y.scale, the product in float32."""
    scales = (node["x"].scale, (node["weights"].scale,), node["y"].scale)
    return quantize_multiplier(float(single_product(*scales)[0]))


def problems(node: NodeView) -> Iterator[str]:
    """Problems of quantisation and bias that this arithmetic cannot take."""
    yield from bias_problems(node)
    said, bias = node.attributes["quantized_bias_type"], node.get("bias")
    if bias is not None and (said == "INT64") != (bias.dtype == i64):
        yield f"quantized_bias_type is {said}, but bias is {bias.dtype.name}"
    names = ("x", "weights", "y")
    yield from (found := list(per_tensor_problems(node, *names)))
    if found:
        return
    yield from symmetric_problems(node, *names)
    most = 0 if bias is None or bias.constant is None else int(abs(bias.data.astype(float)).max())
    if (MATMUL.inputs(node) << 30) + most >= LIMIT:
        yield "a sum may overflow 48 bits"
    if _multiplier(node)[1] >= LEFT:
        yield "x.scale * weights.scale / y.scale must be below 128"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; rescaled sums wrap at 32 bits."""
    x, weights, *bias = (each.astype(np.int64) for each in inputs)
    p = params(node)
    rescaling = Narrow(np.int16(p.multiplier).tobytes(), np.int8(p.shift).tobytes())
    scaled = rescaling(sum(bias, x.reshape(-1, p.depth) @ weights.T)).astype(np.int32)
    return [np.clip(scaled, *clamp_range(node)).astype(np.int16).reshape(node["y"].shape)]
