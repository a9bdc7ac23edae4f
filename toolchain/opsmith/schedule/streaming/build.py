"""Construction of the graph of a schedule, in which some nodes run once for every row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from opsmith.ir import Graph, Held, Node, Stream, Tensor
from opsmith.op.rows import AXIS
from opsmith.schedule.streaming.schedule import (
    Read,
    Schedule,
    Scheduled,
    outside_values,
    reads_after,
)

ALIGNMENT = 16  # bytes: alignment of tensors in a buffer of rows


@dataclass
class _Made:
    """Streamed tensors: the tensor of one row of each, and the buffers and views of kept rows."""

    row: Mapping[str, str]  # streamed tensor -> tensor of one row of it
    tensors: dict[str, Tensor]
    views: dict[Read, str] = field(default_factory=dict)  # tensors that nodes read
    held: list[Held] = field(default_factory=list)


def streamed(graph: Graph, found: Schedule, count: int, *, frames: bool) -> Graph:
    """Return the graph whose first `count` scheduled nodes stream, for one image or endlessly."""
    chosen, pushed = found.nodes[:count], found.first < 0
    read = {each.tensor for scheduled in chosen for each in scheduled.reads}
    found = replace(found, images=tuple(n for n in found.images if pushed or n in read))
    inside = {each.node.name for each in chosen}
    inside |= _views_in_front(graph, found.images[0]) if pushed else set()
    before = graph.nodes[: max(found.first, 0)]
    rest = tuple(node for node in graph.nodes[len(before) :] if node.name not in inside)
    wanted = _crossing(graph, found.images if pushed else (), chosen, rest)
    end, after = reads_after(found, wanted)
    lagging = _lagging(chosen, set(wanted) if frames else set())
    chosen = _ordered(chosen, lagging)
    made = _made(graph, found, chosen, after if frames else {}, lagging)
    nodes = tuple(_in_rows(each, made) for each in chosen)
    rows = [made.row[name] for name in found.images]
    stream = Stream(
        frames=frames,
        input=graph.tensors[graph.inputs[0] if pushed else found.images[0]],
        row=rows[0],
        nodes=len(nodes),
        passes=end + 1,
        timing={row: found.timing[name] for name, row in made.row.items()},
        eager={each.node.name: each.eager for each in chosen if each.eager is not None},
        held=tuple(_behind(held, len(before)) for held in made.held),
        gathered={} if frames else {made.row[name]: name for name in wanted},
        taken={} if pushed else dict(zip(rows, found.images, strict=True)),
        first=len(before),
    )
    result = replace(graph, inputs=tuple(rows) if pushed else graph.inputs, stream=stream)
    result = result.with_nodes((*before, *nodes, *rest), **made.tensors)
    arriving = {row: made.tensors[row] for row in rows}  # even if no node reads them
    return replace(result, tensors={**result.tensors, **arriving})


def _behind(held: Held, nodes: int) -> Held:
    """Return the buffer with node indices shifted for `nodes` nodes in front."""
    return held if held.last < 0 else replace(held, last=held.last + nodes)


def _made(
    graph: Graph,
    found: Schedule,
    chosen: Sequence[Scheduled],
    tail: Mapping[str, Read],
    lagging: set[str],
) -> _Made:
    """Make the rows of all streamed tensors; rows of those in `tail` are read after every pass."""
    names = [*found.images, *(each.node.outputs[0] for each in chosen)]
    reads = [read for each in chosen for read in each.reads]
    depths = dict.fromkeys(names, 1)
    for read in (*reads, *tail.values()):
        depths[read.tensor] = max(depths[read.tensor], read.depth)
    taken = set(graph.tensors)
    whole = {name for name in tail if depths[name] == 1}  # buffers of one row
    row = {name: name if name in whole else _fresh(f"{name}_row", taken) for name in names}
    made = _Made(row, {row[name]: _rows_of(graph, name, row[name], 1) for name in names})
    for name in names:
        last = None if name in whole else tail.get(name)
        mine = [read for read in reads if read.tensor == name and not read.direct]
        every = list(dict.fromkeys(mine if last is None else [*mine, last]))
        for read in every:
            made.views[read] = name if read == last else _fresh(f"{name}_rows", taken)
            made.tensors[made.views[read]] = _rows_of(graph, name, made.views[read], read.window)
        for group in _groups(every, made.tensors[row[name]].bytes):
            early = name in lagging or last in group
            made.held.append(_held(made, group, chosen, early, name in lagging))
    return made


def _views_in_front(graph: Graph, image: str) -> set[str]:
    """Names of the nodes between the graph's input and an image that is a view of the input."""
    producers, names = graph.producers(), set()
    while image in producers:
        node = graph.nodes[producers[image]]
        names.add(node.name)
        image = node.inputs[0] or ""
    return names


