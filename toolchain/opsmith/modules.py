"""Imports a module from a folder that is no package: an op, a front end, a fault decoder.

It may do anything but end the command, or keep it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from opsmith import running
from opsmith.bytecode import ExactLoader, import_exactly
from opsmith.errors import ToolchainError, described
from opsmith.reading import UnreadableError, read_text
from opsmith.running import Running, forget_timer, stops_us

MOST_BYTES = 4 << 20


def load_function(file: Path, name: str, code: str) -> Any:
    """The function `name` of the module, which is loaded once. Raises as `load_module` does, and
    `code` where there is no such function.
    """
    module = sys.modules.get(_name(file)) or load_module(file, code)
    found = getattr(module, name, None)
    if not callable(found):
        what, fix = f"there is no function {name}()", f"define {name}()"
        raise ToolchainError.of(code, what, where=str(file), fix=fix)
    return found


def load_module(file: Path, code: str) -> ModuleType:
    """The module, which is a package of the modules beside it: `from .packing import …` works.

    Raises `code` where it does not load, OPS071 where it takes too long.
    """
    try:
        read_text(file, MOST_BYTES)
    except UnreadableError as error:
        raise _not_loaded(code, file, str(error), str(file), "make it a file of Python") from error
    import_exactly(file.parent)
    name = _name(file)
    spec = importlib.util.spec_from_file_location(
        name,
        file,
        loader=ExactLoader(name, str(file)),
        submodule_search_locations=[str(file.parent)],
    )
    assert spec is not None, "a loader is given"
    assert spec.loader is not None, "a loader is given"
    module = importlib.util.module_from_spec(spec)
    names = (name, f"{name}.{file.stem}")  # of which modules beside it import it by the second
    sys.modules.update(dict.fromkeys(names, module))
    try:
        with _loads(file, code):
            spec.loader.exec_module(module)
    except BaseException:
        for each in names:
            sys.modules.pop(each, None)
        raise
    return module


def load_beside(package: ModuleType, name: str, file: Path, code: str) -> ModuleType:
    """The module `name` in the folder of a module that was loaded; raises as `load_module` does."""
    with _loads(file, code):
        return importlib.import_module(f"{package.__name__}.{name}")


@contextlib.contextmanager
def _loads(file: Path, code: str) -> Iterator[None]:
    """Turn what loading raises into an error about the file."""
    try:
        with _loading(file):
            yield
    except BaseException as error:
        if stops_us(error) or (isinstance(error, ToolchainError) and error.problems):
            raise
        where = f"{file}:{_line(error, file)}"
        raise _not_loaded(code, file, described(error), where, "correct this line") from error


def _name(file: Path) -> str:
    """It holds the folder's place, so that modules of one name can be loaded side by side."""
    digest = hashlib.sha256(bytes(file.resolve())).hexdigest()[:12]
    return f"opsmith_{digest}_{file.parent.name}"


def _not_loaded(code: str, file: Path, why: str, where: str, fix: str) -> ToolchainError:
    return ToolchainError.of(code, f"{file.name} does not load: {why}", where=where, fix=fix)


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


@contextlib.contextmanager
def _loading(file: Path) -> Iterator[None]:
    """For a module: nothing that it sets for the process outlasts it."""
    folder, path, depth, handlers = Path.cwd(), list(sys.path), sys.getrecursionlimit(), _handlers()
    try:
        with np.errstate(), Running(running.LOADING_SECONDS, file.name, str(file)):
            yield
    finally:
        os.chdir(folder)
        sys.path[:] = path
        sys.setrecursionlimit(depth)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        # what the module made of SIGALRM does not outlast it, either
        forget_timer()


def _handlers() -> dict[int, Any]:
    if threading.current_thread() is not threading.main_thread():
        return {}
    both = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    return {number: handler for number, handler in both.items() if handler is not None}
