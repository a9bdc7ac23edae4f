"""Ops with tensors side by side along an axis of another tensor: parts of a whole.

A row of the whole is everything at one position of the axes before that axis; each part has a piece
of every row.
"""

from opsmith.op import *
from runtimes.families.axes import given_axis, resized
from runtimes.families.movement import HEADER, moved_problems, movement

ARGUMENTS = ("p", "tables.bytes", "in.x", "out.y")
SPREAD = 554  # bytes of code of movement::spread
LONGEST_IN_STEPS, WIDEST_STEP = 48, 8  # bytes of a row that is no memcpy, and of one of its steps
Axis = Callable[[NodeView], int]
Shape = tuple[int, ...]


def taken_apart(
    name: str,
    source: Rename,
    axis: Axis,
    shapes: Callable[[NodeView], Sequence[Shape]],
    example: Example,
    **fields: Any,
) -> Op:
    """Op whose outputs, of these shapes, are the parts of x along an axis, in order.

    `fields` are further ones of `movement`, except inputs, evaluate and decompose.
    """
    place = [*example.tensors].index("x")

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        parts, rows = node.variadic("y"), _rows(node["x"], axis(node))
        ends = np.cumsum([part.elements // rows for part in parts])
        found = np.split(inputs[place].reshape(rows, -1), ends[:-1], axis=1)
        return [
            np.ascontiguousarray(each).reshape(part.shape)
            for each, part in zip(found, parts, strict=True)
        ]

    def into(node: NodeView, builder: GraphBuilder) -> None:
        """Add a slice for each part, which becomes a view where its bytes are contiguous."""
        _slices(builder, node["x"], axis(node), node.variadic("y"))

    return movement(
        name,
        source,
        shapes,
        (_taking_apart(axis),),
        example=example,
        kind=Kind("movement", "take_apart"),
        evaluate=evaluate,
        decompose=Decompose(into),
        **fields,
    )


def split(
    name: str, source: Rename, sizes: Callable[[NodeView], Sequence[int]], example: Example
) -> Op:
    """Op whose `num_splits` outputs have these sizes along the axis that input `axis` names."""

    def shapes(node: NodeView) -> Sequence[Shape]:
        stated, count = node.attributes["num_splits"], len(node.variadic("y"))
        if stated != count:
            raise OpError(f"num_splits is {stated} for {count} outputs")
        return [resized(node["x"].shape, given_axis(node), size) for size in sizes(node)]

    return taken_apart(
        name,
        source,
        given_axis,
        shapes,
        example,
        types=(i8, i16, i32, i64, u8, f32),
        attributes=(Attribute("num_splits", int),),
    )


def put_together(
    name: str,
    source: Rename,
    axis: Axis,
    shape: Callable[[NodeView], Shape],
    example: Example,
    **fields: Any,
) -> Op:
    """Op whose y, of this shape, has the tensors of x side by side along an axis.

    `fields` are further ones of `movement`, except inputs and hooks.
    """

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        rows = _rows(node["y"], axis(node))
        parts = [each.reshape(rows, -1) for each in inputs]
        return [np.concatenate(parts, axis=1).reshape(node["y"].shape)]

    def parts(node: NodeView) -> list[int] | None:
        """Byte offsets in y of the tensors of x, in one row; None for several rows."""
        if _rows(node["y"], axis(node)) != 1:
            return None
        sizes = [tensor.bytes for tensor in node.variadic("x")]
        return [sum(sizes[:i]) for i in range(len(sizes))]

    return movement(
        name,
        source,
        lambda node: [shape(node)],
        (_putting_together(axis),),
        example=example,
        kind=Kind("movement", "put_together"),
        hooks=Hooks(views=Views(parts=parts)),
        **{"check": moved_problems, "evaluate": evaluate, **fields},
    )


def _rows(whole: Tensor, axis: int) -> int:
    return math.prod(whole.shape[:axis])


def _slices(b: GraphBuilder, x: Tensor, axis: int, parts: Sequence[Tensor]) -> None:
    """Add a strided_slice of x for each part, which may lack the axis.

    Parts without elements are constants, which nothing writes.
    """
    start, row = 0, x.elements // _rows(x, axis) // x.shape[axis]
    for i, y in enumerate(parts):
        if not y.elements:
            continue
        size = y.elements // _rows(x, axis) // row
        begin, end = [0] * len(x.shape), list(x.shape)
        begin[axis], end[axis] = start, start + size
        bounds = [
            b.tensor(f"{name}_{i}", i32, (len(values),), data=np.array(values))
            for name, values in (("begin", begin), ("end", end), ("strides", [1] * len(begin)))
        ]
        shrunk = {"shrink_axis_mask": 1 << axis} if len(y.shape) < len(x.shape) else {}
        b.node("strided_slice", [x, *bounds], [y], **shrunk)
        start += size


@dataclass(frozen=True)
class RowParams:
    """Number of rows of the whole, and of parts per row."""

    rows: int
    count: int


@dataclass(frozen=True)
class TogetherParams(RowParams):
    """Number of rows and parts of the whole, and the part that is copied first."""

    first: int


@dataclass(frozen=True)
class RowTables:
    """Bytes of each part in a row."""

    bytes: NDArray[np.int32]


def _taking_apart(axis: Axis) -> Kernel:

    def params(node: NodeView) -> RowParams:
        return RowParams(_rows(node["x"], axis(node)), len(node.variadic("y")))

    def tables(node: NodeView) -> RowTables:
        return _widths(node.variadic("y"), _rows(node["x"], axis(node)))

    return _kernel("take_apart", RowParams, every_node(params, tables), Code(90, 90, 1.05))


def _putting_together(axis: Axis) -> Kernel:

    def rows(node: NodeView) -> int:
        return _rows(node["y"], axis(node))

    def params(node: NodeView) -> TogetherParams:
        parts = node.variadic("x")
        return TogetherParams(rows(node), len(parts), _largest(parts))

    def tables(node: NodeView) -> RowTables:
        return _widths(node.variadic("x"), rows(node))

    def overlap(node: NodeView) -> dict[str, Distance]:
        """Distance of y from the part that is copied first: that part is read from start to end,
        while its rows in y are further apart, and begin after the bytes of earlier parts.
        """
        parts, count = node.variadic("x"), rows(node)
        at, width = _largest(parts), parts[_largest(parts)].bytes // count
        before = sum(part.bytes for part in parts[:at]) // count
        step = width if width > LONGEST_IN_STEPS else min(width, WIDEST_STEP)
        spread = (count - 1) * (node["y"].bytes // count - width)
        return {f"x[{at}]": Distance(spread + before + step)}

    code = Code(90, general=90 + SPREAD, slowdown=1.05, shared={"movement::spread": SPREAD})
    return _kernel("put_together", TogetherParams, every_node(params, tables, overlap), code)


def _largest(parts: Sequence[Tensor]) -> int:
    """Number of the largest part, the first of several."""
    return max(range(len(parts)), key=lambda i: parts[i].bytes)


def _widths(parts: Sequence[Tensor], rows: int) -> RowTables:
    return RowTables(np.array([part.bytes // rows for part in parts], np.int32))


def _kernel(function: str, params: type, plan: Callable[[NodeView], Plan], code: Code) -> Kernel:
    return Kernel(
        "reference",
        params,
        plan,
        RowTables,
        header=HEADER,
        function=f"opsmith::movement::{function}",
        arguments=ARGUMENTS,
        code=code,
    )
