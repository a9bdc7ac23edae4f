"""Stages 1-5 as build actions: the model becomes C++, each op's contract becomes a header."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain.registration import registration_files
from toolchain.scons.environment import each, make, node, opsmith, option
from toolchain.scons.folders import BUILD, STEPWISE, TUNED, bindings_folder, model_folder
from toolchain.scons.settings import Settings
from toolchain.scons.step import Step, Unsigned
from toolchain.scons.target import Target

SHARDS = ("nodes_0.cc", "nodes_1.cc", "nodes_2.cc", "nodes_3.cc")
MODEL = ("model.h", "model.cc", "nodes.h", *SHARDS, "sources.cc", "weights.cc", "weights.bin")
OUTPUTS = (*MODEL, "libraries.txt", "model.json")
PYTHON = ("toolchain", "runtimes")
APART = ("rig", "scaffold", "scons", "testing")  # of toolchain/: no step that makes things uses it


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
    folder = target.folder / f"{model_folder(settings)}{place}"
    model = option("model", settings.model)
    used = folder / "used_ops.json"
    registrations = [file for op in ops.values() for file in registration(env, op)]
    registrations += backend_files(env, settings)
    resolve = opsmith("resolve", model, *each("ops", ops.values()), *_backends(settings))
    resolve.append(option("out", used))
    sources = [node(env, settings.model), *registrations, *machinery(env)]
    name = Path(settings.model).name
    made = make(env, [used], Step([resolve], f"RESOLVE {name}"), sources)
    convert = opsmith("convert", model, option("used", used), *_target(settings, target))
    convert += [*_program(settings, target), option("name", settings.name), option("out", folder)]
    convert += ["--stepwise"] if stepwise else []
    convert += _tuning(settings, candidate)
    convert += [Unsigned(option("dump", settings.dump))] if settings.dump else []
    inputs = [*made, node(env, settings.model)]
    if candidate is None and settings.has_tuning:
        inputs.append(node(env, settings.tune_file))
    inputs += [*target_files(env, target), *machinery(env)]
    # The dump is no product: no seal misses it.
    step = Step([convert], f"CONVERT {name}", reusable=not settings.dump)
    emitted = make(env, [folder / each for each in OUTPUTS], step, inputs)
    return Emitted(dict(zip(OUTPUTS, emitted, strict=True)), folder, stepwise, settings.stream)


def _target(settings: Settings, target: Target) -> list[str]:
    """What the program is for."""
    found = [*each("boards", settings.boards), *_backends(settings)]
    found.append(option("board", target.board.name))
    return [*found, option("runtime", target.runtime.name), option("opt", settings.opt)]


def _program(settings: Settings, target: Target) -> list[str]:
    """What the user says of the program."""
    found = [option("prefer", settings.prefer)] if settings.prefer else []
    found += [option("flash-budget", settings.flash_budget)] if settings.flash_budget else []
    found += [option("library", f"{each.name}={each.revision}") for each in target.libraries]
    found += [option("outputs", ",".join(settings.outputs))] if settings.outputs else []
    found += [option("stream", settings.stream)] if settings.stream != "0" else []
    found += ["--fold-floats"] if settings.fold_floats else []
    return [*found, "--guards"] if settings.guards else found


def _tuning(settings: Settings, candidate: int | None) -> list[str]:
    """What says which candidate nodes get: a number, or the file of what was measured."""
    if candidate is not None:
        return [option("candidate", str(candidate))]
    return [option("tune", settings.tune_file)] if settings.has_tuning else []


def bind_ops(env: Any, ops: Mapping[str, Path]) -> list[Path]:
    """Declare each op's generated header, which is made when an object includes it; returns the
    folders of headers.
    """
    sources = machinery(env)
    for name, op in ops.items():
        header = bindings_folder(op) / f"{name}.op.h"
        step = Step([opsmith("bind", option("op", op), option("out", header))], f"BIND {name}")
        make(env, [header], step, [*registration(env, op), *sources], shared=True)
    return list(dict.fromkeys(bindings_folder(op) for op in ops.values()))


def bind_backends(env: Any, settings: Settings, ops: Mapping[str, Path]) -> list[Path]:
    """Declare the headers of what backends bring for ops; returns the folders of headers."""
    sources, files = machinery(env), backend_files(env, settings)
    folders = []
    for backend in _backend_folders(settings):
        folders.append(bindings_folder(backend))
        for name, op in ops.items():
            if not os.path.lexists(backend / f"{name}.py"):
                continue
            header = bindings_folder(backend) / backend.name / f"{name}.op.h"
            command = opsmith("bind", option("op", op), *_backends(settings))
            command += [option("backend", backend), option("out", header)]
            step = Step([command], f"BIND {backend.name}/{name}")
            make(env, [header], step, [*registration(env, op), *files, *sources], shared=True)
    return list(dict.fromkeys(folders))


def _backend_folders(settings: Settings) -> list[Path]:
    roots = map(Path, settings.backends)
    return [path.parent for root in roots for path in sorted(root.glob("*/runtime.toml"))]


def backend_files(env: Any, settings: Settings) -> list[Any]:
    """The files that say what backends bring."""
    backends = _backend_folders(settings)
    return [file for backend in backends for file in registration(env, backend)]


def _backends(settings: Settings) -> list[str]:
    """The folders of backends that are not shipped, for our commands."""
    return each("backends", settings.backends[1:])


def bind_check(env: Any, settings: Settings, name: str, op: Path, target: Target) -> Path:
    """Declare, and return, the C++ file that instantiates every kernel a target can have."""
    check = BUILD / "checks" / target.folder.name / bindings_folder(op).name / f"{name}.check.cc"
    features = option("features", ",".join(sorted(target.features)))
    command = opsmith("bind", option("op", op), *_backends(settings))
    command += [option("check", check), features]
    inputs = [*registration(env, op), *backend_files(env, settings), *machinery(env)]
    make(env, [check], Step([command], f"CHECK {name}"), inputs, shared=True)
    return check


def registration(env: Any, op: Path) -> list[Any]:
    """The files that say what an op is: op.py and what it may import or read."""
    return [node(env, file) for file in registration_files(op)]


def target_files(env: Any, target: Target) -> list[Any]:
    """The files that say what the board and the runtime are."""
    manifests = [path for path in sorted(target.board.folder.glob("*.toml")) if path.is_file()]
    return [node(env, path) for path in [*manifests, target.runtime.folder / "runtime.toml"]]


def machinery(env: Any) -> list[Any]:
    """The files that our commands are made of: these run again when one changes."""
    files = [Path("toolchain/requirements.lock")]
    for path in sorted(file for top in PYTHON for file in Path(top).rglob("*.py")):
        if path.parts[1] not in APART:
            files.append(path)
    return [env.Value(sys.version), *(node(env, path) for path in files)]