def _crossing(
    graph: Graph, images: Sequence[str], chosen: Sequence[Scheduled], rest: Sequence[Node]
) -> list[str]:
    """Return the streamed tensors that unstreamed nodes or the application read."""
    written = [*images, *(each.node.outputs[0] for each in chosen)]
    read = {name for node in rest for name in node.inputs} | set(graph.outputs)
    return [name for name in written if name in read]


def _lagging(chosen: Sequence[Scheduled], others: set[str]) -> set[str]:
    """Return the streamed tensors whose arriving row nobody reads.

    Their rows are made after all reads of the tensor, in place of the oldest row, so that one row
    less is kept.
    """
    reads: dict[str, list[Read]] = {}
    for each in chosen:
        for read in each.reads:
            reads.setdefault(read.tensor, []).append(read)
    made = {each.node.outputs[0] for each in chosen} - others
    return {name for name in made & set(reads) if all(r.lag or r.late for r in reads[name])}


def _ordered(chosen: Sequence[Scheduled], lagging: set[str]) -> tuple[Scheduled, ...]:
    """Return the nodes in the order of a pass: after their inputs, but before lagging tensors."""
    makers = {each.node.outputs[0]: i for i, each in enumerate(chosen)}
    before: list[set[int]] = [set() for _ in chosen]
    for i, each in enumerate(chosen):
        for maker, name in ((makers.get(r.tensor), r.tensor) for r in each.reads):
            if maker is not None:
                (first, then) = (i, maker) if name in lagging else (maker, i)
                before[then].add(first)
    order: list[int] = []
    while len(order) < len(chosen):
        done = set(order)
        order.append(next(i for i, b in enumerate(before) if i not in done and b <= done))
    return tuple(chosen[i] for i in order)


def _groups(reads: Sequence[Read], row_bytes: int) -> list[list[Read]]:
    """Group the reads by buffer: one for all, unless some would not be aligned in it."""
    depth = max((read.depth for read in reads), default=0)
    if all((depth - read.depth) * row_bytes % ALIGNMENT == 0 for read in reads):
        return [list(reads)] if reads else []
    depths = sorted({read.depth for read in reads})
    return [[read for read in reads if read.depth == each] for each in depths]


def _held(
    made: _Made, reads: Sequence[Read], chosen: Sequence[Scheduled], early: bool, lagging: bool
) -> Held:
    """Return the buffer that keeps the newest rows of a tensor for the given reads."""
    depth = max(read.depth for read in reads)
    name = reads[0].tensor
    row = made.tensors[made.row[name]]
    users = [
        i
        for i, each in enumerate(chosen)
        if name in each.node.outputs or any(read.tensor == name for read in each.reads)
    ]
    return Held(
        tensor=row.id,
        buffer=f"{row.id}.last_{depth - lagging}",
        depth=depth - lagging,
        row_bytes=row.bytes,
        views={made.views[read]: depth - read.depth for read in reads},
        last=-1 if early else max(users),
        copied=(depth - lagging - 1) * row.bytes % ALIGNMENT != 0,
        value=dict(outside_values(chosen)).get(name),
        before=any(read.before for read in reads),
        after=any(read.after for read in reads),
    )


def _rows_of(graph: Graph, name: str, ident: str, rows: int) -> Tensor:
    tensor = graph.tensors[name]
    shape = (*tensor.shape[:AXIS], rows, *tensor.shape[AXIS + 1 :])
    return replace(tensor, id=ident, shape=shape)


def _in_rows(each: Scheduled, made: _Made) -> Node:
    read = {r.tensor: made.row[r.tensor] if r.direct else made.views[r] for r in each.reads}
    inputs = tuple(name if name is None else read.get(name, name) for name in each.node.inputs)
    outputs = tuple(made.row[name] for name in each.node.outputs)
    attributes = {**each.node.attributes, **each.rows.attributes}
    return replace(each.node, inputs=inputs, outputs=outputs, attributes=attributes)


def _fresh(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name
