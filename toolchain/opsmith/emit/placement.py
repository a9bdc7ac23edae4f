"""Sides of a program's nodes as data: tensors that cross between sides, reasons, and totals."""

from collections.abc import Sequence
from typing import Any

from opsmith.board.device import PROCESSOR, Device
from opsmith.ir import Side
from opsmith.ir.program import Program, Step
from opsmith.op.index import OpIndex
from opsmith.select.cheapest_sides import cheapest_sides
from opsmith.select.graph_work import Times, graph_work
from opsmith.select.sides import DEVICE, SideChange, SideWork, borders, total


def placement(program: Program, ops: OpIndex, device: Device) -> dict[str, Any]:
    """Sides with their nodes and times, and borders with their tensors, ready for JSON.

    Times are estimates in nanoseconds.
    """
    times = [_times(step) for step in program.steps]
    free = [step.in_place for step in program.steps]
    work = graph_work(program.graph, ops, device, times, free)
    sides = cheapest_sides(work)  # only what is in place can still be on either
    ids = list(program.graph.tensors)
    crossings = [_border(program, work, sides, device, each) for each in borders(work, sides)]
    return {
        "device": device.name,
        "nodes": [
            {
                "name": step.node.name,
                "side": None if step.in_place else _side(step).name,
                "ns": 0 if step.in_place else _side(step).ns,
                "why": "in place: nothing runs" if step.in_place else _side(step).why,
                "reads": [ids[tensor] for tensor in task.reads],
            }
            for step, task in zip(program.steps, work.tasks, strict=True)
        ],
        "sides": {
            name: _totals([step for step in program.steps if _runs_on(step, name)])
            for name in (PROCESSOR, device.name)
        },
        "borders": crossings,
        "bytes": sum(each["bytes"] for each in crossings),
        "border_ns": sum(each["ns"] for each in crossings),
        "ns": total(work, sides),
    }


def _side(step: Step) -> Side:
    assert step.node.kernel is not None and step.node.kernel.side is not None
    return step.node.kernel.side


def _runs_on(step: Step, side: str) -> bool:
    return not step.in_place and _side(step).name == side


def _times(step: Step) -> Times:
    """Times of a step in ns on processor and device: None on the side where it does not run, 0 if
    it is in place.
    """
    side = _side(step)
    if step.in_place:
        return 0, 0
    return (side.ns, None) if side.name == PROCESSOR else (None, side.ns)


def _totals(steps: list[Step]) -> dict[str, int]:
    return {"nodes": len(steps), "ns": sum(_side(step).ns for step in steps)}


def _border(
    program: Program, work: SideWork, sides: Sequence[int], device: Device, border: SideChange
) -> dict[str, Any]:
    """Change of sides as data: next node, new side, tensors that cross, and their readers."""
    graph, ids = program.graph, list(program.graph.tensors)
    crossed = [
        {
            "id": ids[tensor],
            "bytes": graph.tensors[ids[tensor]].bytes,
            "reader": graph.nodes[reader].name if reader < len(sides) else None,
        }
        for tensor, reader in border.crossed
    ]
    return {
        "before": border.task if border.task < len(sides) else None,
        "to": device.name if border.side == DEVICE else PROCESSOR,
        "tensors": crossed,
        "bytes": sum(each["bytes"] for each in crossed),
        "ns": work.border + sum(work.crossing[tensor] for tensor, _ in border.crossed),
        "why": _reason(program, work, border),
    }


def _reason(program: Program, work: SideWork, border: SideChange) -> str:
    if work.apart:
        return "with branches, loops or streams, each node on the device runs alone"
    if border.task == len(work.tasks):
        return "the application reads the outputs"
    step = program.steps[border.task]
    return f"{step.node.name} runs on {_side(step).name}: {_side(step).why}"
