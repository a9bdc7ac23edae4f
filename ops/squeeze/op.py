"""Squeeze: the same elements without axes of size 1."""

from opsmith.op import *
from runtimes.families.view import reshaped


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of x without `squeeze_dims`, or without any of size 1 if it names none."""
    x, named = node["x"], node.attributes["squeeze_dims"]
    rank = len(x.shape)
    if any(not -rank <= axis < rank or x.shape[axis] != 1 for axis in named):
        raise OpError(f"x {x.type} has no axes {list(named)} of size 1")
    gone = {axis % rank for axis in named} or {i for i, size in enumerate(x.shape) if size == 1}
    return tuple(size for i, size in enumerate(x.shape) if i not in gone)


SOURCE = Rename("tflite.SQUEEZE", versions=range(1, 3))
AXES = Attribute("squeeze_dims", ListOf(int), default=())
OP = reshaped("squeeze", SOURCE, shape, Example.of(x=(1, 3, 1, 2), y=(3, 2)), attributes=(AXES,))
