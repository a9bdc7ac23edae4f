"""Facts about a program on any GPU, for report.json."""

from math import prod

from opsmith.op import *
from runtimes.gpu.launches import arena_bytes, constant_places, end_of
from runtimes.gpu.source import KernelUnit, Launch


def facts(part: BackendPart, unit: KernelUnit) -> dict[str, Any]:
    """Launches in order, each with the bytes it moves, and the sizes of the device's buffers."""
    return {
        "launches": [
            _launch(unit.launches[call.step.node.name], call.step.macs)
            for segment in part.segments
            for call in segment
        ],
        "segments": len(part.segments),
        "arena_bytes": arena_bytes(part) if part.segments else 0,
        "constant_bytes": end_of(constant_places(unit)),
    }


def _launch(launch: Launch, macs: int | None) -> dict[str, Any]:
    """Kernel and work-items of a node, and the bytes of its distinct operands."""
    moved = sum(operand.bytes for operand in launch.operands)
    return {
        "node": launch.node,
        "kernel": launch.kernel,
        "items": prod(launch.items),
        "group": list(launch.group),
        "bytes": moved,
        "macs_per_byte": None if macs is None else round(macs / moved, 2),
    }
