"""Greatest use of the stack by functions, from the compiler's figures.

GCC writes, for each object, the frame of every function and its callees (-fcallgraph-info=su).
Functions of libraries are compiled elsewhere: their frames are unknown, so a bound names the
library functions that may be called.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsmith.report.elf import begins_like

_NODE = re.compile(r'^node: \{ title: "([^"]*)" label: "([^"]*)"( shape : ellipse)? \}', re.M)
_EDGE = re.compile(r'^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', re.M)
_FRAME = re.compile(r"\\n(\d+) bytes \((static|dynamic,bounded|dynamic)\)")
_NAMED = 4  # functions of libraries in a build's output


@dataclass(frozen=True)
class Bound:
    """Stack bytes of a function with all its callees; None where there is no bound."""

    bytes: int | None
    besides: frozenset[str] = frozenset()  # functions of libraries, whose frames are not included


@dataclass
class Calls:
    """Frames of functions in bytes, None where unbounded, and the callees of each."""

    frames: dict[str, int | None] = field(default_factory=dict)
    edges: dict[str, set[str]] = field(default_factory=dict)
    known: dict[str, Bound] = field(default_factory=dict)  # bounds computed so far

    def bound(self, title: str, above: tuple[str, ...] = ()) -> Bound:
        """Bound of a function that is called by the functions `above`."""
        if title in above:
            return Bound(None)  # recursion
        if title not in self.frames:
            return Bound(0, frozenset({title}))
        if title not in self.known:
            self.known[title] = self._bound(title, (*above, title))
        return self.known[title]

    def _bound(self, title: str, above: tuple[str, ...]) -> Bound:
        inner = [self.bound(each, above) for each in self.edges.get(title, ())]
        sizes = [self.frames[title], *(each.bytes for each in inner)]
        besides = frozenset().union(*(each.besides for each in inner))
        if None in sizes:
            return Bound(None, besides)
        frame, *others = (size for size in sizes if size is not None)
        return Bound(frame + max(others, default=0), besides)

    def named(self, space: str, name: str) -> Bound | None:
        """Bound of a function by name in a namespace; None where there is no such function."""
        titles = (title for title in self.frames if begins_like(title, space, name))
        return next((self.bound(title) for title in titles), None)


def read_calls(files: Iterable[Path]) -> Calls:
    """Calls and frames in files that the compiler wrote; other files add nothing."""
    found = Calls()
    for text in (file.read_text("utf-8", "replace") for file in files if file.is_file()):
        for title, label, outside in _NODE.findall(text):
            frame = _FRAME.search(label)
            if frame and not outside:
                found.frames[title] = None if frame[2] == "dynamic" else int(frame[1])
        for source, target in _EDGE.findall(text):
            found.edges.setdefault(source, set()).add(target)
    return found


def with_stack(model: Mapping[str, Any], calls: Calls, space: str = "") -> dict[str, Any]:
    """Facts of a model with stack bounds for its nodes and for running all of them.

    `space` is the namespace of the kernel instances, by default the model's.
    """
    nodes = [_of_node(node, calls, space or model["name"]) for node in model["nodes"]]
    runs = [calls.named(model["name"], name) for name in ("invoke", "push_row", "push_frame")]
    stack = _facts([each for each in runs if each is not None])
    return {**model, "nodes": nodes, **({"stack": stack} if stack else {})}


def _of_node(node: Mapping[str, Any], calls: Calls, space: str) -> dict[str, Any]:
    bound = calls.named(space, node["instance"]) if node["instance"] else None
    stack = _facts([bound] if bound else [])
    return {**node, **({"stack": stack} if stack else {})}


def _facts(bounds: Sequence[Bound]) -> dict[str, Any]:
    """Largest of some bounds, in the form of a report; empty for none."""
    if not bounds:
        return {}
    sizes = [each.bytes for each in bounds if each.bytes is not None]
    besides = sorted(frozenset().union(*(each.besides for each in bounds)))
    most = max(sizes) if len(sizes) == len(bounds) else None
    return {"bytes": most, "besides": besides}


def stack_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Line about the greatest stack use of the model; report.json has all functions besides."""
    stack = report.get("stack")
    if stack:
        most = "no bound" if stack["bytes"] is None else f"at most {stack['bytes']:,} B"
        named, more = stack["besides"][:_NAMED], len(stack["besides"]) - _NAMED
        besides = f", besides {', '.join(named)}" if named else ""
        besides += f" and {more} more" if more > 0 else ""
        yield f"  stack {most} for the model{besides}"
