"""Interface of an SConstruct: builds that the command line asks for, and firmware as nodes.

    from opsmith.scons.project import Project

    project = Project(ops="my_ops", boards="my_boards")
    env = Environment(tools=["default", project])
    kws = env.Opsmith(model="kws.tflite", board="stm32", app="app")
    env.Command("kws.zip", [*kws.images, kws.report], "zip -jq $TARGET $SOURCES")
    project.build()

Variables are those of the command line (`scons -h`), and paths start at the SConstruct's folder.
"""

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import SCons.Defaults
import SCons.SConsign
from SCons import Script
from SCons.Node.FS import get_default_fs

from opsmith.build_options import BuildOptions
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.guard import print_any_text
from opsmith.ninja.heard import Heard
from opsmith.scons.build import (
    check_several,
    declare,
    declare_bindings,
    declare_check,
    own,
    stop_on_problems,
)
from opsmith.scons.compile import archive_kernels, compile_firmware, model_compiler
from opsmith.scons.convert import convert_model
from opsmith.scons.endings import end_well
from opsmith.scons.environment import base_environment, open_cache, pass_on
from opsmith.scons.firmware import link_firmware
from opsmith.scons.folders import BUILD, model_folder
from opsmith.scons.invocation import check_invocation
from opsmith.scons.library import library_targets
from opsmith.scons.ninja import check_ninja, hear_roots, hear_scripts
from opsmith.scons.package import package_targets
from opsmith.scons.settings import VARIABLES, all_set, help_text, read_settings, require
from opsmith.scons.step import NoRecord
from opsmith.scons.target import load_target

COMMAND_LINE = "command line"
ALONE = ("where", "variables")  # targets that print and build nothing


@dataclass(frozen=True)
class FirmwareTargets:
    """Products of a firmware, of a model for a board, as SCons nodes."""

    elf: Any
    map: Any
    report: Any  # report.json
    images: list[Any]  # firmware.bin, firmware.hex and others, for a board without an OS
    objects: list[Any]  # objects of the model without an application; an archive of kernels is last
    library: list[Any]  # files of the package, archive first: `scons library`
    package: list[Any]  # with `version`, a package for Conan, archive first: `scons package`
    folder: Any  # folder of the products


class Project:
    """Defaults of variables for all builds of an SConstruct. Folders of ops, boards and so on are
    added to those that a build names, unless they are empty. In the `tools` of an environment, a
    Project gives the environment `Opsmith` and `OpsmithOp`.
    """

    def __init__(self, **defaults: str) -> None:
        self.defaults = defaults
        print_any_text(sys.__stdout__, sys.__stderr__)  # wrapped by SCons
        self.heard = Heard(str(BUILD))
        if Script.ARGUMENTS.get("ninja") == "1":
            hear_scripts(self.heard)
            self.heard.listen()
        self.has_nodes = False  # built by a plain `scons`, unless there is a Default()

    def __call__(self, env: Any) -> None:
        """Add the methods `Opsmith` and `OpsmithOp` to an environment, as a tool of SCons."""
        env.AddMethod(lambda _, **variables: self.firmware(**variables), "Opsmith")
        env.AddMethod(lambda _, folder, **variables: self.op(folder, **variables), "OpsmithOp")

    def build(self, *, alone: bool = False) -> None:
        """Declare the targets of the command line; called last, since it then knows all other
        targets. With `alone`, the SConstruct has no other builders, and SCons needs no database.
        """
        if SCons.Defaults._default_env is None:  # otherwise SCons makes one, and runs all compilers
            Script.DefaultEnvironment(tools=[])
        Script.SetOption("no_progress", True)
        Script.Help(help_text())
        own = {*self.defaults} - {*Script.ARGUMENTS}
        with stop_on_problems(Script.Exit), _at_the_root(), _placed(lambda names: names <= own):
            check_invocation(Script.GetOption, os.environ, Script.ARGLIST)
            settings = self._settings(Script.ARGUMENTS)
            if Script.GetOption("help"):
                return
            Script.SetOption("num_jobs", len(os.sched_getaffinity(0)))
            env = _environment()
            env["BUILDS"].verbose = settings.verbose
            open_cache(env, settings)
            pass_on(env, settings)
            if alone:
                SCons.SConsign.ForDirectory = NoRecord
            asked = [normalise(target) for target in Script.COMMAND_LINE_TARGETS]
            if asked == ["variables"]:
                print(json.dumps(all_set(settings)))
                Script.Exit(0)
            if asked == ["where"]:
                require(settings, "board", "model")
                print(load_target(settings).folder / model_folder(settings))
                Script.Exit(0)
            if settings.ninja:
                check_ninja(settings, asked)
                self._declare_ninja(env, settings, asked)
                return
            targets = asked or list(map(str, Script.DEFAULT_TARGETS))
            names = declare(env, settings, targets or ["."] * self.has_nodes)
            if asked:
                check_targets(env, Script.BUILD_TARGETS, names)

    def _declare_ninja(self, env: Any, settings: BuildOptions, asked: list[str]) -> None:
        """Declare build.ninja, which alone is built, after the nodes that it describes."""
        env["HEARD"] = self.heard
        declare(env, settings, asked)
        hear_roots(self.heard, settings)
        self.heard.end()
        Script.BUILD_TARGETS[:] = [env["NINJA"]]

    def firmware(self, **variables: str) -> FirmwareTargets:
        """Declare a firmware for given variables; returns its targets."""
        with _at_the_root(), _placed(lambda names: True):
            env, self.has_nodes = _environment(), True
            settings = self._settings(variables)
            require(settings, "board", "model")
            ops, bindings = declare_bindings(env, settings)
            target = load_target(settings)
            if len(settings.models) > 1:
                check_several(settings, target, ())
            emitted = convert_model(env, settings, target, ops)
            objects = compile_firmware(env, settings, target, emitted, bindings)
            products = link_firmware(env, settings, target, emitted, objects)
            compiler = model_compiler(settings, target, emitted, bindings)
            library, package = library_targets(env, settings, target, compiler, emitted), []
            kernels = archive_kernels(env, compiler, emitted.folder, objects.kernels)
            if "version" in variables:
                package = package_targets(env, settings, target, emitted, library)
            own(env, [emitted.folder])
        by_name = {product.name: product for product in products}
        return FirmwareTargets(
            elf=by_name["firmware.elf"],
            map=by_name["firmware.map"],
            report=by_name["report.json"],
            images=[by_name[name] for name in target.board.images],
            objects=[*(unit.object for unit in objects.model), kernels],
            library=sorted(library, key=lambda each: each.name != f"lib{settings.package}.a"),
            package=package,
            folder=env.Dir(f"#{emitted.folder}"),
        )

    def op(self, folder: str, **variables: str) -> Any:
        """Declare the object of all kernels of the op in a folder, for a board; returns it."""
        with _at_the_root(), _placed(lambda names: True):
            env, self.has_nodes = _environment(), True
            settings = self._settings(variables)
            ops, bindings = declare_bindings(env, settings)
            op = Path(os.path.normpath(folder))
            if op not in ops.values():
                what, fix = f"there is no op in '{folder}'", "name a folder with an op.py, of ops="
                raise ToolchainError.of("BLD005", what, where=str(op), fix=fix)
            return declare_check(env, settings, op, bindings, str(op))

    def _settings(self, given: Mapping[str, str]) -> BuildOptions:
        """Options of a build, from variables and the project's defaults. Raises BLD006, BLD101."""
        found = {**self.defaults, **given}
        if "ninja" in self.defaults or ("ninja" in given and given is not Script.ARGUMENTS):
            what, fix = "ninja= is for the command line", "leave it out, and run scons … ninja=1"
            raise ToolchainError.of("BLD101", what, where="SConstruct", fix=fix)
        fix = "give the text that the command line would have, as in debug='0'"
        raise_all(
            Problem("BLD006", f"the value of {name}= is no text: {value!r}", "SConstruct", fix)
            for name, value in found.items()
            if not isinstance(value, str)
        )
        for variable in VARIABLES:
            manifest, name = variable.option.manifest, variable.name
            if manifest and name in self.defaults:
                folders = [*filter(None, self.defaults[name].split(","))]
                folders = [each for each in folders if any(Path(each).glob(f"*/{manifest}"))]
                folders += [*filter(None, given.get(name, "").split(","))]
                found[name] = ",".join(dict.fromkeys(folders))
        return read_settings(found, Path.cwd())


