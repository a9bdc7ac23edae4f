"""LogicalAnd: whether both of two elements are true, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.relation import relation

OP = relation("logical_and", Rename("tflite.LOGICAL_AND"), np.logical_and, (boolean,), rescaled=())
