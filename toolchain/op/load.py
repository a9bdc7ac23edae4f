"""Imports an `op.py`, or `<backend>/<op>.py`: it may do anything but end the command."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from toolchain.bytecode import ExactLoader, import_exactly
from toolchain.errors import ToolchainError, described
from toolchain.op.running import loading, stops_us
from toolchain.reading import UnreadableError, read_text

MOST_BYTES = 4 << 20  # of a registration


def import_op(file: Path) -> ModuleType:
    """The module of a registration, which is a package of the modules beside it.

    Its name holds its place, so that folders of one name can be loaded side by side. Raises OPS002
    for one that does not load, OPS071 for a slow one.
    """
    try:
        read_text(file, MOST_BYTES)
    except UnreadableError as error:
        raise _not_loaded(file, f"{error}", str(file), "make it a file of Python") from error
    digest = hashlib.sha256(bytes(file.resolve())).hexdigest()[:12]
    name = f"opsmith_ops_{digest}_{file.parent.name}"
    beside = [str(file.parent)]  # `from .packing import …` finds packing.py in the op's folder
    import_exactly(file.parent)
    spec = importlib.util.spec_from_file_location(
        name, file, loader=ExactLoader(name, str(file)), submodule_search_locations=beside
    )
    if spec is None or spec.loader is None:  # not for a file called op.py
        why = "Python has no loader for it"
        raise _not_loaded(file, why, str(file), "make it a file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with loading(file):
            spec.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(name, None)
        if stops_us(error) or (isinstance(error, ToolchainError) and error.problems):
            raise
        where = f"{file}:{_line(error, file)}"
        raise _not_loaded(file, described(error), where, "correct this line") from error
    return module


def _not_loaded(file: Path, why: str, where: str, fix: str) -> ToolchainError:
    return ToolchainError.of("OPS002", f"{file.name} does not load: {why}", where=where, fix=fix)


def _line(error: BaseException, file: Path) -> int:
    """The line of the file that the error comes from."""
    if isinstance(error, SyntaxError) and isinstance(error.lineno, int):
        return error.lineno
    at = [
        frame.lineno or 1
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    return at[-1] if at else 1
