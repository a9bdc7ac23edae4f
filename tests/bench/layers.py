"""Our nodes beside the layers of a model: what each layer of a peer takes, and what it takes us."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.peers import Row

_OPERATOR = re.compile(r"operator (\d+)")


@dataclass(frozen=True)
class Layer:
    """Operators of the model that we compute together, and what they take, figure by name."""

    operators: tuple[int, ...]
    title: str
    ours: Mapping[str, int]
    peers: Mapping[str, int]

    @property
    def number(self) -> str:
        """Numbers of the layer's first and last operator, as in '3-5'; one number where they are
        the same.
        """
        return "-".join(
            str(each) for each in dict.fromkeys((self.operators[0], self.operators[-1]))
        )

    @property
    def worse(self) -> tuple[str, ...]:
        """Figures that are lower for the peer than for us."""
        return tuple(name for name, figure in self.ours.items() if figure > self.peers[name])

    def ratio(self, figure: str) -> float:
        """Our figure as a share of the peer's; where the peer's is 0, infinity or 0."""
        ours, peers = self.ours[figure], self.peers[figure]
        return ours / peers if peers else float("inf" if ours else 0)


def compare(
    nodes: Sequence[Mapping[str, Any]], rows: Sequence[Row], core: str, figures: Sequence[str]
) -> list[Layer]:
    """The layers of a model, in its order, by the figures that both have; nodes as in profile.json.

    A node stands for the operators that its source and remarks name. An operator that none names
    was removed: it goes with the one in front of it, or, at the start, with the next. There are no
    layers where the peer was not measured on this core.
    """
    names = [name for name in figures if rows and name in rows[0].figures.get(core, {})]
    if not names:
        return []
    named = [_operators(node) for node in nodes]
    if any(max(each, default=0) >= len(rows) for each in named):
        raise ValueError(f"the peer has {len(rows)} layers, the model more")
    layers = []
    for operators in _groups(named, len(rows)):
        mine = [node for node, each in zip(nodes, named, strict=True) if each & set(operators)]
        ours = {name: sum(int(node[name]) for node in mine) for name in names}
        peers = {name: sum(rows[i].figures[core][name] for i in operators) for name in names}
        layers.append(Layer(operators, _title(operators, rows), ours, peers))
    return layers


def _operators(node: Mapping[str, Any]) -> set[int]:
    texts = [str(node["source"]), *map(str, node["remarks"])]
    return {int(number) for text in texts for number in _OPERATOR.findall(text)}


def _groups(named: Sequence[set[int]], count: int) -> Iterator[tuple[int, ...]]:
    """Groups of operators that are compared together: the operators that one node names, with
    unnamed ones beside.
    """
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


def _title(operators: Sequence[int], rows: Sequence[Row]) -> str:
    names = " + ".join(rows[i].operator for i in operators)
    return f"{names} {rows[operators[-1]].output}"
