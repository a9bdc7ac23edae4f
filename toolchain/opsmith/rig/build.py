"""Contents of a build folder; firmware that its report or model no longer fits is refused."""

import glob
import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.beside import model_digest
from opsmith.reading import UnreadableError, check_regular, read_text
from opsmith.report import SCHEMA
from opsmith.report.identity import UNSTAMPED
from opsmith.rig.npz import DTYPES
from opsmith.text import escaped

_MOST_BYTES, _MOST_ELF = 1 << 28, 1 << 30  # limits of a report and a firmware


@dataclass(frozen=True)
class PortTensor:
    """An input or output as in report.json; `dtype` is numpy's name."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    scale: float | None
    zero_point: int | None
    id: str = ""  # its name in generated code
    expected: tuple[int, ...] = ()  # the only elements for which outputs are right, if not all
    count: bool = False  # it is the number of iterations of a loop
    names: bool = False  # its elements are positions, which have limits


@dataclass(frozen=True)
class LinkedFirmware:
    """A firmware that was linked in a folder, for a board."""

    folder: Path
    elf: Path
    board: str


@dataclass(frozen=True)
class Application(LinkedFirmware):
    """A finished application, which prints what it wants, and the models in it."""

    models: tuple[str, ...]  # SHA-256 of each model file


@dataclass(frozen=True)
class Build(LinkedFirmware):
    """A finished firmware of the runner, and the model in it."""

    model_sha256: str
    inputs: tuple[PortTensor, ...]
    outputs: tuple[PortTensor, ...]
    streams: bool = False  # it computes while its input arrives
    digest: str = UNSTAMPED  # digest of the firmware, which the firmware reports


Found = TypeVar("Found", bound=LinkedFirmware)


def load_build(folder: Path) -> Build:
    """Build in a folder, after a check that its firmware is the one that report.json describes."""

    def described(report: dict[str, Any], elf: Path) -> Build:
        return Build(
            folder=folder,
            elf=elf,
            board=str(report["board"]),
            model_sha256=str(report["sha256"]),
            inputs=tuple(map(_tensor, report["inputs"])),
            outputs=tuple(map(_tensor, report["outputs"])),
            streams=bool(report.get("stream")),
            digest=str(report["firmware"].get("digest", UNSTAMPED)),
        )

    return _loaded(folder, described)


def load_application(folder: Path) -> Application:
    """Application in a folder, which may have several models."""

    def described(report: dict[str, Any], elf: Path) -> Application:
        models = tuple(str(model["sha256"]) for model in report.get("models", [report]))
        return Application(folder, elf, str(report["board"]), models)

    return _loaded(folder, described)


def _loaded(folder: Path, described: Callable[[dict[str, Any], Path], Found]) -> Found:
    report = load_report(folder)
    elf = folder / "firmware.elf"
    try:
        found = described(report, elf)
        expected = report["firmware"]["sha256"]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise _unusable(
            folder / "report.json", f"lacks or garbles {escaped(str(error))}"
        ) from error
    if _digest(elf, _sha256) != expected:
        raise _stale(f"{elf.name} is not the one that report.json describes", elf)
    return found


def load_report(folder: Path) -> dict[str, Any]:
    """Contents of a build's report.json. Raises RIG001."""
    path = folder / "report.json"
    try:
        report = json.loads(read_text(path, _MOST_BYTES))
    except (UnreadableError, ValueError, RecursionError) as error:
        if not os.path.lexists(path):
            raise _unusable(path, "is missing", _with_more_words(folder)) from error
        raise _unusable(path, f"cannot be read: {error}") from error
    if not isinstance(report, dict):
        raise _unusable(path, "holds no object")
    if (schema := report.get("schema", SCHEMA)) != SCHEMA:
        said = escaped(str(schema)[:20])
        raise _unusable(path, f"is of version {said}, and this Opsmith reads version {SCHEMA}")
    return report


def beside(folder: Path, name: str) -> dict[str, Any] | None:
    """Object in a JSON file that a command left in the folder; None if absent or invalid."""
    try:
        found = json.loads(read_text(folder / name, _MOST_BYTES))
    except (UnreadableError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def check_current(build: Build, model: Path, board: str) -> None:
    """Raise unless the build is for the board and the present content of the model."""
    _check_current(build, {model: build.model_sha256}, board)


def check_application(application: Application, models: Sequence[Path], board: str) -> None:
    """Raise unless the application is for the board, the number of models and their contents."""
    if len(models) != len(application.models):
        what = f"it was built from {len(application.models)} models, not {len(models)}"
        raise _stale(what, application.folder)
    _check_current(application, dict(zip(models, application.models, strict=True)), board)


def _check_current(firmware: LinkedFirmware, models: Mapping[Path, str], board: str) -> None:
    if firmware.board != board:
        raise _stale(f"it was built for board '{firmware.board}', not '{board}'", firmware.folder)
    for model, sha256 in models.items():
        if _digest(model, model_digest) != sha256:
            raise _stale(f"it was built from another content of {model}", firmware.folder)


def _tensor(row: dict[str, Any]) -> PortTensor:
    shape = tuple(int(size) for size in row["shape"])
    dtype = str(row["dtype"])
    if dtype not in DTYPES:
        raise ValueError(f"dtype '{dtype}'")
    scale, zero = row.get("scale"), row.get("zero_point")
    tensor = PortTensor(
        name=str(row["name"]),
        dtype=dtype,
        shape=shape,
        bytes=int(row["bytes"]),
        scale=None if scale is None else float(scale),
        zero_point=None if zero is None else int(zero),
        id=str(row.get("id", "")),
        expected=tuple(int(number) for number in row.get("expected", ())),
        count=bool(row.get("count")),
        names=bool(row.get("names")),
    )
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if min(shape, default=1) < 0 or size != tensor.bytes:
        raise ValueError(f"shape {list(shape)} of '{tensor.name}'")
    if tensor.expected and np.array(tensor.expected, dtype).size != math.prod(shape):
        raise ValueError(f"what is expected of '{tensor.name}'")
    return tensor


def _digest(path: Path, digest: Callable[[Path], str]) -> str:
    try:
        return digest(path)
    except (OSError, UnreadableError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise _unusable(path, f"cannot be read: {why}") from error


def _sha256(path: Path) -> str:
    check_regular(path, _MOST_ELF)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _with_more_words(folder: Path) -> str:
    """Advice for a folder that is missing: those whose names say more options of the build."""
    found = sorted(folder.parent.glob(f"{glob.escape(folder.name)}+*/report.json"))
    return "".join(f"name {escaped(str(each.parent))}, or " for each in found)


def _unusable(path: Path, what: str, instead: str = "") -> ToolchainError:
    fix = f"{instead}build it: scons board=… model=…"
    return ToolchainError.of("RIG001", f"{path.name} {what}", where=escaped(str(path)), fix=fix)


def _stale(what: str, path: Path) -> ToolchainError:
    place, fix = escaped(str(path)), "build it again: scons board=… model=…"
    return ToolchainError.of("RIG002", f"the build is stale: {escaped(what)}", where=place, fix=fix)
