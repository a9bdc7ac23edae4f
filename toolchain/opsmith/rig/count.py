"""Counts of the instructions that each node executes in QEMU, by Opsmith's plugin (plugin/)."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.board.architecture import Core
from opsmith.report.elf import Function, begins_like, read_functions
from opsmith.rig.device_times import lost

RESULT, PLAN = "profile.counts", "profile.plan"
Counts = tuple[int, int]  # executed instructions and modelled cycles


@dataclass(frozen=True)
class Counter:
    """A QEMU plugin with options for what it counts, and the file for its results."""

    options: tuple[str, ...]  # options for QEMU
    result: Path
    calls: int  # calls of the functions of nodes

    def counts(self) -> list[Counts]:
        """Counts of each call in the last invoke(), then of the rest of invoke()."""
        try:
            lines = self.result.read_text(encoding="ascii").splitlines()
            found = [(int(a), int(b)) for a, b in (line.split() for line in lines)]
        except (OSError, ValueError) as error:
            raise lost(f"there are no counts: {error}", self.result) from error
        if len(found) != self.calls + 1:
            raise lost(f"{len(found)} counts for {self.calls} calls of nodes", self.result)
        return found


def prepare_counter(
    plugin: Path,
    elf: Path,
    report: Mapping[str, Any],
    core: Core,
    folder: Path,
    order: Sequence[int],
    function: str = "invoke",
) -> Counter:
    """Counter of a firmware's nodes, with modelled cycles where the core has timings.

    `order` has the indices of the nodes as they run in an invoke(), or in another function of the
    model.
    """
    result = folder.resolve() / RESULT
    result.unlink(missing_ok=True)
    plan = folder.resolve() / PLAN
    lines = [f"core {core.timings.model}"] if core.timings else []
    called = [instance for i in order if (instance := report["nodes"][i]["instance"]) is not None]
    name, suffix = str(report["name"]), core.architecture.handlers
    functions = read_functions(elf)
    whole = _function(functions, name, function, elf)
    lines += [f"invoke {whole.begin:x} {whole.end:x}"]
    lines += [*_addresses(functions, elf, name, called, suffix), f"out {result}"]
    plan.write_bytes(os.fsencode("\n".join(lines) + "\n"))
    # QEMU reads two commas as one.
    value = f"{plugin.resolve()}".replace(",", ",,") + ",plan=" + f"{plan}".replace(",", ",,")
    return Counter(("-plugin", value), result, len(called))


def _addresses(
    functions: Mapping[str, Function], elf: Path, name: str, called: Sequence[str], suffix: str
) -> Iterator[str]:
    """Lines of the plugin's plan with the addresses of nodes, and of handlers outside the model."""
    begins = {each: _function(functions, name, each, elf).begin for each in dict.fromkeys(called)}
    yield from (f"call {begins[each]:x}" for each in called)
    handlers = {each for symbol, each in functions.items() if suffix and symbol.endswith(suffix)}
    for handler in sorted(handlers, key=lambda each: each.begin):
        yield f"ignore {handler.begin:x} {handler.end:x}"


def _function(functions: Mapping[str, Function], space: str, name: str, elf: Path) -> Function:
    """Return the function with a given name in a namespace, whatever its parameters."""
    for symbol, function in functions.items():
        if begins_like(symbol, space, name):
            return function
    raise lost(f"it has no function {space}::{name}", elf)


def per_node(
    nodes: Sequence[Mapping[str, Any]], order: Sequence[int], counts: Sequence[Counts]
) -> list[Counts]:
    """Return the counts by node, all its runs together; zeros where no code of the node ran."""
    found, left = [(0, 0)] * len(nodes), iter(counts)
    for index in order:
        if nodes[index]["instance"] is not None:
            instructions, cycles = next(left)
            found[index] = found[index][0] + instructions, found[index][1] + cycles
    return found
