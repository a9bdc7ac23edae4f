"""Imports a module from a folder that is no package: a fault decoder or a front end."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from toolchain.bytecode import ExactLoader, import_exactly
from toolchain.errors import ToolchainError, described
from toolchain.reading import UnreadableError, read_text

MOST_BYTES = 4 << 20


def load_function(file: Path, name: str, code: str) -> Any:
    """The function `name` of the module. Raises `code` where it does not load or lacks it."""
    found = getattr(_module(file, code), name, None)
    if not callable(found):
        what, fix = f"there is no function {name}()", f"define {name}()"
        raise ToolchainError.of(code, what, where=str(file), fix=fix)
    return found


def _module(file: Path, code: str) -> ModuleType:
    """The module; its name holds the folder's place, so that others of its name can be loaded."""
    try:
        read_text(file, MOST_BYTES)
    except UnreadableError as error:
        raise _not_loaded(code, str(error), file) from error
    digest = hashlib.sha256(bytes(file.resolve())).hexdigest()[:12]
    name = f"opsmith_{digest}_{file.parent.name}"
    if name in sys.modules:
        return sys.modules[name]
    import_exactly(file.parent)
    spec = importlib.util.spec_from_file_location(
        name,
        file,
        loader=ExactLoader(name, str(file)),
        submodule_search_locations=[str(file.parent)],  # `from .packing import …` works
    )
    assert spec is not None, "a loader is given"
    assert spec.loader is not None, "a loader is given"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)
        if isinstance(error, ToolchainError):
            raise
        raise _not_loaded(code, described(error), file) from error
    return module


def _not_loaded(code: str, why: str, file: Path) -> ToolchainError:
    what = f"the module does not load: {why}"
    return ToolchainError.of(code, what, where=str(file), fix="correct the module")
