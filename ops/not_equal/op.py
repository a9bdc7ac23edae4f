"""NotEqual: whether two elements differ, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import BYTES, relation


def check(node: NodeView) -> Iterator[str]:
    """Problem of int16 without quantisation, whose elements LiteRT always takes for equal."""
    if node["a"].dtype == i16 and node["a"].quantization is None:
        yield "a is int16 and must be quantised"


OP = relation(
    "not_equal",
    Rename("tflite.NOT_EQUAL", versions=range(1, 5)),
    np.not_equal,
    plain=(boolean, f32, i32, i64),
    rescaled=(*BYTES, i16),
    check=check,
)
