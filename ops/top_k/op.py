"""TopK: the k largest elements along the last axis, and where they were.

Largest first and NaN last; of equal elements the first comes first, as in TFLite
(kernels/topk_v2.cc). k is a constant input, as in TFLite, or the option `k`, as in custom ops.
"""

from opsmith.op import *
from runtimes.families.movement import quantised_as


@dataclass(frozen=True)
class Params(Rows):
    """Number and size of the rows, and the number of elements wanted of each."""

    k: int


def _k(node: NodeView) -> int:
    """Number of elements wanted: the constant input's element, else the option."""
    count = node.get("count")
    if count is None:
        return int(node.attributes["k"])
    if count.elements != 1:
        raise OpError(f"count {count.type} must be one number")
    return int(count.data.reshape(-1)[0])


def infer(node: NodeView) -> Sequence[TensorType]:
    """Types of values and indices: the shape of x with k in place of its last size."""
    x, k = node["x"], _k(node)
    least = 1 if node.get("count") is None else 0  # the option is no operator of LiteRT's
    if not least <= k <= x.shape[-1]:
        raise OpError(f"k is {k}; the last axis has {x.shape[-1]} elements")
    shape = (*x.shape[:-1], k)
    return [TensorType(x.dtype, shape), TensorType(i32, shape)]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Largest k elements in numpy, by a stable sort of keys that fall as elements grow."""
    x, k = inputs[0], _k(node)
    reversed_ = -x if x.dtype.kind == "f" else ~x.astype(np.int64)
    indices = np.argsort(reversed_, axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(x, indices, axis=-1), indices.astype(np.int32)]


OP = Op(
    name="top_k",
    legalize=(
        Rename("tflite.TOPK_V2", versions=range(1, 4)),
        Rename("tflite.CUSTOM.MyTopK", options=flexbuffer),
    ),
    inputs=(Input("x", "T", rank=at_least(1)), Input("count", i32, constant=True, optional=True)),
    outputs=(Output("values", "T"), Output("indices", i32)),
    attributes=(
        Attribute("k", int, default=1),  # where there is no input `count`
        Attribute("sorted", bool, default=True),  # False allows any order; this one is sorted, too
    ),
    infer=infer,
    check=quantised_as("x", "values"),
    evaluate=evaluate,
    variants=of_types({"T": (i8, u8, i16, i32, i64, f32)}, reference(by_name(Params, k=_k))),
    examples=(Example.of({"k": 3}, x=(2, 5)),),
)
