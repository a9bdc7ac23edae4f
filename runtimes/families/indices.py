"""Ops that look up rows of x by indices, which may be computed at run time.

Where an index is out of range, TFLite fails at run time, and firmware takes the nearest position. A
node with such a constant index is refused.
"""

from itertools import product, starmap

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.movement import HEADER
from runtimes.families.walk import MAX_AXES, Eight

NO_POSITION = Departure("an index that is no position", "fails", "the nearest position", fails=True)
INDICES = Input("indices", "I")
ARGUMENTS = ("p", "in.indices", "in.x", "out.y")
INDEX_TYPES = (i32, i64)


@dataclass(frozen=True)
class Tuples:
    """Axes of x that a tuple of indices addresses, and how tuples lie in the tensor of indices."""

    axes: range  # of x, which its indices are positions along
    batches: int = 0  # axes of x before them along which indices have positions, too
    last_axis: bool = False  # a tuple lies along the last axis of indices; else it is one element


def looked_up(
    name: str,
    source: Rename,
    tuples: Callable[[NodeView], Tuples],
    types: tuple[DType, ...],
    example: Example,
    inputs: tuple[Input, ...] = (Input("x", "T"), INDICES),
    index_types: tuple[DType, ...] = INDEX_TYPES,
    computed: tuple[Variant, ...] = (),
    **fields: Any,
) -> Op:
    """Op whose y has rows of x at given indices: in y, tuples replace the axes that they address.

    `computed` are variants whose y has other elements than x: with type variables T and I of x and
    indices, and U of y. `fields` are further ones of Op, except outputs, infer, check, evaluate,
    variants and examples.
    """
    place = {each.name: i for i, each in enumerate(inputs)}

    def infer(node: NodeView) -> Sequence[TensorType]:
        x, indices, found = node["x"].shape, node["indices"].shape, tuples(node)
        replaced = indices[found.batches : -1 if found.last_axis else None]
        shape = (*x[: found.axes.start], *replaced, *x[found.axes.stop :])
        return [TensorType(node["y"].dtype, shape)]

    def check(node: NodeView) -> Iterator[str]:
        x, axes = node["x"], tuples(node).axes
        yield from index_problems(node["indices"], [x.shape[axis] for axis in axes])

    def limits(node: NodeView) -> tuple[int, int]:
        return 0, min(node["x"].shape[axis] for axis in tuples(node).axes) - 1

    def params(node: NodeView) -> LookUpParams:
        return _params(node, tuples(node))

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        p = params(node)
        sizes = p.size[: p.depth]
        given = inputs[place["indices"]].reshape(p.batches, p.tuples, p.depth)
        rows = inputs[place["x"]].reshape(p.batches, p.outer, p.positions, -1)
        at = positions(given, sizes)
        found = [part[:, where] for part, where in zip(rows, at, strict=True)]
        return [np.stack(found).reshape(node["y"].shape)]

    def variant(dtype: DType, index: DType) -> Variant:
        bound = {"T": dtype, "I": index} | ({"U": dtype} if computed else {})
        return Variant(bound, (kernel,), kind=Kind("movement", "look_up"), untyped=True)

    kernel = Kernel(
        "reference",
        LookUpParams,
        every_node(params),
        header=HEADER,
        function="opsmith::movement::look_up",
        arguments=ARGUMENTS,
    )
    return Op(
        name,
        inputs=tuple(replace(i, limits=limits) if i.name == "indices" else i for i in inputs),
        outputs=(Output("y", "U" if computed else "T"),),
        infer=infer,
        check=check,
        evaluate=evaluate,
        legalize=(source,),
        variants=(*starmap(variant, product(types, index_types)), *computed),
        examples=(example,),
        departs=NO_POSITION,
        **fields,
    )


@dataclass(frozen=True)
class LookUpParams:
    """Params of a lookup: numbers of tuples and elements, and sizes of the indexed axes."""

    batches: int  # with tuples of their own
    outer: int  # parts of x that each batch has, with the same tuples
    tuples: int  # of each batch
    depth: int  # indices of a tuple
    size: Eight  # positions along the axes that they lead to, then zeros
    positions: int  # in all of a part
    row: int  # bytes
    width: int  # bytes of an index


def _params(node: NodeView, found: Tuples) -> LookUpParams:
    x, indices, axes = node["x"], node["indices"], found.axes
    sizes = x.shape[axes.start : axes.stop]
    batches = math.prod(x.shape[: found.batches])
    return LookUpParams(
        batches,
        math.prod(x.shape[found.batches : axes.start]),
        indices.elements // (batches * len(axes)),
        len(axes),
        zero_filled(sizes),
        math.prod(sizes),
        math.prod(x.shape[axes.stop :]) * x.dtype.size,
        indices.dtype.size,
    )


def zero_filled(sizes: Sequence[int]) -> Eight:
    """Sizes followed by zeros, MAX_AXES in all."""
    a, b, c, d, e, f, g, h = tuple(sizes) + (0,) * (MAX_AXES - len(sizes))
    return a, b, c, d, e, f, g, h


def positions(indices: Array, sizes: Sequence[int]) -> NDArray[np.int64]:
    """Numbers of positions that tuples, indices' last axis, address in axes of these sizes."""
    inside = np.clip(indices.astype(np.int64), 0, np.array(sizes) - 1)
    found: NDArray[np.int64] = inside @ np.array(strides(tuple(sizes)), np.int64)
    return found


def index_problems(indices: Tensor, sizes: Sequence[int]) -> Iterator[str]:
    """Sentence where constant indices, in tuples along the last axis, are beyond these sizes."""
    if indices.constant is None:
        return
    wrong = (indices.data < 0) | (indices.data >= np.array(sizes))
    if wrong.any():
        found = sorted(set(indices.data[wrong].tolist()))
        yield f"indices {found} are no positions along axes of {list(sizes)}"
