"""LessEqual: whether the first of two elements is not greater, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import relation

OP = relation("less_equal", Rename("tflite.LESS_EQUAL", versions=range(1, 4)), np.less_equal)
