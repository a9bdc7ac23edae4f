"""Sizes of the symbols of a linked firmware, and the ops to which they belong."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opsmith.report.elf import SizedSymbol

BOARD, SHARED, ARENAS, REST = (
    "board and runner",
    "shared by kernels",
    "arenas",
    "start, main, C library",
)
UNNAMED = "between symbols"
_OF_BOARD = ("board", "mcu", "runner")  # namespaces inside `opsmith`
_PART = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Owned:
    """A symbol in a memory, and the op or the part of the firmware that owns it."""

    memory: str
    owner: str
    name: str
    bytes: int


def owned_symbols(report: Mapping[str, Any], symbols: Sequence[SizedSymbol]) -> list[Owned]:
    """Symbols of a firmware by memory; gaps between them, such as padding, are UNNAMED."""
    models = report.get("models", [report])
    found: list[Owned] = []
    for memory, usage in report["memory"].items():
        for section, size in usage["sections"].items():
            inside = {each.address: each for each in symbols if each.section == section}
            named = [
                Owned(memory, _owner(models, plain(each.name)), plain(each.name), each.bytes)
                for each in inside.values()
            ]
            rest = size - sum(each.bytes for each in named)
            found += named
            if rest > 0:
                found.append(Owned(memory, _rest(section), f"{UNNAMED} of {section}", rest))
    return found


def plain(name: str) -> str:
    """Symbol in C++ notation, without parameters: `m::conv_2d_0` for `_ZN1m9conv_2d_0E…`."""
    if not name.startswith("_Z"):
        return name
    return "::".join(_nested(name[2:].lstrip("ZNLVrK"))) or name


def _nested(text: str) -> Iterator[str]:
    while found := _PART.match(text):
        end = found.end() + int(found[1])
        part = text[found.end() : end]
        yield "(anonymous)" if part.startswith("_GLOBAL__N") else part
        text = text[end:]


def _rest(section: str) -> str:
    return "stack" if section == ".stack" else REST


def _owner(models: Sequence[Mapping[str, Any]], name: str) -> str:
    first, *inner = name.split("::")
    if first == "opsmith" and inner:
        if inner[0] in _OF_BOARD:
            return BOARD
        return inner[0] if any(inner[0] in model["ops"] for model in models) else SHARED
    if inner and inner[-1] == "arena":
        return ARENAS
    for model in models:
        if found := _node(model, name, inner[-1] if inner else ""):
            return found
    return BOARD if first.startswith("opsmith") else REST


def _node(model: Mapping[str, Any], name: str, function: str) -> str:
    """Op of the node to which an instance or constants belong; "" where there is none."""
    space, _, table = name.partition(".")
    if table and space == model["name"]:
        owners = [node for node in model["nodes"] if table.startswith(f"{node['name']}_")]
        return str(max(owners, key=lambda node: len(node["name"]))["op"]) if owners else REST
    for node in model["nodes"]:
        if function and node["instance"] == function:
            return str(node["op"])
    return "invoke()" if function == "invoke" else ""
