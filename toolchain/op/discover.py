"""Find op folders, load their `op.py`, and index them by name and by source op."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

from toolchain.contract.check import check_op
from toolchain.contract.check_kernels import has_utf8
from toolchain.errors import Problem, ToolchainError, described, did_you_mean, raise_all, shown
from toolchain.ir import DType, Graph, Node
from toolchain.modules import load_module
from toolchain.op.backends import backend_folders, with_backends
from toolchain.op.declare import Rename
from toolchain.op.describe import Op
from toolchain.op.kernel import Kernel
from toolchain.op.node import bind_variant
from toolchain.op.typed import TypedOp, typed
from toolchain.op.wrap import wrapped

Types = tuple[tuple[str, DType], ...]  # type variable -> element type, as variants have them


@dataclass(frozen=True)
class OpFolder:
    """One op folder, loaded."""

    folder: Path
    op: Op
    title: str  # the first line of its docstring
    module: ModuleType

    @property
    def file(self) -> Path:
        """The op's registration."""
        return self.folder / "op.py"

    @property
    def backends(self) -> tuple[Path, ...]:
        """The folders of the backends that bring kernels for it."""
        kernels = (kernel for variant in self.op.variants for kernel in variant.kernels)
        return tuple(dict.fromkeys(k.backend for k in kernels if k.backend is not None))

    @property
    def row_ops(self) -> set[str]:
        """The ops that take rows of its nodes one by one."""
        named = (op.hooks.streaming.one_by_one for op in self.typed.values())
        return {name for name in named if name is not None}

    @cached_property
    def typed(self) -> Mapping[Types, TypedOp]:
        """The op at each of its variants."""
        return {tuple(v.types.items()): typed(self.op, v) for v in self.op.variants}


@dataclass(frozen=True)
class Claim:
    """One folder's claim on a source op."""

    found: OpFolder
    rename: Rename

    @property
    def op(self) -> Op:
        """The op that the source becomes."""
        return self.found.op


@dataclass(frozen=True)
class OpIndex:
    """All known ops, by name and by the source ops they claim, overriding claims first."""

    by_name: Mapping[str, OpFolder]
    by_source: Mapping[str, tuple[Claim, ...]]

    def __getitem__(self, name: str) -> Op:
        return self.by_name[name].op

    def of(self, graph: Graph, node: Node) -> TypedOp:
        """The op of a node, at the variant of its element types."""
        found = self.by_name[node.op]
        variant, complaints = bind_variant(graph, node, found.op)
        assert variant is not None, complaints  # legalize has told
        return found.typed[tuple(variant.types.items())]

    def kernel(self, op: str, types: Types, index: int) -> tuple[TypedOp, Kernel]:
        """An op at these types, and its kernel of this index."""
        found = self.by_name[op].typed[types]
        return found, found.kernels[index]


def discover(roots: Sequence[Path], backends: Sequence[Path] = ()) -> OpIndex:
    """Every op folder below the roots, with what backends bring for it.

    `backends` are folders of backends, besides the shipped ones. Raises OPS0xx, KRN0xx and BLD038:
    all problems of all folders at once.
    """
    problems: list[Problem] = []
    folders: list[OpFolder] = []
    found = backend_folders(backends)
    for path in op_folders(roots):
        try:
            folders.append(load_op(path, found))
        except ToolchainError as error:
            problems.extend(error.problems)
    raise_all(problems)
    return index(folders)


def op_folders(roots: Sequence[Path]) -> Iterator[Path]:
    """The folders with an `op.py` directly below each root (or the root itself), sorted by name.

    An `op.py` that is a folder, or a link to nothing, is one, too: `load_op` says what is wrong.
    """
    seen: set[Path] = set()
    for root in roots:
        if not root.is_dir():
            raise ToolchainError.of(
                "OPS001",
                f"there is no folder '{root}'",
                where="ops=",
                fix="name a folder of op folders",
            )
        for folder in [root] if _is_op(root) else _below(root):
            if folder.resolve() not in seen:  # a root may be given twice
                seen.add(folder.resolve())
                yield folder


def _below(root: Path) -> list[Path]:
    try:
        return sorted(path for path in root.iterdir() if path.is_dir() and _is_op(path))
    except OSError as error:
        what = f"the folder cannot be read: {error.strerror}"
        fix = "correct its permissions, or take it out of ops="
        raise ToolchainError.of("OPS001", what, where=str(root), fix=fix) from error


def _is_op(folder: Path) -> bool:
    return os.path.lexists(folder / "op.py")


