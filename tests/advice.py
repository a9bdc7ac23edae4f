"""The advice of all errors, read from the source: what each code's `fix` may say.

A fix is what a `Problem` or `ToolchainError.of` is given, or the last of (code, what, fix). Names,
attributes of modules and functions that it is made of are followed, within the module and to those
that it imports from, so that the texts are all that a user could be told.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from opsmith.home import HOME, PACKAGE, RUNTIMES

CODE = re.compile(r"[A-Z]{3}\d{3}")
_ROOTS = (PACKAGE, RUNTIMES)
_DEEPEST = 12  # names that are followed, one to the next


@dataclass(frozen=True)
class Advice:
    """A text that a fix may have, with {…} for what is filled in."""

    code: str  # of the error, or "" where the source does not say it beside the fix
    text: str
    where: str  # file:line


@cache
def advice() -> tuple[Advice, ...]:
    """Advice of all errors in the source, each once."""
    found: dict[Advice, None] = {}
    for root in _ROOTS:
        for file in sorted(root.rglob("*.py")):
            if "__pycache__" not in file.parts:
                found |= dict.fromkeys(_of_module(file))
    return tuple(found)


def _of_module(file: Path) -> Iterator[Advice]:
    text = file.read_text(encoding="utf-8")
    if "fix" not in text and "Problem" not in text:
        return
    names, where = _Names(ast.parse(text)), file.relative_to(HOME)
    for scope, statement, node in names.nodes:
        for code, fix in _fixes(node):
            for said in names.texts(fix, _At(scope, statement.lineno, statement.col_offset)):
                yield Advice(code, said, f"{where}:{fix.lineno}")


def _fixes(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Code and fix of each error that an expression makes."""
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func).rpartition(".")[2]
        fixes = [each.value for each in node.keywords if each.arg == "fix"]
        fixes += node.args[3:4] if called == "Problem" else []
        yield from ((_code(node.args), fix) for fix in fixes)
    elif isinstance(node, ast.Tuple) and len(node.elts) == 3 and _code(node.elts):
        yield _code(node.elts), node.elts[2]


def _code(found: list[ast.expr]) -> str:
    values = (each.value for each in found[:1] if isinstance(each, ast.Constant))
    return next((str(each) for each in values if CODE.fullmatch(str(each))), "")


@dataclass(frozen=True)
class _At:
    """Place of an expression in a module: function, line and indentation."""

    scope: str = ""  # its function's name
    line: int = 1 << 30
    indent: int = 0


