"""Stage 6: C++ becomes objects, all of them under build/."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain.scons.convert import SHARDS, Emitted
from toolchain.scons.environment import (
    KERNEL_FLAGS,
    KERNEL_OPT,
    Target,
    folder,
    node,
    object_stem,
)
from toolchain.scons.settings import Settings

COLD = "-Os"  # startup, UART, application: small counts, fast does not
PUSH = {"rows": "push_row", "frames": "push_frame"}  # what a streamed model is fed by
SOURCES = ("*.cc", "*.c", "*.S")


@dataclass(frozen=True)
class Objects:
    """The objects of a firmware; the model's are also those of the library."""

    model: Sequence[Any]
    rest: Sequence[Any]


def compile_firmware(env: Any, settings: Settings, target: Target, emitted: Emitted) -> Objects:
    """Declare the objects of the model, of the application and of the board."""
    app = sorted(path for pattern in SOURCES for path in Path(settings.app).glob(pattern))
    includes = [folder(env, path) for path in target.board.includes]
    app_env = env.Clone()
    app_env.Append(CPPDEFINES=[("OPSMITH_MODEL", settings.name)])
    app_env.Append(CPPDEFINES=["OPSMITH_STEPWISE"] if emitted.stepwise else [])
    app_env.Append(CPPDEFINES=["OPSMITH_GUARDS"] if settings.guards else [])
    app_env.Append(
        CPPDEFINES=[("OPSMITH_PUSH", PUSH[emitted.stream])] if emitted.stream in PUSH else []
    )
    app_env.Prepend(CPPPATH=[folder(env, emitted.folder)])
    app_env.Append(CPPPATH=includes)
    board_env = env.Clone()
    board_env.Append(CPPPATH=includes)
    app_objects = _objects(app_env, app, emitted.folder / "obj", [COLD])
    # One set of board objects serves all models.
    board_objects = _objects(board_env, target.board.sources, target.folder / ".board", [COLD])
    return Objects(compile_model(env, settings, emitted), [*app_objects, *board_objects])


def compile_model(env: Any, settings: Settings, emitted: Emitted) -> list[Any]:
    """Declare the objects of the generated program."""
    model_env = env.Clone()
    model_env.Prepend(CPPPATH=[folder(env, emitted.folder)])
    where = emitted.folder / "obj"
    objects = []
    for name in (*SHARDS, "sources.cc"):
        flags = [KERNEL_OPT[settings.opt], *KERNEL_FLAGS]
        objects += _object(model_env, emitted[name], where / Path(name).stem, flags)
    objects += _object(model_env, emitted["model.cc"], where / "model", [KERNEL_OPT[settings.opt]])
    weights = _object(model_env, emitted["weights.cc"], where / "weights", [COLD])
    env.Depends(weights, emitted["weights.bin"])  # .incbin: no scanner sees it
    return objects + weights


def compile_check(env: Any, check: Any) -> Any:
    """Declare the object of a file that instantiates every kernel of an op; returns it."""
    stem = Path(str(check)).with_suffix("")
    return _object(env, check, stem, [KERNEL_OPT["balanced"], *KERNEL_FLAGS])


def _objects(env: Any, sources: Sequence[Path], where: Path, flags: Sequence[str]) -> list[Any]:
    found = []
    for source in sources:
        found += _object(env, node(env, source), where / object_stem(source), flags)
    return found


def _object(env: Any, source: Any, stem: Path, flags: Sequence[str]) -> list[Any]:
    target = f"{stem}.o".replace("$", "$$")
    if env.File(target).has_builder():  # of the board, for another firmware
        return [env.File(target)]
    made = env.StaticObject(target, source, CCFLAGS=[*flags, *env["CCFLAGS"]])
    env.Depends(made, env["TOOLCHAIN"])
    return list(made)
