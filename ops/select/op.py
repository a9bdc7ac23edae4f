"""Select: elements of one tensor where a condition holds, and of another of its shape elsewhere.

The condition has the tensors' shape, or one element, or one for each position along the first axis.
"""

from opsmith.op import *
from runtimes.families.selection import Shape, selection


def condition_shape(node: NodeView) -> Shape:
    """Shape with which the condition broadcasts to y: one axis lies along the first of y."""
    condition, a, b = (node[name].shape for name in ("condition", "a", "b"))
    if a != b:
        raise OpError(f"shapes {a} and {b} of a and b differ")
    if condition in ((), a):
        return condition
    if condition != a[:1]:
        raise OpError(f"condition has shape {condition}, which must be {a}, {a[:1]} or ()")
    return condition + (1,) * (len(a) - 1)


OP = selection("select", Rename("tflite.SELECT", versions=range(1, 5)), condition_shape)
