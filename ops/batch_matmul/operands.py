"""Operands of BatchMatMul: strides of their elements, and scales of their sums."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.narrow_requantization import halved
from runtimes.core.notebook import single_quotient
from runtimes.core.scale_ratios import single_product
from runtimes.families.axes import strides

TRANSPOSED = {"a": "adj_x", "b": "adj_y"}  # attributes that transpose an operand


def turned(node: NodeView, name: str, axes: Sequence[int]) -> tuple[int, ...]:
    """Facts of each axis of a or b; the last two swap where the operand is transposed."""
    *batches, rows, columns = axes
    return (*batches, *((columns, rows) if node.attributes[TRANSPOSED[name]] else (rows, columns)))


def depth(node: NodeView) -> int:
    """Number of products of each sum."""
    return turned(node, "a", node["a"].shape)[-1]


def steps(node: NodeView, name: str) -> tuple[int, ...]:
    """Strides of a or b along y's batches, rows and columns."""
    shape = node[name].shape
    *batches, row, column = strides(shape)
    repeated = [0 if size == 1 else step for size, step in zip(shape, batches, strict=False)]
    missing = [0] * (len(node["y"].shape) - len(shape))
    return turned(node, name, (*missing, *repeated, row, column))


def multiplier(node: NodeView) -> tuple[int, int]:
    """(multiplier, shift) of a.scale * b.scale / y.scale, with the product in single precision."""
    scales = (node["a"].scale, (node["b"].scale,), node["y"].scale)
    return quantize_multiplier(float(single_product(*scales)[0]))


def factor(node: NodeView) -> float:
    """a.scale * b.scale / y.scale in single precision, XNNPACK's factor."""
    return single_quotient(
        float(np.float32(node["a"].scale) * np.float32(node["b"].scale)), node["y"].scale
    )


def narrow_multiplier(node: NodeView) -> tuple[int, int]:
    """(multiplier in Q15, right shift) of int16 sums."""
    scale, shift = halved(*np.array(multiplier(node)))
    return int(scale), int(shift)


def int8_bound(node: NodeView) -> int:
    """Largest magnitude of an int8 sum."""
    a, b = (max(127 - node[name].zero_point, node[name].zero_point + 128) for name in "ab")
    return a * b * depth(node)


def macs(node: NodeView) -> int:
    """Number of multiplications of a node."""
    return node["y"].elements * depth(node)


DEVICE_COST = instructions(macs, 6.0, 20.0)  # of kernels on a GPU
