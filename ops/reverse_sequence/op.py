"""ReverseSequence: the first elements along an axis turned round, as many as each batch says.

A length beyond the axis, for which TFLite reads outside of the tensor, counts as the whole axis.
"""

from opsmith.op import *
from runtimes.families.indices import INDEX_TYPES
from runtimes.families.movement import X, moved_problems


@dataclass(frozen=True)
class Params:
    """Sizes of x as five axes; the second and fourth are those that the attributes name."""

    outer: int
    first: int
    middle: int
    second: int
    row: int  # bytes
    batch_first: bool  # whether the first of both is that of batches, the second turns round
    width: int  # bytes of one of lengths


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, which is x's; x has an axis of batches and an axis that is reversed."""
    x, lengths = node["x"], node["lengths"]
    batch, turned = (node.attributes[name] for name in ("batch_dim", "seq_dim"))
    if batch == turned or not 0 <= batch < len(x.shape) or not 0 <= turned < len(x.shape):
        raise OpError(f"batch_dim {batch} and seq_dim {turned} are no two axes of x {x.type}")
    if lengths.shape != (x.shape[batch],):
        raise OpError(f"lengths {lengths.type} must be a vector, a number per batch of x {x.type}")
    return [x.type]


def limits(node: NodeView) -> tuple[int, int]:
    """Least and greatest length within the axis."""
    return 0, node["x"].shape[node.attributes["seq_dim"]]


def params(node: NodeView) -> Params:
    """Sizes of a node."""
    x, batch, turned = node["x"], node.attributes["batch_dim"], node.attributes["seq_dim"]
    first, second = sorted((batch, turned))
    return Params(
        math.prod(x.shape[:first]),
        x.shape[first],
        math.prod(x.shape[first + 1 : second]),
        x.shape[second],
        math.prod(x.shape[second + 1 :]) * x.dtype.size,
        batch < turned,
        node["lengths"].dtype.size,
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Tensor with reversed starts of its batches, in numpy."""
    axes = (node.attributes["batch_dim"], node.attributes["seq_dim"])
    y = np.moveaxis(inputs[0].copy(), axes, (0, 1))
    for sequence, length in zip(y, np.clip(inputs[1], 0, y.shape[1]), strict=True):
        sequence[:length] = sequence[:length][::-1].copy()
    return [np.ascontiguousarray(np.moveaxis(y, (0, 1), axes))]


OP = Op(
    "reverse_sequence",
    legalize=(Rename("tflite.REVERSE_SEQUENCE"),),
    inputs=(X, Input("lengths", "I", limits=limits)),
    attributes=(Attribute("seq_dim", int, default=0), Attribute("batch_dim", int, default=0)),
    infer=infer,
    check=moved_problems,
    evaluate=evaluate,
    variants=of_types(
        {"T": (i16, i32, i64, u8, f32), "I": INDEX_TYPES}, reference(params), untyped=True
    ),
    examples=(Example.of({"seq_dim": 1}, x=(3, 5), lengths=(3,)),),
)
