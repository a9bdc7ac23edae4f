"""Less: whether the first of two elements is less, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import relation

OP = relation("less", Rename("tflite.LESS", versions=range(1, 4)), np.less)
