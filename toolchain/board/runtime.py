"""What a runtime is: which features of a core the kernels of a program may use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain.board.read import hidden_texts, parse_toml
from toolchain.errors import Problem, ToolchainError, did_you_mean, raise_all, shown

KEYS = {"title": str, "grants": list, "fallback": str}
REQUIRED = ("title", "grants")


@dataclass(frozen=True)
class Runtime:
    """One folder of runtimes/ that holds a runtime.toml."""

    name: str
    title: str
    grants: frozenset[str]  # features that its kernels may use, where the core has them
    fallback: str | None  # the runtime whose kernels serve nodes that this one has none for


def load_runtime(name: str, root: Path) -> Runtime:
    """The runtime `name` of the folder `root`, checked; its fallback is known to exist."""
    names = list_runtimes(root)
    if name not in names:
        raise ToolchainError.of(
            "BLD031",
            f"unknown runtime '{name}'{did_you_mean(name, names)}",
            where=str(root),
            fix=f"one of: {', '.join(names)}",
        )
    path = root / name / "runtime.toml"
    data = parse_toml(path, "BLD030", "BLD030")
    raise_all(_problems(path, data, names))
    return Runtime(name, data["title"], frozenset(data["grants"]), data.get("fallback"))


def list_runtimes(root: Path) -> tuple[str, ...]:
    """The names of all runtimes in the folder `root`, sorted."""
    return tuple(sorted(path.parent.name for path in root.glob("*/runtime.toml")))


def _problems(path: Path, data: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[Problem]:
    def problem(what: str, fix: str) -> Problem:
        return Problem("BLD030", what, str(path), fix)

    for place, text in hidden_texts(dict(data)):
        yield problem(f"{text[:80]!r} in {place} has characters that do not show", "correct it")
    for key in data:
        if key not in KEYS:
            near = did_you_mean(key, KEYS)
            yield problem(f"unknown key '{key}'{near}", f"use only: {', '.join(KEYS)}")
    for key in REQUIRED:
        if key not in data:
            yield problem(f"missing key '{key}'", f"add {key} = …")
    for key, kind in KEYS.items():
        if key in data and not isinstance(data[key], kind):
            yield problem(f"'{key}' is {shown(data[key])}", f"make it a {kind.__name__}")
    grants = data.get("grants")
    if isinstance(grants, list) and not all(isinstance(grant, str) for grant in grants):
        yield problem(f"'grants' is {shown(grants)}", "make it a list of feature names")
    fallback = data.get("fallback")
    if isinstance(fallback, str) and (fallback not in names or fallback == path.parent.name):
        yield problem(
            f"no runtime '{fallback}' to fall back to{did_you_mean(fallback, names)}",
            f"another one of: {', '.join(names)}",
        )
