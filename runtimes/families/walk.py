"""Walks: ops whose output has elements of x, at regular distances along each axis."""

from __future__ import annotations

from functools import reduce

from opsmith.op import *
from runtimes.families.axes import merged, strides
from runtimes.families.movement import EVERY_TYPE, HEADER, movement

MAX_AXES = 8  # of a walk: no tensor of TFLite has more
Cost = Callable[[NodeView], float]
Loop = tuple[int, int]  # a size, and elements of x from one position to the next
Eight = tuple[int, int, int, int, int, int, int, int]


@dataclass(frozen=True)
class Walk:
    """Places in x of the elements of y, in order, as nested loops."""

    first: int
    axes: Sequence[Loop | list[Loop]]  # of y: each is a loop, or several, the first outermost

    @classmethod
    def of_positions(cls, x: Tensor, positions: Sequence[range]) -> Walk:
        """Walk through these positions of each axis of x."""
        steps = strides(x.shape)
        first = sum(each.start * step for each, step in zip(positions, steps, strict=True))
        along = zip(positions, steps, strict=True)
        return cls(first, [(len(each), each.step * step) for each, step in along])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of y."""
        return tuple(math.prod(size for size, _ in loops) for loops in self._by_axis())

    @property
    def loops(self) -> list[Loop]:
        """Loops of all axes, the outermost first."""
        return [loop for loops in self._by_axis() for loop in loops]

    def _by_axis(self) -> list[list[Loop]]:
        return [axis if isinstance(axis, list) else [axis] for axis in self.axes]

    def merged(self) -> Walk:
        """Walk in as few loops as possible, at least one."""
        loops = [(size, step) for size, step in merged(*self.loops)]
        return Walk(self.first, loops or [(1, 1)])

    def elements(self) -> NDArray[np.int64]:
        """Indices in x of the elements, in order."""
        places = [np.arange(size, dtype=np.int64) * step for size, step in self.loops]
        return reduce(np.add.outer, places, np.array(self.first, np.int64)).reshape(-1)

    def channels(self, of: int, to: int) -> NDArray[np.int64]:
        """Channels of x, out of `of`, that go to each of the `to` channels of y: a column for each.

        The last loops that together are whole rows of y give its channels. An outer loop counts
        only where its steps change the channel of x; dropping the rest makes rows fewer.
        """
        loops = self.loops
        first = len(loops)
        while first and math.prod(size for size, _ in loops[first:]) % to:
            first -= 1
        outer = (loop for loop in loops[:first] if loop[1] % of)
        found = Walk(self.first, (*outer, *loops[first:])).elements() % of
        return found.reshape(-1, to)


WalkOf = Callable[[NodeView], Walk]


def walk_through(
    name: str,
    source: Rename,
    walk: WalkOf,
    example: Example,
    *,
    cost: Cost | None = None,
    **fields: Any,
) -> Op:
    """Op whose y walks through x in up to MAX_AXES loops. The walk has the shape of y.

    `cost` is that of the definition. `fields` are further ones of `walked`, except check.
    """

    def check(node: NodeView) -> Iterator[str]:
        if len(walk(node).merged().loops) > MAX_AXES:
            x = node["x"].type
            yield f"x {x} has more than {MAX_AXES} dimensions that do not stay side by side"

    kernel = gathered(walk, cost=cost)
    fields.setdefault("kind", Kind("movement", "gather"))
    return walked(name, source, walk, (kernel,), example, check=check, **fields)


def walked(
    name: str,
    source: Rename,
    walk: WalkOf,
    kernels: tuple[Kernel, ...],
    example: Example,
    types: tuple[DType, ...] = EVERY_TYPE,
    **fields: Any,
) -> Op:
    """Op whose y walks through x, with the shape of the walk, by these kernels.

    `fields` are further ones of `movement`, except evaluate and hooks.
    """

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [inputs[0].reshape(-1)[walk(node).elements()].reshape(node["y"].shape)]

    def part(node: NodeView) -> int | None:
        """Byte offset of y in x, if y is contiguous in x, else None."""
        found = walk(node).merged()
        together = len(found.loops) == 1 and found.loops[0][1] == 1
        return found.first * node["x"].dtype.size if together else None

    def identity(node: NodeView) -> bool:
        return part(node) == 0 and node["x"].elements == node["y"].elements

    def channels(node: NodeView) -> NDArray[np.int64]:
        return walk(node).channels(channels_of(node["x"]), channels_of(node["y"]))

    def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
        x, of = ranges[node["x"].id], channels(node)
        return [Range(x.low[of].min(axis=0), x.high[of].max(axis=0))]

    def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
        """Channels that are needed: x's are y's where channels stay channels, else all of x."""
        x, y = node["x"], node["y"]
        of = channels(node)
        stay = channels_of(x) == channels_of(y) and np.array_equal(of, np.arange(of.size)[None])
        return tied((x, y), live) if stay else all_live((x, y))

    return movement(
        name,
        source,
        lambda node: [walk(node).shape],
        kernels,
        types,
        example,
        evaluate=evaluate,
        hooks=Hooks(
            channels=Channels(value_range, live_channels), views=Views(part=part, identity=identity)
        ),
        **fields,
    )


@dataclass(frozen=True)
class GatherParams:
    """Places in x of the elements of y. Axes that are walked in one go are merged."""

    first: int  # element of x that is the first of y
    size: Eight  # of y, with leading ones
    step: Eight  # elements of x from one of y to the next along each axis


def gathered(
    walk: WalkOf,
    params: type = GatherParams,
    most: int = MAX_AXES,
    name: str = "reference",
    cost: Cost | None = None,
) -> Kernel:
    """Kernel of an op whose y walks through x in up to `most` loops.

    `params` has the fields of GatherParams.
    """

    fill = _filled(walk, params, most)

    def problem(node: NodeView) -> str:
        axes = len(walk(node).merged().loops)
        return f"{axes} axes, more than {most}" if axes > most else ""

    def overlap(node: NodeView) -> dict[str, Distance]:
        return _overlap(walk(node), node["x"].dtype.size)

    plan = every_node(fill, overlap=overlap)
    return Kernel(
        name,
        params,
        plan if name == "reference" else refusing(plan, problem),
        header=HEADER,
        function="opsmith::movement::gather<T>",
        arguments=("p", "in.x", "out.y"),
        cost=cost,
        code=Code(instance=90, general=410),
    )


def _overlap(walk: Walk, width: int) -> dict[str, Distance]:
    """Distance at which y may overlap x, for walks whose elements rise in x. Runs of neighbours are
    copied by memcpy, and may not overlap.
    """
    loops, reach = walk.merged().loops, 0
    for size, step in reversed(loops):
        if step <= reach:
            return {}
        reach += (size - 1) * step
    run = loops[-1][0] if loops[-1][1] == 1 else 0
    return {"x": Distance((run - walk.first) * width)}


def _filled(walk: WalkOf, params: type, most: int) -> Callable[[NodeView], Any]:
    """Function that fills the params of a walk in `most` loops, the first perhaps of one pass."""

    def fill(node: NodeView) -> Any:
        found = walk(node).merged()
        leading = ((1, 1),) * (most - len(found.loops))
        size, step = zip(*leading, *found.loops, strict=True)
        return params(found.first, size, step)

    return fill


def padded(values: Sequence[int]) -> Eight:
    """Values after leading ones, MAX_AXES in all."""
    a, b, c, d, e, f, g, h = (1,) * (MAX_AXES - len(values)) + tuple(values)
    return a, b, c, d, e, f, g, h
