"""Checks of a .keras file before TensorFlow reads it: it may contain code, and links out of it."""

import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.reading import UnreadableError, check_regular
from opsmith.text import escaped

MEMBERS = ("config.json", "metadata.json", "model.weights.h5")
_MOST_CONFIG, _MOST_MEMBERS = 64 << 20, 10_000
_MOST_BYTES = 4 << 30  # limit of all members, unpacked
_MOST_TOLD = 8
_ENCRYPTED = 1
_SAVE = "save it by model.save('NAME.keras')"
# Layers whose configuration contains code, or a path from which code is loaded.
_CODE = {"Lambda", "TorchModuleWrapper", "JaxLayer", "FlaxLayer", "TFSMLayer", "__lambda__"}
_ROOMS = (
    *("activations", "constraints", "dtype_policies", "initializers", "layers", "models", "ops"),
    *("quantizers", "regularizers", "random"),
)
_SAFE = {"keras", "builtins", *(f"keras.{r}" for r in _ROOMS), *(f"keras.src.{r}" for r in _ROOMS)}
_NOT_BUILT = "compile_config"  # key that is left out for an untrained model
_DAMAGED = (UnreadableError, OSError, ValueError, RuntimeError, zipfile.BadZipFile)


def check_keras(path: Path) -> None:
    """Raise MDL054 for a file that is no model of Keras, or that holds code."""
    try:
        check_regular(path, _MOST_BYTES)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            raise_all(Problem("MDL054", what, str(path), fix) for what, fix in _odd(members))
            with archive.open("config.json") as member:
                config = json.loads(member.read(_MOST_CONFIG))
            if not isinstance(config, dict):
                raise ValueError("its configuration is no object")
    except (*_DAMAGED, KeyError, RecursionError) as error:
        what = f"it is no model of Keras 3: {escaped(str(error))[:200]}"
        raise ToolchainError.of("MDL054", what, where=str(path), fix=_SAVE) from error
    fix = "build these layers of Keras's own; or convert it yourself, if you trust it"
    if found := sorted({*_code(config)})[:_MOST_TOLD]:
        what = f"it holds code: {', '.join(found)}"
        raise ToolchainError.of("MDL054", what, where=str(path), fix=fix)


def _odd(members: list[zipfile.ZipInfo]) -> Iterator[tuple[str, str]]:
    """Oddities that no file of Keras's own has, each with a fix."""
    if len(members) > _MOST_MEMBERS or sum(each.file_size for each in members) > _MOST_BYTES:
        yield "it unpacks to more than 4 GiB, or 10,000 files", _SAVE
        return
    for each in members:
        name, mode = each.filename, each.external_attr >> 16
        parts = name.split("/")
        if name.startswith("/") or ".." in parts or "\\" in name or stat.S_ISLNK(mode):
            yield f"a member leads elsewhere: {escaped(name)[:80]}", _SAVE
        elif parts[0] not in (*MEMBERS, "assets"):
            yield f"a member that Keras does not write: {escaped(name)[:80]}", _SAVE
        elif each.flag_bits & _ENCRYPTED:
            yield f"a member is encrypted: {escaped(name)[:80]}", _SAVE


def _code(config: object) -> Iterator[str]:
    """Classes in a configuration that are code, or of another package, which Keras would import."""
    waiting = [config]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        if not isinstance(value, dict):
            continue
        called, module = value.get("class_name"), value.get("module")
        if isinstance(called, str) and called in _CODE:
            yield f"a {called} layer"
            continue
        waiting += [each for name, each in value.items() if name != _NOT_BUILT]
        if isinstance(module, str) and not (_is_safe(module) and _is_class(called)):
            yield escaped(f"{called} of {module}")[:120]
        elif isinstance(called, str) and value.get("registered_name") and module is None:
            yield escaped(f"{called}, a class of the model's own")[:120]


def _is_safe(module: str) -> bool:
    """True if Keras finds only layers and their parts in a module of the given name."""
    return module in _SAFE or any(module.startswith(f"{room}.") for room in _SAFE - {"keras"})


def _is_class(called: object) -> bool:
    """True if a value has a capital, as a class has, or is `function`, as for an activation."""
    return isinstance(called, str) and (called[:1].isupper() or called == "function")
