"""GreaterEqual: whether the first of two elements is not less, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import relation

OP = relation(
    "greater_equal", Rename("tflite.GREATER_EQUAL", versions=range(1, 4)), np.greater_equal
)
