"""Equal: whether two elements are equal, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import BYTES, relation

OP = relation(
    "equal",
    Rename("tflite.EQUAL", versions=range(1, 6)),
    np.equal,
    plain=(boolean, f32, i32, i64),
    rescaled=(*BYTES, i16),
)