def load_op(folder: Path, backends: Sequence[Path] | None = None) -> OpFolder:
    """The op of one folder, with what these backends bring for it, or the shipped ones.

    All of it is checked, and its functions keep to their rules. Raises OPS0xx, KRN0xx.
    """
    file = folder / "op.py"
    module = load_module(file, "OPS002")
    op, text = vars(module).get("OP"), vars(module).get("__doc__")
    if type(op) is not Op:
        raise ToolchainError.of(
            "OPS003", "no value OP of type Op", where=str(file), fix="end op.py with OP = Op(…)"
        )
    title = text.strip().partition("\n")[0] if isinstance(text, str) else ""
    problems = _checked(op, folder)
    if not title:
        fix = 'begin it with """Name: what the op computes.""", for the header and the report'
        problems.append(Problem("OPS009", "op.py has no docstring", str(file), fix))
    elif not (title.isprintable() and has_utf8(str(text))):
        what = f"the docstring has characters that do not show: {shown(title)}"
        fix = "write letters, digits, signs and spaces"
        problems.append(Problem("OPS075", what, str(file), fix))
    raise_all(problems)
    brought = backend_folders() if backends is None else backends
    return OpFolder(folder, with_backends(wrapped(op, folder), brought), title, module)


def _checked(op: Op, folder: Path) -> list[Problem]:
    """What is wrong with the registration, also where its values do not let themselves be seen."""
    try:
        return list(check_op(op, folder))
    except Exception as error:
        what = f"a value of the registration fails when it is looked at: {described(error)}"
        fix = "register plain values: texts, numbers, tuples and functions"
        return [Problem("OPS021", what, str(folder / "op.py"), fix)]


def index(folders: Sequence[OpFolder]) -> OpIndex:
    """The index of these folders. Raises OPS004 to OPS008 for what does not go together."""
    by_name: dict[str, OpFolder] = {}
    claims: dict[str, list[Claim]] = {}
    problems = []
    for found in folders:
        other = by_name.setdefault(found.op.name, found)
        if other is not found:
            problems.append(_claimed("OPS004", f"op '{found.op.name}'", other, found))
        for rename in found.op.legalize:
            claims.setdefault(rename.source, []).append(Claim(found, rename))
    for source, rivals in claims.items():
        problems += _contradictions(source, rivals)
    for found in folders:
        problems += _unknown_ops(found, by_name)
    raise_all(problems)
    ordered = {source: tuple(_overriding_first(rivals)) for source, rivals in claims.items()}
    return OpIndex(by_name, ordered)


def _contradictions(source: str, rivals: list[Claim]) -> Iterator[Problem]:
    """What is wrong among the claims on one source op."""
    base = [claim for claim in rivals if not claim.rename.overrides]
    for claim in base[1:]:
        if claim.found is not base[0].found:
            yield _claimed("OPS005", f"source op '{source}'", base[0].found, claim.found)
    for claim in rivals:
        target, where = claim.rename.overrides, str(claim.found.file)
        if not target:
            continue
        others = [other.op.name for other in rivals if other.found is not claim.found]
        if target not in others:
            what = f"overrides '{target}', which does not claim {source}"
            yield Problem(
                "OPS006", what + did_you_mean(target, others), where, "correct overrides="
            )
        if not claim.rename.reason:
            what = f"overrides '{target}' without a reason"
            yield Problem("OPS007", what, where, "say why in reason=, for the report")


def _unknown_ops(found: OpFolder, by_name: Mapping[str, OpFolder]) -> Iterator[Problem]:
    """Names of other ops that an op gives and that there are not."""
    roots = set() if found.op.match is None else {found.op.match.root}
    named = {"OPS008": ("match= looks for", "root=", roots)}
    named["OPS076"] = ("rows go one by one to", "streaming.one_by_one", found.row_ops)
    for code, (what, field, names) in named.items():
        for name in sorted(names - by_name.keys()):
            what = f"{what} '{name}', which is no known op{did_you_mean(name, by_name)}"
            yield Problem(code, what, str(found.file), f"correct {field}, or add that op's folder")


def _overriding_first(rivals: list[Claim]) -> Iterator[Claim]:
    """The claims on one source, each before the one it overrides; in order of declaration else."""
    left = list(rivals)
    while left:
        overridden = {claim.rename.overrides for claim in left}
        free = [claim for claim in left if claim.op.name not in overridden] or left
        yield from free
        left = [claim for claim in left if claim not in free]


def _claimed(code: str, what: str, first: OpFolder, second: OpFolder) -> Problem:
    return Problem(
        code,
        f"{what} is claimed by two folders",
        f"{first.file} and {second.file}",
        "rename one of them, say overrides= in one, or remove its folder from ops=",
    )
