"""Names of the op API that a later version will not have, and where op folders still use them.

Until then a name works as before; its line here is all that announces its end. `opsmith check`, and
a build that reads the folder, name each use and what to write instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.contract.source_files import source_text
from opsmith.errors import Problem
from opsmith.registration import registration_files

EVERYTHING = "*"
Imported = Mapping[str, tuple[str, str]]  # local name -> module, name


@dataclass(frozen=True)
class Deprecated:
    """A name, or a field of one, that is not part of the API from version `gone` on."""

    module: str  # 'opsmith.op'
    name: str  # 'Kernel'
    gone: int
    instead: str  # 'write needs='
    field: str = ""  # 'requires', where only that goes

    @property
    def shown(self) -> str:
        """As somebody writes it in an op folder."""
        return f"{self.name}({self.field}=…)" if self.field else f"{self.module}.{self.name}"


DEPRECATED: tuple[Deprecated, ...] = ()


def deprecation_problems(
    folder: Path, known: Sequence[Deprecated] | None = None
) -> Iterator[Problem]:
    """OPS086 for each use of a name that goes, in the Python files of an op folder."""
    known = DEPRECATED if known is None else known
    files = [file for file in registration_files(folder) if file.suffix == ".py"]
    for file in files if known else ():
        try:
            tree = ast.parse(source_text(file) or "")
        except (SyntaxError, ValueError, RecursionError):
            continue  # op.py loads: then this is no module of it
        imported = _imported(tree)
        for line, each in _uses(tree, imported, known):
            what = f"{each.shown} is not part of version {each.gone} of the op API"
            yield Problem("OPS086", what, f"{file}:{line}", each.instead)


def warning(problem: Problem) -> str:
    """The text of a warning: of what a later version makes a problem."""
    return str(problem).replace("error ", "warning ", 1)


def _imported(tree: ast.AST) -> Imported:
    """What local names stand for; all names of a module that a star imports, under EVERYTHING.

    A module's own name is "".
    """
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=module, names=names, level=0):
                found |= {alias.asname or alias.name: (module or "", alias.name) for alias in names}
            case ast.Import(names=names):
                found |= {alias.asname: (alias.name, "") for alias in names if alias.asname}
    return found


def _uses(
    tree: ast.AST, imported: Imported, known: Sequence[Deprecated]
) -> Iterator[tuple[int, Deprecated]]:
    """The lines on which these are named: where a name is imported, and a field given."""
    star = imported.get(EVERYTHING, ("", ""))[0]
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                named = {(module, alias.name) for alias in aliases}
                yield from (
                    (node.lineno, each)
                    for each in known
                    if not each.field and (each.module, each.name) in named
                )
            case ast.Name(id=name, ctx=ast.Load()):
                yield from (
                    (node.lineno, each)
                    for each in known
                    if not each.field and (each.module, each.name) == (star, name)
                )
            case ast.Attribute(value=value, attr=name):
                module = _module(value, imported)
                yield from (
                    (node.lineno, each)
                    for each in known
                    if not each.field and (each.module, each.name) == (module, name)
                )
            case ast.Call(keywords=keywords):
                meant = _called(node.func, imported, star)
                lines = {keyword.arg: keyword.value.lineno for keyword in keywords}
                yield from (
                    (lines[each.field], each)
                    for each in known
                    if each.field in lines and (each.module, each.name) == meant
                )


def _called(function: ast.expr, imported: Imported, star: str) -> tuple[str, str]:
    """The module and name of what is called; names that nothing imports are of the star's."""
    match function:
        case ast.Name(id=name):
            return imported.get(name, (star, name))
        case ast.Attribute(value=value, attr=name):
            return _module(value, imported), name
    return "", ""


def _module(expression: ast.expr, imported: Imported) -> str:
    """The module that an expression would name: 'opsmith.op' after `import opsmith.op as api`."""
    match expression:
        case ast.Name(id=name):
            return ".".join(filter(None, imported.get(name, (name,))))
        case ast.Attribute(value=value, attr=name):
            return f"{_module(value, imported)}.{name}"
    return ""
