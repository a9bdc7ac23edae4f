"""The generated model as data: model.json, which rigs and reports read."""

from collections.abc import Mapping, Sequence
from typing import Any

from opsmith.contract.assertions import shown_path
from opsmith.emit.counts import counts, naming
from opsmith.emit.emitters import NOTHING, Written
from opsmith.emit.guards import kept_by
from opsmith.ir import Candidate, Graph, Node, Offer, Stream, Tensor
from opsmith.ir.flow import Branch, Flow, Loop, spans
from opsmith.ir.program import Program, Step
from opsmith.op.fields import layout
from opsmith.op.index import OpFolder, OpIndex


def manifest(program: Program, ops: OpIndex, written: Written = NOTHING) -> dict[str, Any]:
    """Tensors, plan, nodes, ops and sizes of a program, ready for JSON."""
    graph = program.graph
    plan = graph.plan
    assert plan is not None
    inputs = [graph.tensors[name] for name in graph.inputs]
    if graph.pushed is not None:
        inputs = [graph.pushed.input]
    passes, names, absent = counts(graph), naming(graph, ops), _absent(program)
    return {
        "name": graph.name,
        "stepwise": program.stepwise,
        "flow": _flow(graph.flow, spans(graph.flow, [node.block for node in graph.nodes]))
        if graph.stream is None or graph.pushed
        else in_passes(graph, graph.stream),
        "guards": program.guards,
        "stream": _stream(graph.pushed),
        "ram": _ram(graph),
        "inputs": [
            _io(tensor)
            | ({"count": True} if tensor.id in passes else {})
            | ({"names": True} if tensor.id in names else {})
            for tensor in inputs
        ],
        "outputs": [_io(graph.tensors[name]) for name in graph.outputs],
        "arena": {
            memory: {
                "bytes": size,
                "alignment": plan.alignment,
                "lower_bound": plan.lower_bounds[memory],
            }
            for memory, size in plan.arenas.items()
        },
        "state_bytes": state_bytes(program),
        "constant_bytes": sum(table.bytes for table in program.tables) + struct_bytes(program),
        "flash_offers": [_offer(offer) for offer in _offers(program)],
        "macs": sum(step.macs or 0 for step in program.steps),
        "nodes": [
            _node(i, step, graph, written, ops, absent[step.node.op]) | _keeps(program, i)
            for i, step in enumerate(program.steps)
        ],
        "ops": {name: _op(ops.by_name[name]) | {"absent": why} for name, why in absent.items()},
        "tensors": [
            {
                "id": name,
                "memory": at.memory,
                "offset": at.offset,
                "bytes": at.bytes,
                "first": at.first,
                "last": at.last,
            }
            for name, at in plan.placements.items()
        ],
        **({"emitted": dict(written.report)} if written.report else {}),
    }


def _flow(flow: Flow, nodes: Mapping[int, range]) -> list[dict[str, Any]]:
    """Description of control flow by indices of nodes, ready for JSON."""

    def item(each: int | Branch | Loop) -> dict[str, Any]:
        match each:
            case Branch():
                then, otherwise = _flow(each.then, nodes), _flow(each.otherwise, nodes)
                return {"if": each.condition, "then": then, "else": otherwise}
            case Loop():
                test, body = _flow(each.test, nodes), _flow(each.body, nodes)
                return {"while": each.condition, "test": test, "body": body}
            case _:
                return {"block": each, "nodes": list(nodes[each])}

    return [item(each) for each in flow]


def struct_bytes(program: Program) -> int:
    """Bytes of the constants that model.cc spells out."""
    structs: list[type] = [type(each.value) for each in program.structs]
    return sum(layout(struct).itemsize for struct in structs)


def _keeps(program: Program, index: int) -> dict[str, Any]:
    """Bytes that a node must leave unchanged in a debug build, numbered as in firmware."""
    if not program.guards or program.steps[index].in_place:
        return {}
    return {"keeps": [vars(kept) for kept in kept_by(program, index)]}


def state_bytes(program: Program) -> int:
    """Bytes of state buffers beside the arenas, which survive invoke()."""
    states = [buffer for step in program.steps for buffer in step.states.values()]
    return sum(buffer.elements * buffer.dtype.size for buffer in states)


def _stream(stream: Stream | None) -> dict[str, Any] | None:
    """Description of how rows of the input are pushed; None without streaming."""
    if stream is None:
        return None
    kind = "frames" if stream.frames else "rows"
    return {"push": kind, "nodes": stream.nodes, "passes": stream.passes}


def _ram(graph: Graph) -> dict[str, Any]:
    """Description of the nodes that run row by row within invoke(), and of alternative trades."""
    assert graph.plan is not None
    stream = None if graph.pushed else graph.stream
    taken = (0, 0) if stream is None else (stream.first, stream.nodes)
    return {
        "rows": None if stream is None else _rows(graph.nodes, *taken),
        "curve": [
            {
                "bytes": each.bytes,
                "instructions": each.instructions,
                "rows": _rows(graph.nodes, each.first, each.nodes) if each.nodes else None,
                "taken": (each.first, each.nodes) == taken,
            }
            for each in graph.plan.trades
        ],
    }


