"""LogicalOr: whether one of two elements is true, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import relation

OP = relation("logical_or", Rename("tflite.LOGICAL_OR"), np.logical_or, (boolean,), rescaled=())
