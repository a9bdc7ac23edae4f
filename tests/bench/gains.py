"""Gains of instances: `.venv/bin/python -m tests.bench.gains --models=DIR` prints tables.

Profiles every model below DIR with general forms (`flash_budget=1` buys nothing) and with instances
(`opt=speed` buys all), for nodes that have the same kernel in both. The gains that kernels declare
(`Code.slowdown`) decide what flash is spent on; those of each kernel are set beside what was
measured. Exit status 1 where a kernel's are less than half or more than twice of that in a model,
and the error is more than a hundredth of its instructions.
"""

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.testing.firmware import products, scons
from opsmith.text import escaped
from tests.bench.measured import first_error, named_models
from tests.bench.peers import Unusable

BOARDS = ("mps2_an386", "mps3_an547")  # Cortex-M4F, Cortex-M55
GENERAL, INSTANCES = ("flash_budget=1", "opt=balanced"), ("opt=speed",)
OFF, MATTERS = 2.0, 0.01
COLUMNS = (
    ("nodes", 6), ("times", 7), ("worst", 7), ("measured", 13), ("declared", 13), ("ratio", 7),
)  # fmt: skip
HEAD = f"{'kernel':34}" + "".join(f"{name:>{width}}" for name, width in COLUMNS)


@dataclass(frozen=True)
class Gain:
    """Instructions that instances of a kernel save in a model, and those that it declares."""

    kernel: str
    nodes: int
    general: int  # instructions of the nodes
    instances: int
    worst: float  # general form, by instance, of the node that suffers most
    declared: float

    @property
    def measured(self) -> int:
        """Instructions that instances save, as counted."""
        return self.general - self.instances

    def misleads(self, total: int) -> bool:
        """Whether what is declared leads purchases astray in a model of N instructions."""
        error = abs(self.declared - self.measured)
        near = self.measured / OFF <= self.declared <= self.measured * OFF
        return error > MATTERS * total and not near


def main(argv: Sequence[str]) -> int:
    """Profile everything and print the tables; 0 when what kernels declare is near enough."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.gains", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--board", action="append", help="default: " + ", ".join(BOARDS))
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    try:
        models = named_models(Path(arguments.models))
    except Unusable as error:
        parser.error(str(error))
    wrong = 0
    for board in arguments.board or BOARDS:
        for name, file in models.items():
            print(f"\n{escaped(name)} on {board}")
            wrong += _model(file, board)
    print(f"\n{wrong} kernels declare gains that mislead" if wrong else "\ngains are near enough")
    return int(wrong > 0)


def _model(file: Path, board: str) -> int:
    """Print a model's table; returns how many of its kernels mislead."""
    found = [_profiled(file, board, settings) for settings in (GENERAL, INSTANCES)]
    errors = [each for each in found if isinstance(each, str)]
    if errors:
        print(f"  no firmware: {errors[0]}")
        return 0
    general, instances = (each for each in found if not isinstance(each, str))
    print(HEAD)
    total, wrong = sum(instances[0].values()), 0
    for gain in gains(*general, *instances):
        flag = "  <" if gain.misleads(total) else ""
        wrong += bool(flag)
        print(_line(gain) + flag)
    return wrong


def _profiled(
    file: Path, board: str, settings: Sequence[str]
) -> tuple[dict[int, int], dict[str, Any]] | str:
    """Instructions by node, and report.json; or the error of the build."""
    command = [f"board={board}", f"model={file}", "runtime=cmsis", *settings]
    done = scons(*command, "profile")
    if done.returncode:
        return first_error(done.stdout + done.stderr)
    folder = products(*command)
    profile = json.loads((folder / "profile.json").read_text(encoding="utf-8"))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return {node["index"]: node["instructions"] for node in profile["nodes"]}, report


def gains(
    general: Mapping[int, int],
    cheap: Mapping[str, Any],
    instances: Mapping[int, int],
    fast: Mapping[str, Any],
) -> Iterator[Gain]:
    """Gains of instances by kernel, for nodes whose general form was measured, too."""
    pairs = zip(cheap["nodes"], fast["nodes"], strict=True)
    both = {
        old["name"]: old
        for old, new in pairs
        if old["kernel"] == new["kernel"] and new["specialised"] and not old["specialised"]
    }
    declared = _declared(cheap["flash_offers"])
    kernels: dict[str, list[int]] = defaultdict(list)
    said: dict[str, float] = defaultdict(float)
    for names, gain in declared.items():
        if names <= both.keys():
            kernel = "{op} {kernel}".format(**both[next(iter(names))])
            kernels[kernel] += (both[name]["index"] for name in sorted(names))
            said[kernel] += gain
    for kernel, nodes in sorted(kernels.items()):
        old, new = ([form[node] for node in nodes] for form in (general, instances))
        worst = max(a / b for a, b in zip(old, new, strict=True))
        yield Gain(kernel, len(nodes), sum(old), sum(new), worst, said[kernel])


def _declared(offers: Sequence[Mapping[str, Any]]) -> dict[frozenset[str], float]:
    """Gains that kernels declare for instances, each for the fewest nodes that get one alone."""
    found = {frozenset(o["nodes"]): o["gain"] for o in offers if o["what"] == "instance"}
    return {
        names: gain for names, gain in found.items() if not any(other < names for other in found)
    }


def _line(gain: Gain) -> str:
    times = gain.general / gain.instances
    ratio = gain.declared / gain.measured if gain.measured > 0 else float("inf")
    return (
        f"{gain.kernel:34}{gain.nodes:6}{times:7.2f}{gain.worst:7.2f}"
        f"{gain.measured:13,}{gain.declared:13,.0f}{ratio:7.2f}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
