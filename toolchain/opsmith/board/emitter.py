"""The emitter of a backend, and the files that `emits` of its runtime.toml names."""

from dataclasses import dataclass
from pathlib import Path

from opsmith.board.schema import Table
from opsmith.keywords import RESERVED

EMITTER = "emitter.py"
RUNTIME_FEATURE = "runtime="  # prefix of features that kernels of one runtime require
_PRODUCTS = ("conan", "library", "obj")  # folders beside the emitter's folder
_FILE = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}"


def runtime_feature(name: str) -> str:
    """Feature required by kernels whose calls the emitter of runtime `name` writes."""
    return f"{RUNTIME_FEATURE}{name}"


@dataclass(frozen=True)
class Emitter:
    """The `emitter.py` of a backend, which writes the calls of its kernels."""

    file: Path
    writes: tuple[str, ...]  # names of the files that it writes

    @property
    def backend(self) -> str:
        """Name of the backend, and of its folder."""
        return self.file.parent.name

    @property
    def feature(self) -> str:
        """Feature that the emitter's kernels require, which the backend's own runtime grants."""
        return runtime_feature(self.backend)


def emitted(table: Table, folder: Path) -> tuple[str, ...]:
    """Names of the files that the emitter of a backend's folder writes."""
    emits = table.texts("emits", _FILE, "names of files: letters, digits and _.-")
    there = (folder / EMITTER).is_file()
    if table.has("emits") and not there:
        table.wrong(f"'emits' lists files, and there is no {EMITTER} beside it", "write it")
    if there and not table.has("emits"):
        what = f"there is an {EMITTER}, and 'emits' does not list what it writes"
        table.wrong(what, 'add emits = ["calls.cc", …], or rename the module')
    if emits and folder.name in (*_PRODUCTS, *RESERVED):
        what = f"what '{folder.name}' emits would lie among other products, or has a name of theirs"
        table.wrong(what, "rename the folder of the backend")
    for name in sorted({*emits}):
        if name.endswith(".op.h"):
            what = f"'emits' has {name}, which is a name of generated headers of ops"
            table.wrong(what, "let its name end otherwise")
        elif (folder / name).exists():
            what = f"'emits' has {name}, which is a file of the backend"
            table.wrong(what, "rename one of them: both would be included by this name")
        elif emits.count(name) > 1:
            table.wrong(f"'emits' has {name} twice", "remove one of them")
    return emits
