"""Greater: whether the first of two elements is greater, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import relation

OP = relation("greater", Rename("tflite.GREATER", versions=range(1, 4)), np.greater)
