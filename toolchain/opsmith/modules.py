"""Imports a module from a folder that is no package: an op, a front end, a fault decoder."""

import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from opsmith.errors import ToolchainError, described, did_you_mean

_KEYWORD = re.compile(r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'")
_IMPORTED = re.compile(r"cannot import name '(\w+)'")
SETTLED = 2.0  # seconds; a later edit gets another time


def load_function(file: Path, name: str, code: str) -> Any:
    """Function `name` of a module, which is loaded once. Raises as `load_module` does, and `code`
    where the module has no such function.
    """
    found = getattr(load_once(file, code), name, None)
    if not callable(found):
        what, fix = f"there is no function {name}()", f"define {name}()"
        raise ToolchainError.of(code, what, where=str(file), fix=fix)
    return found


def load_once(file: Path, code: str) -> ModuleType:
    """Module of a file that nobody edits while this process runs. Raises as `load_module` does."""
    return sys.modules.get(_name(file)) or load_module(file, code)


def load_module(file: Path, code: str) -> ModuleType:
    """Module of a file, as a package of the modules beside it: `from .packing import …` works.

    Raises `code` where it does not load.
    """
    name = _name(file)
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=[str(file.parent)]
    )
    assert spec is not None, "its name ends in .py"
    assert spec.loader is not None, "its name ends in .py"
    module = importlib.util.module_from_spec(spec)
    names = (name, f"{name}.{file.stem}")  # modules beside it import it by the second name
    sys.modules.update(dict.fromkeys(names, module))
    try:
        with _loads(file, code), bytecode_of(file.parent):
            spec.loader.exec_module(module)
    except BaseException:
        for each in names:
            sys.modules.pop(each, None)
        raise
    return module


def load_beside(package: ModuleType, name: str, file: Path, code: str) -> ModuleType:
    """Module `name` in the folder of a loaded module, within `bytecode_of` that folder. Raises as
    `load_module` does.
    """
    with _loads(file, code):
        return importlib.import_module(f"{package.__name__}.{name}")


@contextlib.contextmanager
def _loads(file: Path, code: str) -> Iterator[None]:
    """Context that turns exceptions during loading into an error about the file."""
    try:
        yield
    except ToolchainError:
        raise
    except (Exception, SystemExit) as error:
        what = f"{file.name} does not load: {described(error)}{nearest(error)}"
        where, fix = f"{file}:{_line(error, file)}", "correct this line"
        raise ToolchainError.of(code, what, where=where, fix=fix) from error


@contextlib.contextmanager
def bytecode_of(folder: Path) -> Iterator[None]:
    """Context in which Python stores no bytecode of a folder that has just been edited. Python
    compares times by the second, and would run old bytecode after an edit of equal second and size.
    """
    before = sys.dont_write_bytecode
    newest = 0.0
    for place, _, names in os.walk(folder):
        for name in (each for each in names if each.endswith(".py")):
            with contextlib.suppress(OSError):  # a link that leads nowhere
                newest = max(newest, os.stat(f"{place}/{name}").st_mtime)
    sys.dont_write_bytecode = before or time.time() - newest < SETTLED
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def nearest(error: BaseException) -> str:
    """Hint (did you mean 'core'?) for a misspelt keyword, name, attribute or import, or ""."""
    *_, (last, _) = traceback.walk_tb(error.__traceback__)
    known = last.f_globals
    match error:
        case TypeError() if found := _KEYWORD.match(str(error)):
            called = known.get(found[1])
            return did_you_mean(found[2], inspect.signature(called).parameters) if called else ""
        case ImportError(name=str(name)) if found := _IMPORTED.match(str(error)):
            return did_you_mean(found[1], vars(sys.modules[name])) if name in sys.modules else ""
        case NameError(name=str(name)):
            return _same_name(name, known) or did_you_mean(name, known)
        case AttributeError(name=str(name), obj=owner):
            return did_you_mean(name, object.__dir__(owner))
    return ""


def _same_name(name: str, known: Mapping[str, Any]) -> str:
    """Hint for a name that is the `name` of a global's value, as `int8` is of element type i8."""
    named = (each for each, value in known.items() if getattr(value, "name", None) == name)
    return next((f" (did you mean '{each}'?)" for each in named), "")


def _name(file: Path) -> str:
    """Name under which a file is imported, with a digest of its path, so that several modules of
    one file name can be loaded.
    """
    digest = hashlib.sha256(bytes(file.resolve())).hexdigest()[:12]
    return f"opsmith_{digest}_{file.parent.name}"


def _line(error: BaseException, file: Path) -> int:
    """Line of the file at which an exception was raised."""
    if isinstance(error, SyntaxError) and isinstance(error.lineno, int):
        return error.lineno
    at = [
        frame.lineno or 1
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    return at[-1] if at else 1
