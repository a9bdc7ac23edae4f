"""Stages 1-5 as build actions: the model becomes C++, each op's contract becomes a header."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain.scons.environment import BINDINGS, BUILD, Target, command, literal, node
from toolchain.scons.settings import Settings

SHARDS = ("nodes_0.cc", "nodes_1.cc", "nodes_2.cc", "nodes_3.cc")
MODEL = ("model.h", "model.cc", "nodes.h", *SHARDS, "sources.cc", "weights.cc", "weights.bin")
STEPWISE = ".crosscheck"  # behind the name of the folder of a firmware that runs node by node
TUNED = ".tune"  # behind it, with a number, where `tune` measures
OUTPUTS = (*MODEL, "libraries.txt", "model.json")
BINDER = ("ir", "op", "board")
CONVERTER = (*BINDER, "commands", "emit", "frontend", "legalize", "lower", "transform")
RESOLVE = "$PYTHON -m toolchain resolve --model $SOURCE --ops $OPS_ROOTS --out $TARGET"
CONVERT = (
    "$PYTHON -m toolchain convert --model ${SOURCES[0]} --used ${SOURCES[1]} "
    "--boards $BOARDS_ROOTS --board $BOARD --runtime $RUNTIME --opt $OPT $WISHES $MODEL_OUTPUTS "
    "$DUMP $STREAM $STEPWISE $FOLD_FLOATS $GUARDS --name $NAME --out ${TARGET.dir}"
)
BIND = "$PYTHON -m toolchain bind --op ${SOURCE.dir} --out $TARGET"
BIND_CHECK = "$PYTHON -m toolchain bind --op ${SOURCE.dir} --check $TARGET --features '$FEATURES'"


@dataclass(frozen=True)
class Emitted:
    """The converter's outputs, as SCons files."""

    files: Mapping[str, Any]  # by name
    folder: Path
    stepwise: bool = False  # invoke() runs one node a call, for `crosscheck`
    stream: str = "0"  # or 'rows' or 'frames'

    def __getitem__(self, name: str) -> Any:
        return self.files[name]


def convert_model(
    env: Any,
    settings: Settings,
    target: Target,
    ops: Mapping[str, Path],
    *,
    stepwise: bool = False,
    candidate: int | None = None,
) -> Emitted:
    """Declare how the model becomes C++. Of the ops, only edits of used ones convert again.

    With a `candidate`, every node gets that one of the kernels that it could have, for `tune`.
    """
    place = (STEPWISE if stepwise else "") + ("" if candidate is None else f"{TUNED}{candidate}")
    folder = target.folder / f"{settings.name}{place}"
    model = node(env, settings.model)
    short = "" if settings.verbose else "$SOURCE.file"
    used = env.Command(
        str(folder / "used_ops.json"), model, command(env, RESOLVE, f"RESOLVE {short}")
    )
    registrations = [file for op in ops.values() for file in registration(env, op)]
    env.Depends(used, [*registrations, *machinery(env, CONVERTER)])
    outputs = ",".join(settings.outputs)
    emitted = env.Command(
        [str(folder / name) for name in OUTPUTS],
        [model, used],
        command(env, CONVERT, f"CONVERT {short}"),
        BOARD=target.board.name,
        RUNTIME=target.runtime.name,
        OPT=settings.opt,
        WISHES=[*_wishes(env, settings, target), *_tuning(env, settings, candidate)],
        NAME=settings.name,
        MODEL_OUTPUTS=["--outputs", literal(env, outputs)] if outputs else [],
        STREAM=["--stream", settings.stream] if settings.stream != "0" else [],
        STEPWISE=["--stepwise"] if stepwise else [],
        FOLD_FLOATS=["--fold-floats"] if settings.fold_floats else [],
        GUARDS=["--guards"] if settings.guards else [],
        DUMP=["$(", "--dump", literal(env, settings.dump), "$)"] if settings.dump else [],
    )
    if candidate is None and settings.tune_file.is_file():
        env.Depends(emitted, node(env, settings.tune_file))
    env.Precious(emitted)
    if settings.dump:
        env.AlwaysBuild(emitted)  # the dump is no product: SCons would not miss it
    env.Depends(emitted, [*target_files(env, target), *machinery(env, CONVERTER)])
    return Emitted(dict(zip(OUTPUTS, emitted, strict=True)), folder, stepwise, settings.stream)


def _wishes(env: Any, settings: Settings, target: Target) -> list[Any]:
    """What says which kernels nodes get, besides the target."""
    found = ["--prefer", literal(env, settings.prefer)] if settings.prefer else []
    if settings.flash_budget:
        found += ["--flash-budget", settings.flash_budget]
    if target.cmsis_nn is not None:
        found += ["--cmsis-nn", target.cmsis_nn.revision]
    return found


def _tuning(env: Any, settings: Settings, candidate: int | None) -> list[Any]:
    """What says which candidate nodes get: a number, or the file of what was measured."""
    if candidate is not None:
        return ["--candidate", str(candidate)]
    there = settings.tune_file.is_file()
    return ["--tune", literal(env, settings.tune_file)] if there else []


def bind_ops(env: Any, ops: Mapping[str, Path]) -> None:
    """Declare each op's generated header; it is made when an object includes it."""
    sources = machinery(env, BINDER)
    for name, op in ops.items():
        action = command(env, BIND, f"BIND {name}")
        header = env.Command(str(BINDINGS / f"{name}.op.h"), node(env, op / "op.py"), action)
        env.Depends(header, [*registration(env, op), *sources])


def bind_check(env: Any, name: str, op: Path, target: Target) -> Any:
    """Declare, and return, the C++ file that instantiates every kernel a target can have."""
    check = env.Command(
        str(BUILD / "checks" / target.folder.name / f"{name}.check.cc"),
        node(env, op / "op.py"),
        command(env, BIND_CHECK, f"CHECK {name}"),
        FEATURES=",".join(sorted(target.features)),
    )
    env.Depends(check, [*registration(env, op), *machinery(env, BINDER)])
    return check[0]


def registration(env: Any, op: Path) -> list[Any]:
    """The Python files that say what an op is: op.py and what it may have beside it."""
    files = (file for file in sorted(op.glob("*.py")) if not file.name.startswith("test_"))
    return [node(env, file) for file in files]


def target_files(env: Any, target: Target) -> list[Any]:
    """The files that say what the board and the runtime are."""
    manifests = sorted(target.board.folder.glob("*.toml"))
    return [
        node(env, path)
        for path in [*manifests, Path("runtimes", target.runtime.name, "runtime.toml")]
    ]


def machinery(env: Any, packages: Sequence[str]) -> list[Any]:
    """The files that a command of ours is made of: it runs again when they change."""
    files = [path for name in packages for path in sorted(Path("toolchain", name).rglob("*.py"))]
    top = ["pipeline.py", "errors.py", "keywords.py", "requirements.lock"]
    files += [path for path in (Path("toolchain", name) for name in top) if path.exists()]
    return [env.Value(sys.version), *(node(env, path) for path in files)]
