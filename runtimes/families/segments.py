"""Ops that join rows of x with equal ids: row `id` of y is, for example, the sum of these rows."""

from opsmith.op import *

TYPES = (i32, f32)
NO_SEGMENT = Departure("an id beyond the last segment", "fails", "left out", fails=True)
Join = Callable[[Array, Array], Array]  # of a row of y so far and one of x
First = Callable[[DType], float]  # element of y before rows are joined


@dataclass(frozen=True)
class Segments:
    """Numbers of ids and segments, and the size of a row."""

    ids: int
    segments: int  # rows of y
    row: int  # elements


@dataclass(frozen=True)
class Ids:
    """Table of ids that are known at build time."""

    ids: NDArray[np.int32]


def segments(
    name: str,
    source: str,
    count: Callable[[NodeView], int],
    join: Join,
    first: First,
    *,
    known: bool = False,
    **others: Any,
) -> Op:
    """Op whose y has `count` rows: each begins with `first` and joins the rows of x with its id.

    Its C++ is the struct of segments.h with the last word of its name. With `known`, ids are
    constants. `others` are further fields of Op, except outputs, infer, evaluate, variants and
    legalize.
    """

    def infer(node: NodeView) -> Sequence[TensorType]:
        x, given = node["x"], node["ids"]
        if not given.shape or x.shape[: len(given.shape)] != given.shape:
            raise OpError(f"ids {given.type} must have the first sizes of x {x.type}")
        return [TensorType(x.dtype, (count(node), *x.shape[len(given.shape) :]))]

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        p, dtype = geometry(node), node["x"].dtype
        y = np.full((p.segments, p.row), first(dtype), dtype.numpy)
        with np.errstate(all="ignore"):
            for at, row in zip(inputs[1].reshape(-1), inputs[0].reshape(p.ids, p.row), strict=True):
                if 0 <= at < p.segments:
                    y[at] = join(y[at], row)
        return [y.reshape(node["y"].shape)]

    struct = name.rsplit("_", maxsplit=1)[-1].title()
    kernel = Kernel(
        "reference",
        Segments,
        every_node(geometry, _ids) if known else every_node(geometry),
        Ids if known else None,
        header="runtimes/families/segments.h",
        function=f"opsmith::segments::joined<opsmith::segments::{struct}>",
        arguments=("p", "tables.ids" if known else "in.ids", "in.x", "out.y"),
        cost=lambda node: 7.0 * node["x"].elements + 8.0 * node["ids"].elements,
    )
    return Op(
        name,
        infer=infer,
        evaluate=evaluate,
        legalize=(Rename(source),),
        variants=of_types({"T": TYPES}, kernel),
        **others,
    )


def geometry(node: NodeView) -> Segments:
    """Numbers of ids, segments and elements per row of a node."""
    x, ids = node["x"], node["ids"]
    row = math.prod(x.shape[len(ids.shape) :])
    return Segments(ids.elements, node["y"].shape[0], row)


def _ids(node: NodeView) -> Ids:
    return Ids(node["ids"].data)


def unsorted(name: str, source: str, join: Join, first: First) -> Op:
    """Op that joins rows with ids in any order; rows with negative ids are left out."""

    def check(node: NodeView) -> Iterator[str]:
        """Sentence about known ids with which LiteRT fails."""
        ids, number = node["ids"], node["y"].shape[0]
        if ids.constant is not None and (ids.data >= number).any():
            yield f"ids reach {ids.data.max()}, which is none of {number} segments"

    return segments(
        name,
        source,
        count,
        join,
        first,
        inputs=(
            Input("x", "T"),
            Input("ids", i32, limits=lambda node: (-1, node["y"].shape[0] - 1)),
            Input("number", i32, constant=True, shape_of="y"),
        ),
        check=check,
        departs=NO_SEGMENT,
        examples=(Example.of(x=(5, 3), ids=(5,), number=4, y=(4, 3)),),
    )


def count(node: NodeView) -> int:
    """Number of segments of a node."""
    number = node["number"]
    if number.elements != 1 or len(number.shape) > 1:
        raise OpError(f"number {number.type} must be one number")
    if (found := int(number.data.reshape(-1)[0])) < 1:
        raise OpError(f"number is {found}, which must be above 0")
    return found


def least(dtype: DType) -> float:
    """Least element of a type; for float32 the least finite one."""
    return -greatest(dtype) if dtype == f32 else dtype.limits[0]


def greatest(dtype: DType) -> float:
    """Greatest element of a type; for float32 the greatest finite one."""
    return float(np.finfo(np.float32).max) if dtype == f32 else dtype.limits[1]
