"""Broadcasting of shapes against each other, by numpy's rules, which are TFLite's."""

from typing import cast

from opsmith.op import *
from opsmith.op.overlap import LARGEST_WALK, elementwise
from runtimes.families.axes import merged, strides

MAX_RANK = 5
STARTED = 15.0  # cycles of a kernel before its first row
LEAST_ROW = 4  # elements that kernels for neighbours are worth while for
Five = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Pairs:
    """Walk through pairs of elements. A stride of 0 repeats an element along an axis."""

    size: Five  # of y, with leading ones; axes that are walked in one go are one
    a_stride: Five  # elements
    b_stride: Five


def pairs(node: NodeView) -> Pairs:
    """Walk through pairs of a function y of a and b, element by element."""
    return walked(*_broadcast(node))


def walked(y: Sequence[int], a_stride: Sequence[int], b_stride: Sequence[int]) -> Pairs:
    """Walk through pairs for a y of this shape, with the strides of a and b along its axes."""
    axes = _merged_axes(y, a_stride, b_stride)
    size, of_a, of_b = zip(*axes, strict=True)
    return Pairs(pad_shape(size), pad_shape(of_a, 0), pad_shape(of_b, 0))


def _broadcast(node: NodeView) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    a, b, y = (node[name].shape for name in "aby")
    return y, broadcast_strides(a, y), broadcast_strides(b, y)


def _merged_axes(*axes: Sequence[int]) -> list[tuple[int, ...]]:
    return merged(*zip(*axes, strict=True)) or [(1,) * len(axes)]


def row_problem(node: NodeView, *, one_repeats: bool = False) -> str:
    """Reason why neighbours in y do not come from neighbours in a and b, or "".

    They do where both tensors are walked in one go, or along rows that fill a word. With
    `one_repeats`, a single element of one tensor may meet a row of the other.
    """
    p = pairs(node)
    for name, stride, other in (("a", p.a_stride, p.b_stride), ("b", p.b_stride, p.a_stride)):
        if stride[4] != 1 and not (one_repeats and other[4] == 1):
            return f"{name} {node[name].type} repeats along rows of y {node['y'].type}"
    if p.size[:4] != (1, 1, 1, 1) and p.size[4] < LEAST_ROW:
        return f"rows have {p.size[4]} elements, fewer than {LEAST_ROW}"
    return ""


def row_cost(row: float, vector: float, elements: int) -> Callable[[NodeView], float]:
    """Cost function of pairs along rows: cycles of each row of y, and of each vector of N elements
    in it, full or not.
    """

    def cost(node: NodeView) -> float:
        *rows, size = pairs(node).size
        return STARTED + math.prod(rows) * (row + vector * -(-size // elements))

    return cost


def in_place(kernel: Kernel) -> Kernel:
    """Kernel whose y may overwrite a or b where these do not repeat: it reads element i of both
    before it writes element i of y.
    """

    def plan(node: NodeView) -> Plan | Refused:
        found = kernel.plan(node)
        over = partial(elementwise, node)
        return found if isinstance(found, Refused) else replace(found, overlap=over)

    plan.__annotations__ |= {"return": kernel.plan.__annotations__["return"]}
    return replace(kernel, plan=plan)


def part_distances(node: NodeView, p: Pairs, axes: int = 1) -> dict[str, Distance]:
    """Distances of y from a and b for kernels that write y in parts, the last axes of the walk, and
    may read the operands of a part until it is written.
    """
    sizes, part = p.size[: MAX_RANK - axes], math.prod(p.size[MAX_RANK - axes :])
    if math.prod(sizes) > LARGEST_WALK:
        return {}
    places = np.indices(sizes).reshape(len(sizes), -1)
    ends = np.arange(1, places.shape[1] + 1) * (part * node["y"].dtype.size)
    found = {}
    for name, stride in (("a", p.a_stride), ("b", p.b_stride)):
        starts = np.array(stride[: len(sizes)]) @ places * node[name].dtype.size
        needed = np.minimum.accumulate(starts[::-1])[::-1]
        found[name] = Distance(int(np.max(ends - needed, initial=0)))
    return found


def repeated_first(*operands: str) -> Decompose:
    """Decomposition of a node with more axes than kernels walk: operands are first repeated to the
    shape of y.

    Then one axis remains to walk, at the cost of memory for the repeated operands.
    """

    def many_axes(node: NodeView) -> bool:
        y = node["y"].shape
        steps = (broadcast_strides(node[name].shape, y) for name in operands)
        return len(_merged_axes(y, *steps)) > MAX_RANK

    def into(node: NodeView, builder: GraphBuilder) -> None:
        y = node["y"].shape
        to = builder.tensor("shape", i32, (len(y),), data=np.array(y))
        full = []
        for name in operands:
            x = node[name]
            full.append(x if x.shape == y else builder.tensor(name, x.dtype, y, x.quantization))
            if x.shape != y:
                builder.node("broadcast_to", [x, to], full[-1:])
        builder.node(node.op, full, [node["y"]], **node.attributes)

    return Decompose(into, many_axes, required=True)


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Shape to which all these shapes broadcast. Raises OpError where they do not."""
    try:
        return tuple(int(size) for size in np.broadcast_shapes(*shapes))
    except ValueError:
        raise OpError(f"shapes {', '.join(map(str, shapes))} do not broadcast") from None


def pad_shape(shape: tuple[int, ...], fill: int = 1) -> Five:
    """Shape with leading ones up to MAX_RANK sizes; a longer one, which no kernel walks, stays."""
    return cast(Five, (fill,) * (MAX_RANK - len(shape)) + shape)


def broadcast_strides(shape: tuple[int, ...], to: tuple[int, ...]) -> list[int]:
    """Element strides of a dense tensor walked in shape `to`; 0 along axes where it repeats."""
    sizes = (1,) * (len(to) - len(shape)) + shape
    steps = zip(sizes, strides(sizes), strict=True)
    return [0 if size == 1 else step for size, step in steps]
