"""Stages 1-5 as build actions: the model becomes C++."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from opsmith.board.emitter import Emitter
from opsmith.board.runtime import SHIPPED
from opsmith.build_options import BuildOptions
from opsmith.emit.names import ALONE, ModelFiles, files_of
from opsmith.frontend.beside import files_beside
from opsmith.home import APART, LOCK, PACKAGE, RUNTIMES, shipped
from opsmith.option import flags_of
from opsmith.registration import all_files, all_names, registration_files
from opsmith.scons.derive import read_emitted
from opsmith.scons.environment import (
    board_options,
    each,
    make,
    node,
    opsmith,
    option,
    outside_backends,
)
from opsmith.scons.folders import (
    BUILD,
    STEPWISE,
    TUNED,
    bindings_folder,
    model_file,
    model_folder,
    used_file,
)
from opsmith.scons.installed_packages import InstalledPackages, install_packages
from opsmith.scons.prepare import prepare_model
from opsmith.scons.step import StepAction
from opsmith.scons.target import Target
from opsmith.steps.sealed import Unsigned

KERNELS = "nodes.sha256"  # list of kernel sources, for each op of the models
OF_ALL = ("nodes.h", KERNELS, "weights.cc", "weights.bin", "libraries.txt")
OUTPUTS = (*ALONE.names, *OF_ALL, "model.json", "used_ops.json")
PYTHON = (PACKAGE, RUNTIMES)


@dataclass(frozen=True)
class ConvertedFiles:
    """Outputs of the converter, as SCons files."""

    files: Mapping[str, Any]  # by name
    folder: Path
    carried: tuple[str, ...] = ()  # files written by the runtime's emitter
    arguments: tuple[str, ...] = ()  # arguments for the converter
    stepwise: bool = False  # each call of invoke() runs one node, for `crosscheck`
    stream: str = "0"  # '0', 'rows' or 'frames'
    derived: tuple[Any, ...] = ()  # files that programs make from the emitter's files
    checks: tuple[Any, ...] = ()  # stamps of programs that checked the emitter's files
    packages: InstalledPackages | None = None  # packages that its ops require
    models: tuple[ModelFiles, ...] = (ALONE,)

    def __getitem__(self, name: str) -> Any:
        return self.files[name]

    @property
    def sequences(self) -> list[str]:
        """Sources that run nodes: one for each model, and a shared arena."""
        names = [*(each.source for each in self.models), "arena.cc"]
        return [name for name in names if name in self.files]

    @property
    def data(self) -> list[Any]:
        """Files that are no C++, whose bytes a source may include."""
        names = (*self.carried, "weights.bin")
        data = [self.files[name] for name in names if Path(name).suffix not in (".cc", ".h")]
        return [*data, *self.derived]


def convert_model(
    env: Any,
    settings: BuildOptions,
    target: Target,
    ops: Mapping[str, Path],
    *,
    stepwise: bool = False,
    candidate: int | None = None,
) -> ConvertedFiles:
    """Declare how the model becomes C++. Of the ops, only edits of used ones convert again.

    With a `candidate`, every node gets its candidate kernel of that number, for `tune`.
    """
    place = (STEPWISE if stepwise else "") + ("" if candidate is None else f"{TUNED}{candidate}")
    folder = target.folder / f"{model_folder(settings)}{place}"
    for model in settings.each:
        prepare_model(env, model)
    made = [file for each in settings.each for file in _resolve(env, each, ops)]
    reads = _reads(env, settings)
    packages = _packages(env, settings, target, folder, made)
    arguments = [*target_flags(settings, target), *option_flags(settings, candidate)]
    arguments.append(option("out", folder))
    for model in settings.each:
        arguments += [option("model", model_file(model)), option("used", used_file(model))]
        arguments.append(option("name", model.name))
    arguments += ["--stepwise"] if stepwise else []
    arguments += [option("packages", packages.facts)] if packages else []
    arguments += [] if candidate is None else [option("candidate", str(candidate))]
    inputs = [*made, *reads, *(packages.files if packages else ())]
    if candidate is not None or settings.has_tuning:
        inputs += _kernels(settings, ops)
    if candidate is None and settings.has_tuning:
        inputs.append(node(env, settings.tune_file))
    inputs += target_files(target)
    emitter = target.runtime.emitter
    inputs += _read_by_emitter(emitter) if emitter else []
    carried = [f"{emitter.backend}/{name}" for name in emitter.writes] if emitter else []
    names = [*_outputs(settings), *carried]
    # The dump is not a product, so a missing dump changes no seal.
    name = ",".join(Path(model).name for model in settings.models)
    convert = opsmith("convert", *arguments)
    listing = folder / KERNELS
    step = StepAction([convert], f"CONVERT {name}", reusable=not settings.dump, listing=listing)
    emitted = dict(zip(names, make(env, [folder / n for n in names], step, inputs), strict=True))
    read = read_emitted(env, target, emitted, folder)
    known = (tuple(carried), tuple(arguments), stepwise, settings.stream)
    return ConvertedFiles(emitted, folder, *known, *read, packages, tuple(_own(settings)))


def _packages(
    env: Any, settings: BuildOptions, target: Target, folder: Path, used: Sequence[Any]
) -> InstalledPackages | None:
    """Declare the packages that the ops in the given lists require."""
    files = [option("used", used_file(model)) for model in settings.each]
    inputs = [*used, *target_files(target), *machinery(env)]
    return install_packages(env, settings, target, folder / "packages", files, inputs)


def _resolve(env: Any, settings: BuildOptions, ops: Mapping[str, Path]) -> list[Any]:
    """Declare, and return, the list of the ops that a model uses."""
    model, used = option("model", model_file(settings)), used_file(settings)
    registrations = [partial(registration, env, op) for op in ops.values()]
    more = [*each("platforms", settings.platforms), *outside_backends(settings)]
    more += [flag for said, flag in flags_of(settings) if said.option.reads]
    resolve = opsmith("resolve", model, *each("ops", ops.values()), *more, option("out", used))
    registrations.append(partial(backend_files, env, settings))
    sources = [*registrations, *_cores(settings), *_reads(env, settings)]
    step = StepAction([resolve], f"RESOLVE {Path(settings.model).name}")
    return make(env, [used], step, sources, shared=True)


def _reads(env: Any, settings: BuildOptions) -> list[Any]:
    """Nodes that decide how models are read: models, files beside, front ends, and modules."""
    models = [node(env, model_file(each)) for each in settings.each]
    models += [node(env, file) for model in settings.models for file in files_beside(Path(model))]
    return [*models, *_front_ends(settings), *machinery(env)]


def _outputs(settings: BuildOptions) -> tuple[str, ...]:
    """Names of the files that the converter writes."""
    own = [name for files in _own(settings) for name in files.names]
    arena = ["arena.cc"] if settings.arena == "shared" else []
    return (*own, *arena, *OF_ALL, "model.json", "used_ops.json")


def _own(settings: BuildOptions) -> list[ModelFiles]:
    return files_of([each.name for each in settings.each])


def _read_by_emitter(emitter: Emitter) -> Iterator[Path]:
    """Files that an emitter may read besides those of ops: its backend's, and files of families and
    cores in languages other than C++ and Python.
    """
    yield from all_files(emitter.file.parent)
    for shared in ("core", "families"):
        yield from (f for f in all_files(SHIPPED / shared) if f.suffix not in (".h", ".py"))


def _kernels(settings: BuildOptions, ops: Mapping[str, Path]) -> list[Path]:
    """Files of which kernels may be made, and of which measurements hold."""
    shared = [SHIPPED / name for name in ("core", "families")]
    folders = [*ops.values(), *shared, *backend_folders(settings)]
    found = dict.fromkeys(file for folder in folders for file in all_files(folder))
    return [file for file in found if file.suffix not in (".py", ".md")]


def _front_ends(settings: BuildOptions) -> list[Path]:
    """Front-end files of further platforms, which decide which models can be read."""
    return _files(settings.platforms, "frontends/**/*.py")


def _cores(settings: BuildOptions) -> list[Path]:
    """Files that declare cores: a feature that kernels require must belong to a core."""
    roots = (str(shipped("runtimes")), *settings.platforms)
    return _files(roots, "arch/*/arch.toml", "arch/*/cores/*.toml")


def _files(roots: Iterable[str], *forms: str) -> list[Path]:
    return [file for root in roots for form in forms for file in sorted(Path(root).glob(form))]


def target_flags(settings: BuildOptions, target: Target) -> list[str]:
    """Flags that name the target of a program: board, backends, libraries and runtime."""
    found = [*board_options(settings, target), *outside_backends(settings)]
    found += [option("library", f"{each.name}={each.revision}") for each in target.libraries]
    return [*found, option("runtime", target.runtime.name)]


def option_flags(settings: BuildOptions, candidate: int | None) -> list[str]:
    """Flags of options on which a program depends. With a candidate, measurements are left out."""
    measured = settings.has_tuning and candidate is None
    found = replace(settings, tune=str(settings.tune_file) if measured else "")
    return [Unsigned(flag) if each.option.unsigned else flag for each, flag in flags_of(found)]


def backend_folders(settings: BuildOptions) -> list[Path]:
    """Folders of all backends."""
    roots = map(Path, settings.backend_roots)
    return [path.parent for root in roots for path in sorted(root.glob("*/runtime.toml"))]


def backend_files(env: Any, settings: BuildOptions) -> list[Path]:
    """Registration files of all backends."""
    backends = backend_folders(settings)
    return [file for backend in backends for file in registration(env, backend)]


def bind_check(
    env: Any, settings: BuildOptions, name: str, op: Path, target: Target
) -> tuple[Path, InstalledPackages | None]:
    """Declare, and return, the C++ file that instantiates every kernel that a target can have, and
    the packages that it needs.
    """
    check = BUILD / "checks" / target.folder.name / bindings_folder(op).name / f"{name}.check.cc"
    features = option("features", ",".join(sorted(target.features)))
    command = opsmith("bind", option("op", op), *outside_backends(settings))
    command += [option("check", check), features, *each("platforms", settings.platforms)]
    inputs = [*registration(env, op), *backend_files(env, settings), *machinery(env)]
    inputs += _cores(settings)
    of_op = [*registration(env, op), *target_files(target), *machinery(env)]
    folder = check.with_name(f"{name}+packages")
    packages = install_packages(env, settings, target, folder, [option("op", op)], of_op)
    command += [option("packages", packages.facts)] if packages else []
    inputs += packages.files if packages else ()
    make(env, [check], StepAction([command], f"CHECK {name}"), inputs, shared=True)
    return check, packages


def registration(env: Any, op: Path) -> list[Path]:
    """Files that define an op: op.py and all files that it may import or read."""
    known = env.setdefault("REGISTRATIONS", {})  # shared by several steps
    if op not in known:
        known[op] = registration_files(op)
    return list(known[op])


def target_files(target: Target) -> list[Path]:
    """Files that define the board and the runtime."""
    manifests = [path for path in sorted(target.board.folder.glob("*.toml")) if path.is_file()]
    manifests += target.board.files
    return [*manifests, target.runtime.folder / "runtime.toml"]


def machinery(env: Any) -> list[Any]:
    """Files of Opsmith's commands: a step runs again when one changes."""
    if "MACHINERY" not in env:  # each step depends on all of them, so they are listed once
        env["MACHINERY"] = [env.Value(sys.version), cache(_python)]
    return list(env["MACHINERY"])


def _python() -> list[str]:
    found = [str(LOCK)]
    for top in map(str, PYTHON):
        start = len(top) + 1
        files = (file for file in all_names(top) if file.endswith(".py"))
        found += [each for each in files if each[start:].partition(os.sep)[0] not in APART]
    return found
