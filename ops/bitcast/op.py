"""Bitcast: the bits of x as elements of another type.

An element of x that is N times as wide as y's becomes N elements along a new last axis; if y's are
wider, N elements along the last axis of x become one.
"""

from itertools import permutations

from opsmith.op import *
from runtimes.families.movement import copied
from runtimes.families.view import copying

ALIKE = ((i8, u8), (i16,), (i32, u32, f32), (i64, u64, f64))


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: the shape of x with or without a last axis."""
    x, to = node["x"], node["y"].dtype
    if x.dtype.size >= to.size:
        more = (x.dtype.size // to.size,) if x.dtype.size > to.size else ()
        return [TensorType(to, (*x.shape, *more))]
    if x.shape[-1:] != (to.size // x.dtype.size,):
        raise OpError(f"the last axis of x {x.type} is no {to}")
    return [TensorType(to, x.shape[:-1])]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Bytes of x as elements of y, in numpy."""
    y = node["y"]
    return [np.frombuffer(inputs[0].tobytes(), y.dtype.numpy).reshape(y.shape).copy()]


def pairs() -> Iterator[tuple[DType, DType, Example]]:
    """Types of x and y, of equal width or bytes and a wider type, with an example."""
    for alike in ALIKE:
        yield from ((x, y, Example.of(x=(3,))) for x, y in permutations(alike, 2))
    for wide in (i16, i32, u32, f32):
        yield wide, u8, Example.of(x=(3,))
        yield u8, wide, Example.of(x=(3, wide.size))


KERNEL = replace(copying(), cost=lambda node: copied(1, node["x"].bytes))
OP = Op(
    "bitcast",
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "U"),),
    infer=infer,
    evaluate=evaluate,
    legalize=(Rename("tflite.BITCAST"),),
    variants=tuple(
        Variant({"T": x, "U": y}, (KERNEL,), untyped=True, examples=(example,))
        for x, y, example in pairs()
    ),
    traits={"view"},
)
