"""Finds op folders, and loads and checks their `op.py`."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from opsmith.board.runtime import SHIPPED
from opsmith.contract.check import check_op
from opsmith.contract.check_kernels import has_utf8
from opsmith.discover.backends import backend_folders, misnamed, with_backends
from opsmith.discover.kept_claims import Keeper, brought, come_from_elsewhere, keep, kept
from opsmith.discover.own_kernels import with_kinds, with_own_kernels
from opsmith.errors import Problem, ToolchainError, described, raise_all, shown
from opsmith.modules import load_module
from opsmith.op.describe import Op, Variant
from opsmith.op.index import Loaded, OpFolder, OpIndex, index
from opsmith.op.wrap import wrapped


def discover(
    roots: Sequence[Path], backends: Sequence[Path] = (), *, part: bool = False
) -> OpIndex:
    """Index of every op folder below the roots, with the kernels that backends bring.

    `backends` are folders of backends, besides the shipped ones. Ops to which an op refers must be
    among the found ones, unless the roots are `part` of an earlier discovery. Raises OPS0xx, KRN0xx
    and BLD038: all problems of all folders at once.
    """
    return index(known_folders(op_folders(roots), backend_folders(backends)), part=part)


def known_folders(folders: Iterable[Path], backends: Sequence[Path]) -> list[OpFolder]:
    """Op folders, checked now or by an earlier command that stored the claims of the op.

    Raises OPS0xx and KRN0xx: all problems of all folders at once.
    """
    problems: list[Problem] = []
    found: list[OpFolder] = []
    keeper, known = Keeper(backends), set(sys.modules)
    shipped = all(each.parent == SHIPPED for each in backends)  # other backends have kernels, too
    fresh: list[tuple[OpFolder, str]] = []
    for folder in folders:
        problems += namesakes(folder, backends)
        claims = brought(folder) if shipped else None
        key = "" if claims else keeper.key(folder)
        if claims := claims or kept(folder, key):
            found.append(OpFolder(folder, claims, partial(_loaded, folder, backends)))
            continue
        try:
            found.append(load_op(folder, backends))
        except ToolchainError as error:
            problems.extend(error.problems)
        else:
            fresh.append((found[-1], key))
    homes = [*backends, *(each.folder for each, _ in fresh)]
    if not come_from_elsewhere(set(sys.modules) - known, homes):
        again = Keeper(backends)
        for each, key in fresh:
            if again.key(each.folder) == key:  # True if it was not edited meanwhile
                keep(each.folder, key, each.claims)
    keeper.end()
    raise_all(problems)
    return found


def namesakes(folder: Path, backends: Sequence[Path]) -> Iterator[Problem]:
    """Problems of backends with the name of an op, whose headers `#include` would find."""
    for backend in (each for each in backends if each.name == folder.name):
        if backend.parent == SHIPPED:
            what, fix = f"an op cannot be named like runtimes/{folder.name}/", "rename the op"
            yield Problem("OPS079", what, str(folder), fix)
        else:
            yield misnamed(backend, f"op {folder} has headers that would be included instead")


def op_folders(roots: Sequence[Path]) -> Iterator[Path]:
    """Folders with an `op.py` directly below each root (or the root itself), sorted by name.

    An `op.py` that is a folder, or a dangling link, counts, too: `load_op` reports the problem.
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
    """Op of one folder, with the kernels of given backends, or of the shipped ones.

    The op is checked, and its functions are wrapped. Raises OPS0xx, KRN0xx.
    """
    brought = backend_folders() if backends is None else backends
    return OpFolder.of(folder, *_loaded(folder, brought, _problems))


def load_known(folder: Path, backends: Sequence[Path], known: Sequence[Path]) -> OpFolder:
    """Op of one folder, which is not checked again where an earlier command with the backends
    `known` stored its claims.
    """
    if kept(folder, Keeper(known).key(folder)) is None:
        return load_op(folder, backends)
    return OpFolder.of(folder, *_loaded(folder, backends))


def _loaded(
    folder: Path,
    backends: Sequence[Path],
    rules: Callable[[Path, Op, object], Iterable[Problem]] | None = None,
) -> Loaded:
    """Op, title and module of a folder's `op.py`, checked by `rules`; without rules, op and backend
    kernels count as checked.
    """
    file = folder / "op.py"
    module = load_module(file, "OPS002")
    op, text = vars(module).get("OP"), vars(module).get("__doc__")
    if type(op) is not Op:
        raise ToolchainError.of(
            "OPS003", "no value OP of type Op", where=str(file), fix="end op.py with OP = Op(…)"
        )
    if type(op.variants) is tuple and all(type(each) is Variant for each in op.variants):
        op = with_kinds(with_own_kernels(op, folder, module))
    raise_all(rules(folder, op, text) if rules else ())
    whole = with_backends(wrapped(op, folder), backends, known=rules is None)
    return Loaded(whole, _title(text), module)


def _problems(folder: Path, op: Op, text: object) -> Iterator[Problem]:
    """Problems with an op and the docstring of its `op.py`."""
    yield from _checked(op, folder)
    file, title = str(folder / "op.py"), _title(text)
    if not title:
        fix = 'begin it with """Name: what the op computes.""", for the header and the report'
        yield Problem("OPS009", "op.py has no docstring", file, fix)
    elif not (title.isprintable() and has_utf8(str(text))):
        what = f"the docstring has characters that do not show: {shown(title)}"
        yield Problem("OPS075", what, file, "write letters, digits, signs and spaces")


def _title(text: object) -> str:
    return text.strip().partition("\n")[0] if isinstance(text, str) else ""


def _checked(op: Op, folder: Path) -> list[Problem]:
    """Problems of the registration, including exceptions while its values are read."""
    try:
        return list(check_op(op, folder))
    except Exception as error:
        what = f"a value of the registration cannot be read: {described(error)}"
        fix = "register plain values: texts, numbers, tuples and functions"
        return [Problem("OPS021", what, str(folder / "op.py"), fix)]
