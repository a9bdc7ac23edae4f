"""Problems of a runtime.toml: its keys, and the files of the backend that it names."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from opsmith.board.derive import reader_problems
from opsmith.board.device import device_problems
from opsmith.board.library import library_problems
from opsmith.board.read import VALUES, hidden_texts
from opsmith.board.schema import is_name
from opsmith.errors import Problem, did_you_mean, shown
from opsmith.keywords import RESERVED

EMITTER = "emitter.py"
KEYS = {
    "title": str,
    "rank": int,
    "grants": list,
    "provides": list,
    "emits": list,
    "device": dict,
    "devices": list,
    "environment": list,
    "times": str,
    "library": dict,
    "derive": dict,
    "check": dict,
    "commands": dict,
}
LISTS = {
    "grants": "feature names",
    "provides": "feature names",
    "emits": "names of files",
    "devices": "names of devices",
    "environment": "names of variables",
}
REQUIRED = ("title", "grants")
PRODUCTS = ("conan", "library", "obj")  # folders beside the emitter's folder
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}", re.ASCII)
_COMMAND = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)


def command_in(folder: Path, command: str) -> Path:
    """Path of the module of a command in its backend's folder."""
    return folder / f"{command.replace('-', '_')}.py"


def runtime_problems(path: Path, data: Mapping[str, Any]) -> Iterator[Problem]:
    """Problems of the keys and values of a runtime.toml at `path`, as BLD030."""

    def problem(what: str, fix: str) -> Problem:
        return Problem("BLD030", what, str(path), fix)

    for place, text in hidden_texts(dict(data)):
        yield problem(f"{text[:80]!r} in {place} has characters that do not show", "correct it")
    for key in data:
        if key not in KEYS:
            near = did_you_mean(key, KEYS)
            yield problem(f"unknown key '{key}'{near}", f"use only: {', '.join(KEYS)}")
    for key in REQUIRED:
        if key not in data:
            yield problem(f"missing key '{key}'", f"add {key} = …")
    for key, kind in KEYS.items():
        if key in data and not isinstance(data[key], kind):
            yield problem(f"'{key}' is {shown(data[key])}", f"make it {VALUES[kind]}")
    for key, wanted in LISTS.items():
        names = data.get(key, [])
        if not isinstance(names, list):
            continue  # reported above
        if not all(isinstance(each, str) for each in names):
            yield problem(f"'{key}' is {shown(names)}", f"make it a list of {wanted}")
        elif key == "emits":
            yield from (problem(*each) for each in _emitter_problems(path.parent, names))
        else:
            yield from (problem(*each) for each in _misnamed(key, names))
    if "device" in data:
        yield from (problem(*each) for each in device_problems(path.parent.name, data["device"]))
    times = data.get("times", "")
    if isinstance(times, str) and times and not _VARIABLE.fullmatch(times):
        what = f"'times' is {shown(times)}, which is no name of a variable"
        yield problem(what, "use capital letters, digits and _, starting with a letter")
    if times and "device" not in data:
        yield problem("'times' needs [device], whose nodes take them", "add [device], or remove it")
    if "device" in data and not data.get("emits"):
        fix = "add emits = …, or remove the table"
        yield problem("'device' needs an emitter, whose calls run there", fix)
    if isinstance(data.get("library"), dict):
        yield from (problem(what, fix) for what, fix in library_problems(data["library"]))
    if isinstance(data.get("commands"), dict):
        yield from (problem(*each) for each in _command_problems(path.parent, data["commands"]))
    emits, devices = (data.get(key, []) for key in ("emits", "devices"))
    if isinstance(emits, list) and isinstance(devices, list):
        yield from (problem(what, fix) for what, fix in reader_problems(data, emits, devices))


def _misnamed(key: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """Problems with names of features, devices or environment variables, as (what, fix)."""
    kind = {"devices": "device", "environment": "variable"}.get(key, "feature")
    letters = "capital" if kind == "variable" else "small"
    for name in names:
        if not (_VARIABLE.fullmatch(name) if kind == "variable" else is_name(name)):
            what = f"'{key}' has {shown(name)}, which is no name of a {kind}"
            yield what, f"use {letters} letters, digits and _, starting with a letter"


def _command_problems(folder: Path, commands: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Problems in the `[commands]` table of a backend, as (what, fix)."""
    for name, text in commands.items():
        file = command_in(folder, name)
        if not _COMMAND.fullmatch(name) or not isinstance(text, str) or not text:
            yield f"'commands' has {name} = {shown(text)}", 'write do-this = "what it does"'
        elif not file.is_file():
            yield f"'commands' has '{name}', and there is no {file.name}", f"write {file.name}"


def _emitter_problems(folder: Path, emits: list[str]) -> Iterator[tuple[str, str]]:
    """Problems with the file names in `emits` and with the emitter module, as (what, fix)."""
    there = (folder / EMITTER).is_file()
    if emits and not there:
        yield f"'emits' lists files, and there is no {EMITTER} beside it", f"write {EMITTER}"
    if there and not emits:
        what = f"there is an {EMITTER}, and 'emits' does not list what it writes"
        yield what, 'add emits = ["calls.cc", …], or rename the module'
    if emits and folder.name in (*PRODUCTS, *RESERVED):
        what = f"what '{folder.name}' emits would lie among other products, or has a name of theirs"
        yield what, "rename the folder of the backend"
    for name in sorted({*emits}):
        if not _FILE.fullmatch(name):
            what = f"'emits' has {shown(name)}, which is no name of a file"
            yield what, "use letters, digits and _.-"
        elif name.endswith(".op.h"):
            what = f"'emits' has {name}, which is a name of generated headers of ops"
            yield what, "let its name end otherwise"
        elif (folder / name).exists():
            what = f"'emits' has {name}, which is a file of the backend"
            yield what, "rename one of them: both would be included by this name"
        elif emits.count(name) > 1:
            yield f"'emits' has {name} twice", "remove one of them"
