"""Writes build.ninja, by the `ninja` package's own writer."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from opsmith.errors import ToolchainError
from opsmith.home import INSTALLED, PACKAGE

FILE = "build.ninja"
RECORDS = "ninja"  # a folder beside it
HEAD = """\
Written by `{arguments}`, which ninja runs again where need be.

Ninja schedules steps. What is out of date is found by {check}, for all of them at once: it touches
the *.changed files that steps depend on. Steps that make sources or headers are SCons's.
"""


@dataclass(frozen=True)
class Edge:
    """A step for ninja."""

    name: str
    says: str
    products: Sequence[str]
    inputs: Sequence[str]  # that other such steps make


def ninja_syntax() -> Any:
    """The writer's module. Raises BLD080."""
    try:
        from ninja import ninja_syntax as found
    except ImportError as error:
        fix = "run: pip install 'opsmith[ninja]'" if INSTALLED else "run ./bootstrap"
        what = "ninja=1 needs the package 'ninja', which this Python does not have"
        raise ToolchainError.of("BLD080", what, where=sys.executable, fix=fix) from error
    return found


def build_file(folder: Path, arguments: Sequence[str], edges: Sequence[Edge]) -> str:
    """The text of build.ninja of a folder of products, which is read in the root of the project;
    the arguments, after a Python's, are those of the SCons that makes them.
    """
    syntax, text = ninja_syntax(), io.StringIO()
    writer = syntax.Writer(text)
    records = folder / RECORDS
    check, step = (_script(name) for name in ("check.py", "step.py"))
    for line in HEAD.format(arguments=shlex.join(arguments), check=check).splitlines():
        text.write(f"# {line}".rstrip() + "\n")

    def command(*words: str) -> str:
        return str(syntax.escape(shlex.join([arguments[0], "-I", "-S", *words])))

    writer.newline()
    writer.variable("ninja_required_version", "1.5")
    writer.variable("builddir", str(folder))
    writer.rule("check", command(check, str(records)), "CHECK what changed", restat=True)
    scons = command(step, "scons", *(quote(word, safe="/=,") for word in arguments))
    writer.rule("scons", scons, "SCONS", generator=True, pool="console")
    # A generator: a step that SCons has run needs no line in ninja's log.
    run = command(step, str(records))
    writer.rule("step", f"{run} $step", "$says", generator=True, restat=True)
    writer.newline()
    always = str(records / "always")  # that never exists
    writer.build(always, "phony")
    changed = str(records / "graph.changed")
    writer.build(changed, "check", implicit=always)
    writer.build(str(folder / FILE), "scons", implicit=changed)
    writer.newline()
    for edge in edges:
        inputs = [str(records / f"{edge.name}.changed"), *edge.inputs]
        variables = {"step": edge.name, "says": syntax.escape(edge.says)}
        writer.build(list(edge.products), "step", implicit=inputs, variables=variables)
    used = {product for edge in edges for product in edge.inputs}
    last = [each for edge in edges for each in edge.products if each not in used]
    writer.newline()
    writer.build("all", "phony", last)
    writer.default("all")
    return text.getvalue()


def _script(name: str) -> str:
    path, root = PACKAGE / "ninja" / name, Path.cwd()
    return str(path.relative_to(root) if path.is_relative_to(root) else path)