def _rows(nodes: Sequence[Node], first: int, count: int) -> dict[str, Any]:
    """First and last node that run row by row, in the order of whole tensors, and their number."""
    return {"first": nodes[first].name, "last": nodes[first + count - 1].name, "nodes": count}


def _io(tensor: Tensor) -> dict[str, Any]:
    quantization = tensor.quantization
    single = quantization is not None and not quantization.per_channel
    return {
        "name": tensor.name,
        "id": tensor.id,
        "dtype": tensor.dtype.name,
        "shape": list(tensor.shape),
        "bytes": tensor.bytes,
        "scale": tensor.scale if single else None,
        "zero_point": tensor.zero_point if single else None,
        **({"expected": list(tensor.expected)} if tensor.expected else {}),
    }


def _op(found: OpFolder) -> dict[str, str]:
    """Title and folder of an op. Of a folder outside of Opsmith only the last two parts are given,
    which are equal on every machine.
    """
    folder = shown_path(found.folder)
    inside = not folder.startswith("/")
    return {"title": found.title, "folder": folder if inside else "/".join(folder.split("/")[-2:])}


def _absent(program: Program) -> dict[str, dict[str, str]]:
    """Kernels that no node of the build can use, by op, each with a feature that the core lacks, or
    the rule of numerics that it does not know.
    """
    found: dict[str, dict[str, str]] = {step.node.op: {} for step in program.steps}
    judged = set()
    for step in program.steps:
        candidates = step.node.kernel.candidates if step.node.kernel else ()
        judged |= {(step.node.op, each.name) for each in candidates if not each.absent}
        absent = (each for each in candidates if each.absent and not each.elsewhere)
        found[step.node.op] |= {each.name: each.refused for each in absent}
    return {
        op: {name: why for name, why in sorted(found[op].items()) if (op, name) not in judged}
        for op in sorted(found)
    }


def _node(
    index: int,
    step: Step,
    graph: Graph,
    written: Written,
    ops: OpIndex,
    absent: Mapping[str, str],
) -> dict[str, Any]:
    choice, called = step.node.kernel, step.node.name not in written.followers
    assert choice is not None
    _, kernel = ops.kernel(step.node.op, choice.types, choice.index)
    return {
        "index": index,
        "op": step.node.op,
        "name": step.node.name,
        "source": step.node.source,
        "kernel": "in place" if step.in_place else choice.name,
        "requires": [] if step.in_place else sorted(kernel.requires),
        "why": choice.why,
        "candidates": [
            _candidate(each, taken=each is choice.taken)
            for each in choice.candidates
            if not each.elsewhere and each.name not in absent
        ],
        "specialised": choice.specialised and step.instance.params is not None,
        "instance": step.instance.name if called and not step.in_place else None,
        "backward": step.node.reversed,  # walks from the last pixel to the first
        "macs": step.macs,
        "numerics": step.node.numerics,
        "remarks": list(step.node.remarks),
        "inputs": list(filter(None, step.node.inputs)),
        "outputs": list(step.node.outputs),
        "shapes": [list(graph.tensors[name].shape) for name in step.node.outputs],
    }


def _candidate(candidate: Candidate, *, taken: bool) -> dict[str, Any]:
    """Candidate as data: declared cycles, measured time and the reason against it."""
    cost = candidate.cost
    return {
        "kernel": candidate.name,
        "taken": taken,
        "cost": None if cost is None else round(cost),
        "measured": candidate.measured,
        "growth": candidate.growth,
        "refused": candidate.refused,
    }


def _offers(program: Program) -> list[Offer]:
    """Offers of speed for flash: purchases first, then by gain per byte."""
    choices = (step.node.kernel for step in program.steps if step.node.kernel is not None)
    offers = dict.fromkeys(offer for choice in choices for offer in choice.offers)
    return sorted(offers, key=lambda o: (not o.bought, -o.gain / max(o.bytes, 1), o.nodes))


def _offer(offer: Offer) -> dict[str, Any]:
    per_byte = None if offer.bytes <= 0 else round(offer.gain / offer.bytes, 2)
    return {
        "what": offer.what,
        "nodes": list(offer.nodes),
        "bytes": offer.bytes,
        "gain": round(offer.gain),
        "gain_per_byte": per_byte,
        "bought": offer.bought,
    }


def in_passes(graph: Graph, stream: Stream) -> list[dict[str, Any]]:
    """Flow of a streamed graph: nodes that run once, then those of passes, then the rest.

    Node i of a pass is `due` from a first pass on, at an interval of passes, a number of times.
    """
    before, rows = range(stream.first), range(stream.first, stream.end)
    due = [_due(stream, graph, index) for index in rows]
    passes = {"block": 0, "nodes": [*rows], "passes": stream.passes, "due": due}
    once = (before, range(stream.end, len(graph.nodes)))
    first, then = ({"block": 0, "nodes": [*nodes]} for nodes in once)
    return [each for each in (first, passes, then) if each["nodes"]]


def _due(stream: Stream, graph: Graph, index: int) -> list[int]:
    at = stream.when(graph.nodes[index])
    assert at is not None, "a node of the passes has rows"
    return [at.first, at.every, at.rows]
