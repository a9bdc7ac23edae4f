"""How fast inference is: `.venv/bin/python -m tests.bench.speed` prints tables.

Profiles the models of MLPerf Tiny with `runtime=cmsis` in QEMU: executed instructions and modelled
Cortex-M4 cycles of one invoke(), beside what is to be reached and beside a peer's, in all and layer
by layer (layers.toml). Exit status 1 where a goal is missed or a layer is worse than the peer's.
`--record` writes the instruction counts that tests/system/test_speed.py compares with.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.board.manifest import load_board
from opsmith.testing.firmware import BOARDS
from tests.bench.layers import Layer, compare, peer_figures, whole
from tests.bench.recorded import find, profiled, write_records

MODELS = ("kws_int8", "vww_int8", "resnet_int8", "ad_int8", "sww_int8")


@dataclass(frozen=True)
class Goal:
    """A core and what its firmware is optimised for, and what to reach: millions, by model."""

    board: str
    opt: str
    figure: str  # that is to be reached
    millions: tuple[float, ...]

    @property
    def core(self) -> str:
        """The board's core."""
        return load_board(self.board, BOARDS).core.name

    @property
    def title(self) -> str:
        """Core and opt."""
        return f"{self.core} {self.opt}"

    def of(self, model: str) -> int:
        """What is to be reached for this model."""
        return round(self.millions[MODELS.index(model)] * 1e6)


GOALS = (
    Goal("mps2_an386", "balanced", "modelled_cycles", (4.6, 7.5, 17, 0.46, 1.35)),
    Goal("mps2_an386", "speed", "modelled_cycles", (4.4, 7.2, 13, 0.44, 1.3)),
    Goal("mps3_an547", "balanced", "instructions", (0.95, 2.6, 2.8, 0.08, 0.22)),
)
HEAD = (
    f"{'core, opt':20} {'model':12}{'instructions':>14}{'peer':>12}{'ratio':>7}"
    f"{'cycles':>14}{'peer':>12}{'ratio':>7}{'to reach':>12}{'ratio':>7}"
)


def main(argv: list[str]) -> int:
    """Profile everything and print the tables; 0 when all is reached."""
    arguments = _parser().parse_args(argv)
    if arguments.models is None:
        _parser().error("give --models=DIR or set OPSMITH_MODELS")
    if arguments.record:
        print("\n".join(write_records(Path(arguments.models))))
        return 0
    peers = peer_figures()
    print(f"runtime=cmsis, one invoke() in QEMU; peer: {peers['title']}")
    print("instructions: executed; cycles: modelled, Cortex-M4, no wait states\n")
    print(HEAD)
    missed, tables = [], []
    for goal in GOALS:
        for name in arguments.only or MODELS:
            profile = profiled(find(Path(arguments.models), name), goal.board, goal.opt)
            layers = compare(profile["nodes"], peers[name]["layers"], goal.core)
            ratio = int(profile[goal.figure]) / goal.of(name)
            line = total_line(goal, name, profile, whole(peers[name], goal.core))
            print(f"{line}{ratio:7.2f}", flush=True)
            missed += [f"{goal.title}, {name}: {text}" for text in shortfalls(ratio, layers)]
            tables.append((f"\n{goal.title}, {name}", layers))
    if not arguments.totals:
        for title, layers in tables:
            print("\n".join([title, *map(layer_line, layers)]))
    print("\n" + ("\n".join(missed) or "all is reached, and no layer is worse than the peer's"))
    return 1 if missed else 0


def total_line(goal: Goal, name: str, profile: Mapping[str, Any], peer: Mapping[str, int]) -> str:
    """A line of the first table, without the last ratio."""
    line = f"{goal.title:20} {name:12}{_beside(profile, peer, 'instructions')}"
    return f"{line}{_beside(profile, peer, 'modelled_cycles')}{goal.of(name):12,}"


def shortfalls(ratio: float, layers: Sequence[Layer]) -> list[str]:
    """What is not good enough, in words."""
    worse = [str(layer.operators[0]) for layer in layers if layer.worse]
    found = [f"{ratio:.2f} of what is to be reached"] if ratio > 1 else []
    return found + ([f"worse than the peer in layers {', '.join(worse)}"] if worse else [])


def layer_line(layer: Layer) -> str:
    """A line about a layer: operators, both figures, their ratio, and whether ours is worse."""
    first, last = layer.operators[0], layer.operators[-1]
    number = str(first) if first == last else f"{first}-{last}"
    figures = "".join(_beside(layer.ours, layer.peers, name) for name in layer.ours)
    worse = f"  WORSE in {', '.join(layer.worse)}" if layer.worse else ""
    return f"{number:>5} {layer.title:45}{figures}{worse}"


def _beside(ours: Mapping[str, Any], peer: Mapping[str, int], figure: str) -> str:
    if figure not in peer:
        return f"{'-':>14}{'-':>12}{'-':>7}"
    ratio = ours[figure] / peer[figure] if peer[figure] else float("inf")
    return f"{ours[figure]:14,}{peer[figure]:12,}{ratio:7.2f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.speed", description=__doc__)
    parser.add_argument("--models", default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--only", nargs="+", choices=MODELS, help="these models alone")
    parser.add_argument("--totals", action="store_true", help="leave out the tables of layers")
    parser.add_argument("--record", action="store_true", help="write instructions.toml instead")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
