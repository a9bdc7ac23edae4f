"""Cast: the same numbers as elements of another type.

Integers keep their low bits. Floats are truncated towards zero and saturate, and NaN becomes the
greatest integer. True is 1, and everything but zero is true.
"""

from opsmith.op import *
from runtimes.families.unary import unary

TYPES = (boolean, i8, i16, i32, i64, u8, u16, u32, f32)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Numbers as numpy converts them; converted floats saturate."""
    (x,), to = inputs, node["y"].dtype
    if x.dtype.kind != "f" or not to.is_integer:
        return [x.astype(to.numpy)]
    low, high = to.limits
    beyond = ~(x < 2.0 ** (high.bit_length()))  # also where x is NaN
    below = x < low
    y = np.where(beyond | below, 0, x).astype(to.numpy)
    return [np.where(below, to.numpy.type(low), np.where(beyond, to.numpy.type(high), y))]


def identity(node: NodeView) -> bool:
    """True if x and y have one type."""
    return node["x"].dtype == node["y"].dtype


def restores(node: NodeView) -> bool:
    """True if y's type keeps all low bits, or holds every number exactly."""
    x, y = node["x"].dtype, node["y"].dtype
    if x == boolean:
        return True
    if y == f32:
        return x.is_integer and x.size <= 2
    return x.is_integer and y.is_integer and y.size >= x.size


OP = unary(
    "cast",
    Rename(
        "tflite.CAST",
        versions=range(1, 10),
        ignore=("in_data_type", "out_data_type"),  # the tensors say their types
    ),
    variants=of_types({"T": TYPES, "U": TYPES}, reference(Elements)),
    y="U",
    evaluate=evaluate,
    hooks=Hooks(views=Views(identity=identity, restores=restores)),
    examples=(Example.of(x=(37,)),),
)