@cache
def _environment() -> Any:
    """Environment of all firmware that the process builds."""
    env = base_environment(Script.Environment)
    end_well(env["BUILDS"])
    return env


@contextlib.contextmanager
def _placed(own: Callable[[set[str]], bool]) -> Iterator[None]:
    """Context in which errors about variables of the SConstruct name it in place of the command
    line; `own` decides which they are.
    """
    try:
        yield
    except ToolchainError as error:
        raise ToolchainError(*(_by_author(each, own) for each in error.problems)) from None


def _by_author(problem: Problem, own: Callable[[set[str]], bool]) -> Problem:
    place, _, said = problem.where.partition(":")
    names = set(re.findall(r"(?:^| )(\w+)=", said))
    if place != COMMAND_LINE or not own(names or {""}):
        return problem
    return replace(problem, where=f"SConstruct{problem.where.removeprefix(COMMAND_LINE)}")


@contextlib.contextmanager
def _at_the_root() -> Iterator[None]:
    """Context in the root folder, since SCons reads an SConscript in that file's folder."""
    fs, here = get_default_fs(), os.getcwd()
    place = fs.getcwd()
    fs.chdir(fs.Top, change_os_dir=True)
    try:
        yield
    finally:
        fs.chdir(place)
        os.chdir(here)


def normalise(target: str) -> str:
    """Target without `./`, doubled or trailing slashes: 'ops/add' for 'ops/add/'."""
    return os.path.normpath(target.removeprefix("#"))


def check_targets(env: Any, targets: list[Any], aliases: Sequence[str]) -> None:
    """Replace each of SCons's `targets` by a node that can be built; unknown ones are one error."""
    names = [normalise(str(target)) for target in targets]
    raise_all(_problems(env, names, aliases))
    targets[:] = [_node(env, name) for name in names]


def _problems(env: Any, names: Sequence[str], aliases: Sequence[str]) -> Iterator[Problem]:
    for name in names:
        if _node(env, name) is not None:
            continue
        exists = env.fs.Entry(f"#{name}").rexists()
        what = f"'{name}' is no target: nothing builds it" if exists else f"unknown target '{name}'"
        what += did_you_mean(name, aliases)
        fix = "`scons -h` explains the targets; firmware needs board=… and model=…"
        if name in ALONE:
            what, fix = f"'{name}' goes without other targets", "leave these out"
        yield Problem("BLD005", what, f"command line: {name}", fix)


def _node(env: Any, name: str) -> Any:
    """Alias, file or folder of products of a name, or None."""
    alias = env.ans.lookup(name)
    if alias is not None:
        return alias
    entry = env.fs.Entry(f"#{name}".replace("$", "$$")).disambiguate()
    return entry if _built(entry) else None


def _built(entry: Any) -> bool:
    # A folder is a target if something below it is built, which only happens in build/.
    if type(entry).__name__ == "Dir":
        return any(_built(child) for child in entry.all_children())
    return bool(entry.has_builder())
