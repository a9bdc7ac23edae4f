"""Nodes that can run row by row, and the pass in which each row of their outputs can be made.

The rows of an image arrive one per pass, from pass 0 on: the application pushes them, or they are
taken from whole tensors of earlier nodes. A node whose window spans `window` rows can make row i of
its output as soon as row i * stride - before + window - 1 of its input has arrived; hence, where
rows of its input come in passes first + j * every, those of its output come in passes first +
(window - 1 - before) * every + i * (every * stride). A node with several inputs waits for the last
of them and reads the others with a lag. Nothing is computed twice, and all is static: a counter of
passes is the whole state of the schedule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from opsmith.ir import Graph, Node, Tensor, Timing
from opsmith.op.hooks import Streaming
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.rows import AXIS, RowWindow


@dataclass(frozen=True)
class Read:
    """Rows of a streamed tensor that a node reads when it runs."""

    tensor: str
    window: int  # number of rows
    lag: int  # number of rows that arrived after the last of them
    late: bool  # True: the newest row arrived in an earlier pass
    before: bool = False  # True: the first windows include rows above the image
    after: bool = False  # True: the last windows include rows below the image

    @property
    def depth(self) -> int:
        """Number of rows to keep, including the place of the next row."""
        return self.window + self.lag + self.late

    @property
    def direct(self) -> bool:
        """True if the node reads only the arriving row."""
        return self.depth == 1 and not self.after


@dataclass(frozen=True)
class Scheduled:
    """A node that can run row by row, with its reads and timing."""

    node: Node
    rows: RowWindow
    reads: tuple[Read, ...]
    timing: Timing  # timing of its output
    eager: Timing | None = None  # timing of its runs, if it takes rows one by one


@dataclass(frozen=True)
class Schedule:
    """Nodes that can stream, each after its inputs, and reasons why other nodes cannot."""

    images: tuple[str, ...]  # tensors whose rows arrive
    timing: dict[str, Timing]
    nodes: tuple[Scheduled, ...]
    refused: tuple[str, ...]  # reasons, beginning with that for the first node
    first: int = -1  # index of the node that first takes rows; -1: rows are pushed


class Refusal(Exception):
    """Reason why a node cannot run row by row, as a sentence."""


def schedule(graph: Graph, ops: OpIndex, *, frames: bool) -> Schedule:
    """Return the schedule of all nodes that can stream; with `frames`, endlessly, making each row
    of an output once.
    """
    image, refused = _image(graph, ops)
    found = Schedule((image,), {}, (), tuple(refused))
    if not refused:
        found.timing[image] = Timing(0, 1, graph.tensors[image].shape[AXIS])
    values: dict[str, int] = {}
    for node in graph.nodes if not refused else ():
        if not any(name in found.timing for name in node.inputs) or image in node.outputs:
            continue
        try:
            scheduled = _scheduled(graph, ops, node, found.timing, frames=frames)
            _agree(values, scheduled)
        except Refusal as reason:
            found = replace(found, refused=(*found.refused, f"{node.name} {reason}"))
        else:
            found.timing[node.outputs[0]] = scheduled.timing
            found = replace(found, nodes=(*found.nodes, scheduled))
    return found


def schedule_from(graph: Graph, ops: OpIndex, first: int, most: int) -> Schedule:
    """Return the schedule of up to `most` successive nodes, from node `first` on, that can stream.

    Rows are taken from whole tensors of one height: inputs, and outputs of the nodes before.
    """
    timing: dict[str, Timing] = {}
    values: dict[str, int] = {}
    images: list[str] = []
    nodes: list[Scheduled] = []
    for node in graph.nodes[first : first + most]:
        read = [n for n in node.inputs if n is not None and graph.tensors[n].constant is None]
        whole = [graph.tensors[n] for n in dict.fromkeys(read) if n not in timing]
        heights = {each.shape[AXIS] if _is_image(each) else 0 for each in whole}
        heights |= {timing[name].rows for name in images}
        if len(heights) != 1 or min(heights) < 2:
            break
        arriving = {each.id: Timing(0, 1, each.shape[AXIS]) for each in whole}
        try:
            scheduled = _scheduled(graph, ops, node, timing | arriving, frames=False)
            _agree(values, scheduled)
        except Refusal:
            break
        timing |= {**arriving, node.outputs[0]: scheduled.timing}
        images += arriving
        nodes.append(scheduled)
    return Schedule(tuple(images), timing, tuple(nodes), (), first)


def reads_after(found: Schedule, wanted: Sequence[str]) -> tuple[int, dict[str, Read]]:
    """Return the first pass in which all rows of the images and of the wanted tensors exist, and
    the rows of each wanted tensor at that time.

    Rows of pushed images count even where no wanted tensor needs the last of them: outputs are
    those of a whole image, or of the frames up to the one that was pushed.
    """
    timing = found.timing
    passes = {name: timing[name].last for name in wanted}
    ends = [timing[name].last for name in found.images if found.first < 0]
    last = max([*ends, *passes.values()])
    reads = {name: Read(name, timing[name].rows, last - passes[name], False) for name in wanted}
    return last, reads


def rows_behind(taken: Timing, made: Timing, x: int, y: int) -> int:
    """Return the number of bytes by which a tensor of rows of `y` bytes must begin before one of
    rows of `x` bytes, so that no row is made over a row that is still to be taken.
    """
    gone = (min(made.first + row * made.every + 1, taken.rows) for row in range(made.rows))
    return max((row + 1) * y - rows * x for row, rows in enumerate(gone))


def _image(graph: Graph, ops: OpIndex) -> tuple[str, list[str]]:
    """Return the tensor whose rows are pushed, past views of the input; or sentences why none."""
    if len(graph.inputs) != 1:
        return "", [f"the model has {len(graph.inputs)} inputs, and rows of one can be pushed"]
    name, consumers = graph.inputs[0], graph.consumers()
    while len(consumers[name]) == 1 and name not in graph.outputs:
        node = graph.nodes[consumers[name][0]]
        if "view" not in ops[node.op].traits:
            break
        (name,) = node.outputs
    tensor = graph.tensors[name]
    if not _is_image(tensor) or tensor.shape[AXIS] < 2:
        what = f"{tensor.name!r} {tensor.type} is no image of several rows"
        return name, [what + _why_not(graph, ops, tensor)]
    return name, []


def _why_not(graph: Graph, ops: OpIndex, tensor: Tensor) -> str:
    """Return the known reason why a tensor is not one image, as text."""
    if len(tensor.shape) > 2 and tensor.shape[0] > 1:
        return f": {tensor.shape[0]} inputs come at once"
    if tensor.id in graph.outputs:
        return ": it is an output, too"
    readers = [graph.nodes[index] for index in graph.consumers()[tensor.id]]
    kept = next((node for node in readers if "view" not in ops[node.op].traits), None)
    if len(tensor.shape) != 4 and kept is not None:
        return f": {kept.name} ({kept.op}) reads it so"
    return f": {len(readers)} nodes give it other shapes" if len(readers) > 1 else ""


def _is_image(tensor: Tensor) -> bool:
    return len(tensor.shape) == 4 and tensor.shape[0] == 1 and not tensor.variable


def _scheduled(
    graph: Graph, ops: OpIndex, node: Node, timing: dict[str, Timing], *, frames: bool
) -> Scheduled:
    op = ops.of(graph, node)
    y = graph.tensors[node.outputs[0]]
    read = [n for n in node.inputs if n is not None and graph.tensors[n].constant is None]
    if any(name not in timing for name in read):
        raise Refusal("reads what is not there row by row")
    if len(node.outputs) > 1 or op.states or not _is_image(y):
        raise Refusal(f"({node.op}) does not make one image from images")
    rows = op.rows_of(view(graph, node, op))
    if rows is None:
        raise Refusal(f"({node.op}) needs more than rows")
    _check(node, rows, timing[read[0]].rows, y.shape[AXIS], frames)
    if rows.one_by_one is not None and not frames and rows.window > 1:
        return _one_by_one(node, op.hooks.streaming, rows, read[0], timing, y)
    needs = {name: _needed(timing[name], rows) for name in read}
    if len({timing[name].every for name in read}) > 1:
        raise Refusal(f"({node.op}) reads rows that come at different rates")
    first = max(needs.values())
    reads = tuple(_read(timing[name], name, rows, first, y) for name in dict.fromkeys(read))
    every = timing[read[0]].every * (rows.stride if y.shape[AXIS] > 1 else 1)
    return Scheduled(node, rows, reads, Timing(first, every, y.shape[AXIS]))


def _one_by_one(
    node: Node, hooks: Streaming, rows: RowWindow, name: str, timing: dict[str, Timing], y: Tensor
) -> Scheduled:
    """Return the node as the op that `one_by_one` names, which runs for every row of its input."""
    x, outputs = timing[name], y.shape[AXIS]
    last = (outputs - 1) * rows.stride + rows.window
    every = x.every * (rows.stride if outputs > 1 else 1)
    made = Timing(x.first + (rows.window - 1) * x.every, every, outputs)
    assert hooks.one_by_one is not None, "rows= gave its attributes"
    attributes = dict(rows.one_by_one or {})
    other = replace(node, op=hooks.one_by_one, inputs=(name,), attributes=attributes)
    read = Read(name, 1, 0, False)
    return Scheduled(other, RowWindow(), (read,), made, Timing(x.first, x.every, last))


def _check(node: Node, rows: RowWindow, size: int, output: int, frames: bool) -> None:
    outside = rows.before > 0 or _below(rows, size, output)
    if frames and outside and size > 1:
        raise Refusal(f"({node.op}) pads its input along time; it has to be VALID there")
    if frames and rows.stride > 1 and output > 1:
        raise Refusal(f"({node.op}) has stride {rows.stride} along time; it has to be 1")
    if outside and (rows.value is None or frames):
        raise Refusal(f"({node.op}) has windows that leave the image above or below")
    if rows.before >= rows.window:
        raise Refusal(f"({node.op}) has windows that lie above the image")


def _below(rows: RowWindow, size: int, output: int) -> bool:
    """True if the last window reaches below an image with `size` rows."""
    return (output - 1) * rows.stride - rows.before + rows.window > size


def _needed(timing: Timing, rows: RowWindow) -> int:
    """Return the first pass in which row 0 of the output can be made."""
    return timing.first + (rows.window - 1 - rows.before) * timing.every


def _read(timing: Timing, name: str, rows: RowWindow, first: int, y: Tensor) -> Read:
    arrived, behind = divmod(first - timing.first, timing.every)
    lag = arrived - (rows.window - 1 - rows.before)
    after = _below(rows, timing.rows, y.shape[AXIS])
    return Read(name, rows.window, lag, behind > 0, rows.before > 0, after)


def _agree(values: dict[str, int], scheduled: Scheduled) -> None:
    """Check that nodes that read rows beyond a tensor expect equal values. Raises Refusal."""
    wanted = scheduled.rows.value
    for read in scheduled.reads:
        if (read.before or read.after) and wanted is not None:
            if values.get(read.tensor, wanted) != wanted:
                raise Refusal("pads its input with another value than others")
            values[read.tensor] = wanted


def outside_values(nodes: Sequence[Scheduled]) -> Iterator[tuple[str, int]]:
    """Yield the tensors that are read outside of their rows, and the value that is read there."""
    for each in nodes:
        for read in each.reads:
            if (read.before or read.after) and each.rows.value is not None:
                yield read.tensor, each.rows.value
