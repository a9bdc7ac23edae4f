"""Control flow: the order in which blocks of a graph run. A block is a straight run of nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Branch:
    """A branch: runs `then` or `otherwise`, as its condition says."""

    condition: str  # a tensor of one boolean; true: `then` runs
    then: Flow = ()
    otherwise: Flow = ()


@dataclass(frozen=True)
class Loop:
    """A loop: runs `test`, then `body`, and both again until the condition is false."""

    condition: str  # a tensor of one boolean that `test` computes
    test: Flow = ()
    body: Flow = ()


# Sequence of blocks (by number), branches and loops. Nodes are in the order of the blocks.
Flow: TypeAlias = tuple[int | Branch | Loop, ...]
STRAIGHT: Flow = (0,)


def parts(item: Branch | Loop) -> tuple[Flow, Flow]:
    """The two sequences of a branch or loop, in the order in which nodes are listed."""
    return (item.then, item.otherwise) if isinstance(item, Branch) else (item.test, item.body)


def blocks(flow: Flow) -> Iterator[int]:
    """Numbers of all blocks, in order."""
    for item in flow:
        if isinstance(item, int):
            yield item
        else:
            for part in parts(item):
                yield from blocks(part)


def spans(flow: Flow, nodes: Sequence[int]) -> dict[int, range]:
    """Indices of each block's nodes, by block; `nodes` has the block of each node, in order."""
    counts, start = Counter(nodes), 0
    found = {}
    for block in blocks(flow):
        found[block] = range(start, start + counts[block])
        start += counts[block]
    return found


def always_written(flow: Flow, written: Mapping[int, Set[str]]) -> set[str]:
    """Tensors that are written in any case; `written` has the tensors of each block."""
    found: set[str] = set()
    for item in flow:
        match item:
            case Branch():
                then, otherwise = parts(item)
                found |= always_written(then, written) & always_written(otherwise, written)
            case Loop():
                found |= always_written(item.test, written)
            case _:
                found |= written.get(item, set())
    return found


def branches_and_loops(flow: Flow) -> Iterator[Branch | Loop]:
    """Branches and loops of a flow, inner ones before those that contain them."""
    for item in flow:
        if not isinstance(item, int):
            for part in parts(item):
                yield from branches_and_loops(part)
            yield item


def with_conditions(flow: Flow, renamed: Callable[[str], str]) -> Flow:
    """Flow with each condition replaced by its new name."""

    def item(each: int | Branch | Loop) -> int | Branch | Loop:
        if isinstance(each, int):
            return each
        first, second = (with_conditions(part, renamed) for part in parts(each))
        return type(each)(renamed(each.condition), first, second)

    return tuple(map(item, flow))


def conditions(flow: Flow) -> Iterator[str]:
    """Tensors that decide which blocks run."""
    return (item.condition for item in branches_and_loops(flow))