class _Names:
    """Expressions that the names of a module, and of each of its functions, may stand for."""

    def __init__(self, tree: ast.Module) -> None:
        self.nodes: list[tuple[str, ast.stmt, ast.AST]] = []  # with function and statement
        self._given: dict[tuple[str, str], list[tuple[_At, ast.expr]]] = {}  # function and name
        self._from: dict[str, str] = {}
        self._walk(tree, "", ast.Pass(lineno=0, col_offset=0))

    def _walk(self, node: ast.AST, scope: str, statement: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            inside = child if isinstance(child, ast.stmt) else statement
            if isinstance(child, ast.FunctionDef):
                self._walk(child, f"{scope}.{child.name}", inside)
                continue
            self.nodes.append((scope, inside, child))
            self._collect(child, scope)
            self._walk(child, scope, inside)

    def _collect(self, node: ast.AST, scope: str) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, scope)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                said = self._given.setdefault((scope, name), [])
                said += [(at, ast.BinOp(each, ast.Add(), value)) for at, each in said]
            case ast.ImportFrom(module=str(module), names=names):
                self._from |= {each.asname or each.name: module for each in names}
            case ast.Return(value=ast.expr() as value):
                outer, _, name = scope.rpartition(".")
                self._given.setdefault((outer, name), []).append((_At(scope), value))

    def _assign(self, target: ast.expr, value: ast.expr, scope: str) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, its in zip(target.elts, value.elts, strict=False):
                self._assign(one, its, scope)
        elif isinstance(target, ast.Name):
            at = _At(scope, target.lineno, target.col_offset)
            self._given.setdefault((scope, target.id), []).append((at, value))

    def texts(self, node: ast.expr, at: _At, depth: int = 0) -> list[str]:
        """Texts that an expression may evaluate to; none where it gives no text."""
        if depth > _DEEPEST:
            return []
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.JoinedStr(values=parts):
                return self._joined(parts, at, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], at, depth)
            case ast.IfExp(body=body, orelse=other):
                parts = [body, other]
            case ast.BoolOp(values=parts) | ast.Dict(values=parts) | ast.Tuple(elts=parts):
                pass
            case ast.FormattedValue(value=value) | ast.Subscript(value=value):
                parts = [value]
            case ast.Call(func=ast.Attribute(value=value, attr="get")):
                parts = [value]
            case ast.Call(func=ast.Attribute(attr="fromkeys"), args=[_, value]):
                parts = [value]
            case ast.Call(func=ast.Name(id="with_our_pip"), args=[command]):
                parts = [command]
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
                return self.named(name, at, depth)
            case _:
                return []
        return [text for each in parts for text in self.texts(each, at, depth + 1)]

    def named(self, name: str, at: _At = _At(), depth: int = 0) -> list[str]:
        """Texts that a name stands for at a place, or that the function of this name returns."""
        found = at.scope
        while (found, name) not in self._given and found:
            found = found.rpartition(".")[0]
        given = self._given.get((found, name), [])
        if not given and (module := self._from.get(name, "")).startswith("opsmith."):
            return list(_texts_of(module, name))
        if found == at.scope:
            given = [*_last(given, at)]
        return [text for of, each in given for text in self.texts(each, of, depth + 1)]

    def _joined(self, parts: list[ast.expr], at: _At, depth: int) -> list[str]:
        found = [""]
        for part in parts:
            words = self.texts(part, at, depth + 1) or [f"{{{_shown(part)}}}"]
            found = [before + word for before in found for word in words[:20]]
        return found


def _last(given: list[tuple[_At, ast.expr]], at: _At) -> Iterator[tuple[_At, ast.expr]]:
    """Values that a name may have at a place: the last assignment before the place that happens in
    any case, and the conditional ones after it.
    """
    for each, value in sorted(given, key=lambda pair: -pair[0].line):
        if each.line < at.line or each.scope != at.scope:
            yield each, value
            if each.indent <= at.indent and each.scope == at.scope:
                return


def _shown(part: ast.expr) -> str:
    return ast.unparse(part.value if isinstance(part, ast.FormattedValue) else part)


@cache
def _texts_of(module: str, name: str) -> tuple[str, ...]:
    top = HOME if module.startswith("runtimes.") else PACKAGE.parent
    place = top / Path(*module.split("."))
    file = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place / "__init__.py"
    if not file.is_file():
        return ()
    return tuple(_Names(ast.parse(file.read_text(encoding="utf-8"))).named(name))


# Programs that install something, or that Opsmith has nothing to do with: run with stand-ins.
FOREIGN = (
    "./bootstrap", "pip", "sudo", "git", "onnx2tf", "qonnx-convert", "conan", "cmake", "west",
)  # fmt: skip
_PROGRAM = rf"(?:opsmith|scons|ninja|chmod|python3?|{'|'.join(map(re.escape, FOREIGN))})"
_ARGUMENT = r"(?!again\b|and\b|or\b)[^\s;,]*[^\s;,:]"
_COMMAND = re.compile(
    rf"`({_PROGRAM} [^`]*)`"  # in quotes, or after words that it is the object of
    rf"|(?:^|(?::|; see|or|run|by|see) )(\./bootstrap(?: --\w+)?|{_PROGRAM}(?: {_ARGUMENT})+)"
    r"|see (\S.* -h)$"
)


def commands(text: str) -> Iterator[str]:
    """The commands that a fix names, with its placeholders."""
    for found in _COMMAND.finditer(text):
        yield next(filter(None, found.groups()))
