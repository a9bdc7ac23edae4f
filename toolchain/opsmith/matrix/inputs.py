"""Files from which cells are made, by path and digest, and their transfer into another folder."""

import hashlib
import json
import os
import threading
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from opsmith.build_options import BuildOptions
from opsmith.errors import ToolchainError, cannot_write
from opsmith.home import HOME, PACKAGE, RUNTIMES
from opsmith.registration import all_names
from opsmith.rig.dataset import STORED

SCRIPT = "SConstruct"
LEFT = ("build", "node_modules", "__pycache__")  # ignored folders of a project
BESIDE = (SCRIPT, "LICENSE", "boards", "ops", "runtimes")  # files in an installed package
SHIPPED = (PACKAGE, RUNTIMES, HOME / "ops", HOME / "boards")

Files = Mapping[str, str]  # SHA-256 by path below the project's folder


class Inputs:
    """Files of a project, each of which is read once. Every file counts, except those `apart`; of
    Opsmith's own checkout only the SConstruct and files that a cell names.
    """

    def __init__(self, root: Path, apart: Collection[Path] = ()) -> None:
        self._root, self._apart = root, {each.resolve() for each in apart}
        self._digests: dict[str, str] = {}
        self._all = [SCRIPT] if root.resolve() == HOME else [*self._below(".")]

    def of(self, settings: BuildOptions) -> Files:
        """Digests of the files of a cell; paths out of the project's folder are unchanged."""
        names = {*self._all, *self._named(settings)}
        return {name: self._digest(name) for name in sorted(names)}

    def _named(self, settings: BuildOptions) -> Iterator[str]:
        for folder in map(os.path.dirname, settings.models):  # may have examples and tunings
            names = os.listdir(self._root / folder)
            yield from (name for each in names if self._counts(name := os.path.join(folder, each)))
        data, _, stored = settings.data.rpartition(":")
        data = data if data and stored in STORED else settings.data
        places = [*settings.ops, *settings.backends, *settings.boards, *settings.platforms]
        places += [prefix for _, prefix in settings.libraries]
        places += [each for each in settings.conan if os.path.isdir(self._root / each)]
        places += [data, settings.input, settings.tune, str(settings.app_folder)]
        places += [settings.calibrate, settings.recipe if settings.recipe.endswith(".json") else ""]
        places += [each for each in settings.models if os.path.isdir(self._root / each)]
        for place in filter(None, places):
            yield from self._below(place)

    def _below(self, name: str) -> Iterator[str]:
        """File of a path, or files below a folder, but Opsmith's own, which count separately."""
        top = self._root / name
        if top.is_file():
            yield os.path.normpath(name)
        elif not any(top.resolve().is_relative_to(each) for each in SHIPPED):
            for place, folders, files in os.walk(top):
                folders[:] = [each for each in folders if not self._is_left(Path(place, each))]
                inside = os.path.join(name, os.path.relpath(place, top))
                names = (os.path.normpath(os.path.join(inside, each)) for each in files)
                yield from filter(self._counts, names)

    def _counts(self, name: str) -> bool:
        """True if a path leads to a file that a cell may depend on."""
        path = self._root / name
        return path.name[0] != "." and path.is_file() and path.resolve() not in self._apart

    def _is_left(self, folder: Path) -> bool:
        """True if no file in a folder counts: hidden, made by tools, or a Python environment."""
        named = folder.name[0] == "." or folder.name in LEFT
        return named or (folder / "pyvenv.cfg").exists() or folder.resolve() in self._apart

    def _digest(self, name: str) -> str:
        if name not in self._digests:
            self._digests[name] = _sha256(self._root / name)
        return self._digests[name]


def put(root: Path, files: Files, contents: Mapping[str, bytes]) -> None:
    """Write files into a folder, unless they are already in it: contents are by digest. Raises
    BLD002, and BLD134 where a content does not have its digest.
    """
    for name, digest in files.items():
        path, data = root / name, contents[digest]
        if hashlib.sha256(data).hexdigest() != digest:
            what, fix = "it was edited meanwhile, or damaged", "run the matrix again"
            raise ToolchainError.of("BLD134", what, where=name, fix=fix)
        if not (path.is_file() and path.read_bytes() == data):
            new = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                new.write_bytes(data)
                new.replace(path)
            except OSError as error:
                raise cannot_write(path, error) from error


def digest_of(value: object) -> str:
    """Digest of a value that JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@cache
def opsmith_digest() -> str:
    """Digest of all of Opsmith, installed or in a checkout, taken when a process first calls it."""
    total = hashlib.sha256()
    for folder in SHIPPED:
        for file in all_names(folder):
            name = os.path.relpath(file, folder)
            if folder != PACKAGE or name.partition("/")[0] not in BESIDE:
                total.update(f"{folder.name}/{name}\0{_sha256(folder / name)}\0".encode())
    return total.hexdigest()


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
