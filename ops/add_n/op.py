"""AddN: the sum of any number of tensors of one shape, added in order.

Sums of int8 are TensorFlow Lite Micro's.
"""

from opsmith.op import *
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.byte_sums import ByteSums, byte_sums, ratio_problems, rescaled

LARGEST = np.finfo(np.float32).max


@dataclass(frozen=True)
class Params:
    """Number of tensors, and elements of each."""

    count: int
    elements: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, which is the type of each input."""
    first, *others = node.variadic("x")
    if not others:
        raise OpError("x is one tensor, and must be several")
    for other in others:
        if other.shape != first.shape:
            raise OpError(f"shapes {first.shape} and {other.shape} differ")
    return [first.type]


def params(node: NodeView) -> Params:
    """Number of inputs, and of elements of each."""
    return Params(len(node.variadic("x")), node["y"].elements)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums of the inputs in numpy; integers wrap, and no sum of floats is infinite."""
    y, *others = inputs
    with np.errstate(all="ignore"):
        for x in others:
            y = y + x
            if y.dtype == np.float32:
                y = np.clip(y, -LARGEST, LARGEST)
    return [y]


@dataclass(frozen=True, kw_only=True)
class ByteParams(Params, ByteSums):
    """Number and size of int8 inputs, and requantisation of their sums."""


def byte_params(node: NodeView) -> ByteParams:
    """Params of an int8 node."""
    sums = byte_sums(node.variadic("x")[0], node["y"])
    return ByteParams(**vars(params(node)), **vars(sums))


def byte_problems(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that sums of int8 cannot have."""
    xs = node.variadic("x")
    first = xs[0].quantization
    if first is None or first.per_channel or any(x.quantization != first for x in xs):
        yield "all of x must be quantised alike, per tensor"
        return
    yield from (problems := list(per_tensor_problems(node, "y")))
    if not problems:
        yield from ratio_problems(xs[0], node["y"])


def of_bytes(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums of int8 inputs, in numpy."""
    p = byte_params(node)
    lifted = [x.astype(np.int32) - p.x_zero_point for x in inputs]
    return [rescaled(p, np.sum(lifted, axis=0))]


EXAMPLES = (Example.of(x=[(4, 5)] * 3),)
OF_BYTES = Variant(
    {"T": i8},
    (reference(byte_params),),
    departs=no_kernel("int8"),
    check=byte_problems,
    evaluate=of_bytes,
    examples=EXAMPLES,
)
OP = Op(
    name="add_n",
    legalize=(Rename("tflite.ADD_N"),),
    inputs=(Input("x", "T", variadic=True),),
    infer=infer,
    evaluate=evaluate,
    variants=(*of_types({"T": (i32, f32)}, reference(params)), OF_BYTES),
    examples=EXAMPLES,
)
