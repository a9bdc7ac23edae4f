"""Transpose: the axes of a tensor in another order."""

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.walk import Walk, walk_through


def permutation(node: NodeView) -> tuple[int, ...]:
    """Axis of x for each axis of y."""
    x, perm, rank = node["x"], node["perm"], len(node["x"].shape)
    axes = tuple(axis + rank if axis < 0 else axis for axis in perm.data.reshape(-1).tolist())
    if len(perm.shape) != 1 or sorted(axes) != list(range(rank)):
        raise OpError(f"perm {perm.data.tolist()} is no order of the axes of x {x.type}")
    return axes


def walk(node: NodeView) -> Walk:
    """Walk through x along the axes of y."""
    axes = list(zip(node["x"].shape, strides(node["x"].shape), strict=True))
    return Walk(0, tuple(axes[axis] for axis in permutation(node)))


PERMUTATIONS = Permutations(
    permutation, lambda node, order: {"perm": constant_of(node["perm"], np.array(order), i32)}
)
SOURCE = Rename("tflite.TRANSPOSE", versions=range(1, 9))
EXAMPLE = Example.of(x=(16, 2, 17), perm=[2, 1, 0], y=(17, 2, 16))
OP = walk_through("transpose", SOURCE, walk, EXAMPLE, cost=per_element(8.0)).with_hooks(
    Hooks(permutations=PERMUTATIONS)
)
