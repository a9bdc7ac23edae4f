"""Bytes that cross between host and device, and when.

The device's arena has the layout of the host's. For every byte, the place of its newest value is
tracked: a segment uploads bytes that it reads and the host wrote, and downloads bytes that the host
reads later.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Placement
from opsmith.ir.flow import STRAIGHT
from opsmith.ir.program import Program, Step
from opsmith.op import BackendPart
from runtimes.gpu.source import Launch

Ranges = tuple[tuple[int, int], ...]  # offset and bytes


@dataclass(frozen=True)
class Transfers:
    """Ranges of the arena that are uploaded before a segment runs, and downloaded after it."""

    uploads: Ranges
    downloads: Ranges


def transfers(part: BackendPart, launches: Mapping[str, Launch]) -> list[Transfers]:
    """Uploads and downloads of each segment.

    Where nodes may run in another order than listed, or one by one for inspection, a segment
    uploads all that it reads and downloads all that it writes.
    """
    program = part.program
    segments = [[launches[call.step.node.name] for call in calls] for calls in part.segments]
    alone = program.stepwise or program.guards or program.graph.stream is not None
    if alone or program.graph.flow != STRAIGHT:
        return [Transfers(merged(_read(each)), merged(_written(each))) for each in segments]
    return _Bytes(program, segments).transfers()


def _read(launches: Iterable[Launch]) -> Iterator[tuple[int, int]]:
    """Arena bytes that the nodes read or write, including outputs that they fill in part."""
    for launch in launches:
        yield from ((o.offset, o.bytes) for o in launch.operands if not o.symbol)


def _written(launches: Iterable[Launch]) -> Iterator[tuple[int, int]]:
    for launch in launches:
        yield from ((o.offset, o.bytes) for o in launch.operands if o.written)


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges without overlaps, as few as possible, that cover the bytes of the given ranges."""
    found: list[tuple[int, int]] = []
    for offset, size in sorted(set(ranges)):
        if found and offset <= sum(found[-1]):
            start = found[-1][0]
            found[-1] = (start, max(sum(found[-1]), offset + size) - start)
        elif size:
            found.append((offset, size))
    return tuple(found)


@dataclass
class _Bytes:
    """Place of the newest value of each arena byte, while a program's steps are simulated."""

    program: Program
    segments: Sequence[Sequence[Launch]]
    device: NDArray[np.bool_] = field(init=False)  # it is there
    host: NDArray[np.bool_] = field(init=False)
    writer: NDArray[np.int32] = field(init=False)  # the segment that wrote it last
    uploads: list[list[tuple[int, int]]] = field(init=False)
    downloads: list[list[tuple[int, int]]] = field(init=False)

    def transfers(self) -> list[Transfers]:
        plan = self.program.graph.plan
        assert plan is not None
        size = max(plan.arenas.values(), default=0)
        self.device, self.host = np.zeros(size, bool), np.ones(size, bool)
        self.writer = np.full(size, -1, np.int32)
        self.uploads = [[] for _ in self.segments]
        self.downloads = [[] for _ in self.segments]
        begins = {each[0].node: number for number, each in enumerate(self.segments)}
        ours = {launch.node for each in self.segments for launch in each}
        for step in self.program.steps:
            if step.node.name in begins:
                self._segment(begins[step.node.name])
            elif step.node.name not in ours and not step.in_place:
                self._host_node(step, plan.placements)
        graph = self.program.graph
        kept = [t.id for t in graph.tensors.values() if t.variable]
        self._host_reads(
            plan.placements[name] for name in (*graph.outputs, *kept) if name in plan.placements
        )
        pairs = zip(self.uploads, self.downloads, strict=True)
        return [Transfers(merged(up), merged(down)) for up, down in pairs]

    def _segment(self, number: int) -> None:
        for launch in self.segments[number]:
            for operand in launch.operands:
                if not (operand.symbol or operand.written):
                    self._device_reads(number, operand.offset, operand.bytes)
            for operand in launch.operands:
                if operand.written:
                    at = slice(operand.offset, operand.offset + operand.bytes)
                    if self._is_variable(operand.offset):
                        self._device_reads(number, operand.offset, operand.bytes)
                    self.device[at], self.host[at], self.writer[at] = True, False, number

    def _is_variable(self, offset: int) -> bool:
        graph = self.program.graph
        assert graph.plan is not None
        variables = (t.id for t in graph.tensors.values() if t.variable)
        return any(graph.plan.placements[name].offset == offset for name in variables)

    def _device_reads(self, number: int, offset: int, size: int) -> None:
        for start, length in runs(~self.device[offset : offset + size]):
            self.uploads[number].append((offset + start, length))
        self.device[offset : offset + size] = True

    def _host_node(self, step: Step, placements: Mapping[str, Placement]) -> None:
        inputs = [name for name in step.node.inputs if name is not None and name in placements]
        read = [placements[name] for name in inputs]
        written = [placements[name] for name in step.node.outputs]
        self._host_reads(read)
        scratch = (at for name, at in placements.items() if name.startswith(f"{step.node.name}."))
        for at in (*written, *scratch):
            self.host[at.offset : at.offset + at.bytes] = True
            self.device[at.offset : at.offset + at.bytes] = False
        for name in inputs:  # variables that the host's node may have changed
            if self.program.graph.tensors[name].variable:
                at = placements[name]
                self.device[at.offset : at.offset + at.bytes] = False

    def _host_reads(self, places: Iterable[Placement]) -> None:
        for at in places:
            for start, length in runs(~self.host[at.offset : at.offset + at.bytes]):
                begin = at.offset + start
                for inner, count in runs_of_equal(self.writer[begin : begin + length]):
                    segment = int(self.writer[begin + inner])
                    self.downloads[segment].append((begin + inner, count))
            self.host[at.offset : at.offset + at.bytes] = True


def runs(wanted: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Start and length of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(np.int8)))
    for start, end in edges.reshape(-1, 2):
        yield int(start), int(end - start)


def runs_of_equal(values: NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    bounds = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    for start, end in pairwise(bounds):
        yield start, end - start
