"""Our nodes beside the layers of a model: what each layer of a peer takes, and what it takes us."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PEER = Path(__file__).parent / "layers.toml"
# Where the figures of a core are in a row of layers.toml, by the names that profile.json has.
FIGURES = {
    "cortex-m4f": {"instructions": 3, "modelled_cycles": 4},
    "cortex-m55": {"instructions": 5},
}
_OPERATOR = re.compile(r"operator (\d+)")


@dataclass(frozen=True)
class Layer:
    """Operators of the model that we compute together, and what they take, figure by name."""

    operators: tuple[int, ...]
    title: str
    ours: Mapping[str, int]
    peers: Mapping[str, int]

    @property
    def worse(self) -> tuple[str, ...]:
        """The figures of which the peer has less."""
        return tuple(name for name, figure in self.ours.items() if figure > self.peers[name])


def peer_figures() -> dict[str, Any]:
    """layers.toml."""
    return tomllib.loads(PEER.read_text(encoding="utf-8"))


def whole(peer: Mapping[str, Any], core: str) -> dict[str, int]:
    """The peer's figures for all of a model."""
    return {name: peer["whole"][place - 3] for name, place in FIGURES[core].items()}


def compare(
    nodes: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[Any]], core: str
) -> list[Layer]:
    """The layers of a model, in its order; nodes as in profile.json, rows as in layers.toml.

    A node stands for the operators that its source and remarks name. An operator that none names
    was removed: it goes with the one in front of it, or, at the start, with the next.
    """
    places = FIGURES[core]
    figures = [{name: int(node[name]) for name in places} for node in nodes]
    layers = []
    for operators in _groups([_operators(node) for node in nodes], len(rows)):
        mine = [i for i, node in enumerate(nodes) if _operators(node) & set(operators)]
        ours = {name: sum(figures[i][name] for i in mine) for name in places}
        peers = {name: sum(rows[i][at] for i in operators) for name, at in places.items()}
        layers.append(Layer(operators, _title(operators, rows), ours, peers))
    return layers


def _operators(node: Mapping[str, Any]) -> set[int]:
    texts = [str(node["source"]), *map(str, node["remarks"])]
    return {int(number) for text in texts for number in _OPERATOR.findall(text)}


def _groups(named: Sequence[set[int]], count: int) -> Iterator[tuple[int, ...]]:
    """Operators that go together: those that a node names, and those that none names."""
    group = list(range(count))  # operator -> the first of its group
    everywhere = set().union(*named)
    for operator in range(count):
        if operator not in everywhere:
            near = operator - 1 if operator else min(everywhere, default=0)
            named = [*named, {near, operator}]
    for together in named:
        firsts = {group[each] for each in together}
        group = [min(firsts) if each in firsts else each for each in group]
    for first in sorted(set(group)):
        yield tuple(i for i, each in enumerate(group) if each == first)


def _title(operators: Sequence[int], rows: Sequence[Sequence[Any]]) -> str:
    names = " + ".join(str(rows[i][0]) for i in operators)
    return f"{names} {rows[operators[-1]][1]}"
