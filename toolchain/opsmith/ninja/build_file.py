"""Writes build.ninja, by the `ninja` package's own writer."""

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
Written by `{arguments}`.

Ninja schedules steps. What is out of date is found by {check}, for all of
them at once: it touches the *.changed files that steps depend on, or has SCons build and write
this file anew.
"""
ELSEWHERE = """\
error BLD103: ninja does not run in the project's folder
  where: %s
  fix:   go there, and run ninja -f %s
"""
UNBROKEN = 1 << 30  # line length; at breaks ninja would drop one of two spaces


@dataclass(frozen=True)
class Edge:
    """A step as ninja sees it: products, inputs and a line to print."""

    name: str
    says: str
    products: Sequence[str]
    inputs: Sequence[str]  # products of other such steps


def ninja_syntax() -> Any:
    """Module ninja_syntax, the writer. Raises BLD100."""
    try:
        from ninja import ninja_syntax as found
    except ImportError as error:
        fix = "run: pip install 'opsmith[ninja]'" if INSTALLED else "run ./bootstrap"
        what = "ninja=1 needs the package 'ninja', which this Python does not have"
        raise ToolchainError.of("BLD100", what, where=sys.executable, fix=fix) from error
    return found


def build_file(folder: Path, arguments: Sequence[str], edges: Sequence[Edge]) -> str:
    """Text of build.ninja for a folder of products, which ninja reads in the root of the project.
    `arguments` are those of SCons after the Python interpreter.
    """
    syntax, text = ninja_syntax(), io.StringIO()
    writer = syntax.Writer(text, width=UNBROKEN)
    records = folder / RECORDS
    check, step = (_script(name) for name in ("check.py", "step.py"))
    for line in HEAD.format(arguments=shlex.join(arguments), check=check).splitlines():
        text.write(f"# {line}".rstrip() + "\n")

    def command(*words: str) -> str:
        return shlex.join([arguments[0], "-I", "-S", *words])

    writer.newline()
    writer.variable("ninja_required_version", "1.5")
    writer.variable("builddir", str(folder))
    quoted = (quote(word, safe="/=,") for word in arguments)
    # For rules marked `generator`, ninja does not require SCons's products to be in its log.
    rule = {"generator": True, "restat": True}
    run = command(check, str(records), *quoted)
    run = f"{_checked_place(folder / FILE)}{run}"
    writer.rule("check", syntax.escape(run), "CHECK what changed", pool="console", **rule)
    writer.rule("step", f"{syntax.escape(command(step, str(records)))} $step", "$says", **rule)
    writer.newline()
    always = str(records / "always")  # a file that never exists
    writer.build(always, "phony")
    changed = {edge.name: str(records / f"{edge.name}.changed") for edge in edges}
    writer.build(list(changed.values()), "check", implicit=always)
    writer.newline()
    for edge in edges:
        inputs = [changed[edge.name], *edge.inputs]
        variables = {"step": edge.name, "says": syntax.escape(edge.says)}
        writer.build(list(edge.products), "step", implicit=inputs, variables=variables)
    used = {product for edge in edges for product in edge.inputs}
    last = [each for edge in edges for each in edge.products if each not in used]
    writer.newline()
    writer.build("all", "phony", last)
    writer.default("all")
    return text.getvalue()


def _checked_place(file: Path) -> str:
    """Shell command that ends a run of ninja outside of the project's folder, where the checking
    script, and perhaps Python, is missing.
    """
    said, place = shlex.quote(ELSEWHERE.replace("\n", "\\n")), shlex.quote(str(file))
    return f'test -e {place} || {{ printf {said} "$PWD" {place} >&2; exit 2; }}; '


def _script(name: str) -> str:
    path, root = PACKAGE / "ninja" / name, Path.cwd()
    return str(path.relative_to(root) if path.is_relative_to(root) else path)
