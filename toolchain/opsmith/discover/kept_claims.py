"""Claims of ops, stored from one command to the next.

A model uses a few of all ops, and loading an op and checking it takes far longer than reading the
files of its folder. The claims of a checked op are therefore stored beside its bytecode, under a
digest of everything on which the check depends. An op with problems is not stored: each command
reports them. An installed Opsmith brings the claims of its ops, which nobody edits
(ops/claims.json).
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.digests import ABSENT, FILE, Digests, stamp_of
from opsmith.discover.backends import brings, brings_for_families
from opsmith.home import APART, HOME, INSTALLED, LOCK, PACKAGE
from opsmith.op.claims import Claims, SourceClaim
from opsmith.reading import UnreadableError, read_bytes
from opsmith.registration import all_names

_MACHINERY = (PACKAGE, HOME / "runtimes")  # Python code here loads and checks ops
# Locked packages that ops and their checks import. `tflite` may be newer: it only adds operators.
_LOCKED = ("numpy", "flatbuffers", "tflite")
BROUGHT = "claims.json"
_MOST_BYTES = 64 << 20  # of a file that belongs to an op


@dataclass(frozen=True)
class Keeper:
    """Store of claims of ops for which the given backends may bring kernels."""

    backends: Sequence[Path]

    def key(self, folder: Path) -> str:
        """Digest of everything on which the check of an op depends: the files of its folder, of
        backends that bring kernels for it, and of the toolchain. Empty where a file is unreadable.
        """
        try:
            parts = [folder.name, _machinery(), _digest(folder, all_names(folder))]
            shared = self._for_families
            bring = (each for each in self.backends if each in shared or brings(each, folder.name))
            parts += [self._digests[each] for each in bring]
        except (UnreadableError, OSError):
            return ""
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def end(self) -> None:
        """Store the digests of the files that were read for later commands."""
        _known(os.path.join(os.getcwd(), "")).keep()

    @cached_property
    def _for_families(self) -> frozenset[Path]:
        return frozenset(filter(brings_for_families, self.backends))

    @cached_property
    def _digests(self) -> dict[Path, str]:
        return {each: f"{each.name} {_digest(each, all_names(each))}" for each in self.backends}


def come_from_elsewhere(names: Iterable[str], folders: Iterable[Path]) -> bool:
    """True if a module is from outside of the places that keys cover: the given folders, the
    toolchain, the lock and Python itself. It may change without a change of the key.
    """
    roots = [*folders, *_MACHINERY]
    known = tuple(f"{root.resolve()}{os.sep}" for root in roots)
    python, installed = sysconfig.get_path("stdlib") + os.sep, ("site-packages", "dist-packages")
    for name in names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if (
            file is None
            or name.partition(".")[0] in _LOCKED
            or os.path.realpath(file).startswith(known)
        ):
            continue
        if not file.startswith(python) or any(part in file for part in installed):
            return True
    return False


def kept(folder: Path, key: str) -> Claims | None:
    """Claims that were stored under a key; None if there are none."""
    try:
        record = json.loads(read_bytes(_place(folder), _MOST_BYTES))
        return _claims(record["claims"]) if key and record["key"] == key else None
    except (UnreadableError, ValueError, TypeError, KeyError, RecursionError):
        return None


def brought(folder: Path) -> Claims | None:
    """Claims of an op that an installed Opsmith brings; None for any other op."""
    if not INSTALLED or folder.resolve().parent != HOME / "ops":
        return None
    return _claims(known) if (known := _listed().get(folder.name)) is not None else None


def claims_text(claims: Iterable[Claims]) -> str:
    """Text of ops/claims.json, with a line for each op."""
    rows = (f"{json.dumps(each.name)}: {json.dumps(astuple(each))}" for each in claims)
    return "{\n" + ",\n".join(rows) + "\n}\n"


@cache
def _listed() -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads((HOME / "ops" / BROUGHT).read_text(encoding="utf-8"))
    return found


def _claims(fields: Sequence[Any]) -> Claims:
    """Claims from a list of their fields, as in JSON."""
    name, sources, root, row_ops, shapes, looks_up, features = fields
    claimed, rows = tuple(SourceClaim(*each) for each in sources), tuple(row_ops)
    return Claims(name, claimed, root, rows, bool(shapes), bool(looks_up), tuple(features))


def keep(folder: Path, key: str, claims: Claims) -> None:
    """Store claims under a key, where Python may store bytecode."""
    place = _place(folder)
    if key and not sys.dont_write_bytecode and place.parents[1].is_dir():
        record = json.dumps({"key": key, "claims": astuple(claims)})
        new = place.with_name(f"{place.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            place.parent.mkdir(exist_ok=True)
            new.write_text(record, encoding="utf-8")
            new.replace(place)  # atomically


def _place(folder: Path) -> Path:
    """Path of the stored claims; for an op of an installed Opsmith, below the products of builds,
    since its folder is not written.
    """
    if INSTALLED and folder.resolve().parent == HOME / "ops":
        return Path("build", "claims", f"{folder.name}.json")
    bytecode = importlib.util.cache_from_source(str(folder / "op.py"), optimization="")
    return Path(bytecode).with_suffix(".claims.json")


@cache
def _machinery() -> str:
    """Digest of the files that load and check ops, and of the packages that they use."""
    files = [str(LOCK)]
    for top in _MACHINERY:
        found = (file for file in all_names(top) if file.endswith((".py", ".toml")))
        start = len(str(top)) + 1
        files += [file for file in found if file[start:].partition(os.sep)[0] not in APART]
    return f"{sys.version} {np.__version__} {_digest(HOME, files)}"


def _digest(root: Path, files: Iterable[str]) -> str:
    found, above, here = hashlib.sha256(), os.path.join(root, ""), os.path.join(os.getcwd(), "")
    known = _known(here)
    for file in files:
        stamp = stamp_of(file)
        if stamp == ABSENT or stamp[0] > _MOST_BYTES:
            raise UnreadableError("it is gone, or too large")
        content = known.of(file.removeprefix(here), stamp)
        found.update(os.fsencode(f"{file.removeprefix(above)}\0{content}"))
    return found.hexdigest()


@cache
def _known(project: str) -> Digests:
    """Digests of a project's files, with those that builds in it have stored."""
    return Digests(FILE if FILE.exists() else None)
