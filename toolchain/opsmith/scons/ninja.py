"""`ninja=1`: writes build.ninja once SCons has built everything."""

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import SCons.Action
from SCons import Script
from SCons.Node.FS import Dir, File, get_default_fs

from opsmith.build_options import BuildOptions
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.guard import FAILED, coded, tell
from opsmith.home import PACKAGE
from opsmith.ninja.build_file import FILE, RECORDS, ninja_syntax
from opsmith.ninja.graph import check_makers
from opsmith.ninja.heard import Heard
from opsmith.ninja.writing import Decided, write
from opsmith.scons.environment import FIXED, IMPORTED, node, python_program
from opsmith.scons.folders import BUILD
from opsmith.scons.identity import PROGRAMS, files_of_toolchain
from opsmith.scons.invocation import SITE, SITES
from opsmith.scons.target import Target
from opsmith.steps.programs import Builds

COVERED = ("library", "compile_commands")  # targets that build.ninja covers, besides firmware
DRIVERS = ("g++", "gcc", "ar")
DECIDING = ("PATH", "HOME", "OPSMITH_MODELS", "SCONSFLAGS")  # besides Python's variables


def check_ninja(settings: BuildOptions, targets: Sequence[str]) -> None:
    """Raise BLD100 and BLD101 for targets that ninja cannot build."""
    ninja_syntax()
    fix = "leave ninja=1 out"
    problems = [
        Problem(
            "BLD101", f"ninja=1 does not go with '{each}'", f"command line: {each} ninja=1", fix
        )
        for each in targets
        if each not in COVERED
    ]
    if settings.dump:
        what = "ninja would not write dump= again where there is nothing else to do"
        problems.append(Problem("BLD101", what, f"command line: dump={settings.dump}", fix))
    if settings.conan:
        what = "ninja cannot find out whether conan= would bring other packages"
        problems.append(Problem("BLD101", what, "command line: conan=", fix))
    raise_all(problems)


def declare_ninja(
    env: Any, settings: BuildOptions, target: Target, folder: Path, wanted: Sequence[Any]
) -> None:
    """Declare build.ninja in the folder of products, written once all wanted nodes are made."""
    write_it = WriteNinja(_decided(settings, target), folder)
    (made,) = env.Command([node(env, folder / FILE)], list(wanted), write_it)
    made.set_precious()
    made.set_always_build()
    env.Clean(made, env.Dir(f"#{folder / RECORDS}"))
    env["NINJA"] = made
    env["BUILDS"].notes = True


class WriteNinja(SCons.Action.ActionBase):  # type: ignore[misc]
    """An SCons action that writes build.ninja by `opsmith/ninja/`."""

    varlist: tuple[str, ...] = ()
    targets = "$TARGETS"  # one run makes all targets

    def __init__(self, decided: Decided, folder: Path) -> None:
        self._decided, self._folder = decided, folder

    def __call__(
        self, target: Any, source: Any, env: Any, *rest: Any, **options: Any
    ) -> int | None:
        """Write build.ninja; returns an exit status, 0 or None on success."""
        if not SCons.Action.execute_actions:
            return 0
        builds: Builds = env["BUILDS"]
        said = {
            "environ": FIXED | IMPORTED,
            "passed_on": builds.passed_on,
            "verbose": builds.verbose,
            "cache": builds.cache and [str(builds.cache.folder), builds.cache.readonly],
        }
        try:
            check_makers(builds.steps)
            write(self._folder, builds, env["HEARD"], self._decided, _scons(), said)
        except (ToolchainError, OSError) as error:
            tell(str(coded(error, str(self._folder))))
            return FAILED
        print(f"{self._folder / FILE} is written: ninja -f {self._folder / FILE}", flush=True)
        return 0

    def get_presig(self, *arguments: Any, **options: Any) -> bytes:
        """Content of the action for SCons: empty, since it runs each time."""
        return b""

    def get_implicit_deps(self, *arguments: Any, **options: Any) -> list[Any]:
        """Implicit dependencies of the action: none, since it runs no program."""
        return []


def _scons() -> list[str]:
    """Command that repeats the current call of SCons in the SConstruct's folder."""
    site = Script.GetOption("site_dir")
    options = [] if site is None else [f"--site-dir={site}" if site else "--no-site-dir"]
    options += [f"--file={file}" for file in Script.GetOption("file") or []]
    variables = [f"{name}={value}" for name, value in Script.ARGLIST]
    targets = list(map(str, Script.COMMAND_LINE_TARGETS))
    return [python_program(), "-P", "-m", "SCons", "-Q", *options, *variables, *targets]


def hear_scripts(heard: Heard) -> None:
    """Record files that SCons read before Opsmith's code ran: the SConstruct and SConscripts."""
    waiting = list(get_default_fs().Root.values())
    while waiting:
        for name, entry in waiting.pop().entries.items():
            if name not in (".", "..") and isinstance(entry, Dir):
                waiting.append(entry)
            elif isinstance(entry, File) and not entry.has_builder():
                heard.file(entry.get_abspath())


def hear_roots(heard: Heard, settings: BuildOptions) -> None:
    """Record folders in which ops, backends, boards, programs and so on are looked up."""
    roots = (*settings.op_roots, *settings.backend_roots, *settings.board_roots)
    for name in (*roots, *settings.platforms, str(PACKAGE)):
        root = Path(name)
        for folder in (root, *root.glob("*/"), *root.glob("*/*/")):
            heard.folder(str(folder))
    for place in os.environ.get("PATH", "").split(os.pathsep):
        heard.folder(place)  # folder in which programs are looked for


def _decided(settings: BuildOptions, target: Target) -> Decided:
    sites = [str(folder.expanduser() / SITE) for folder in (*SITES, Path())]
    named = [settings.model, *(str(each.tune_file) for each in settings.each)]
    cache, tools = BUILD / f".toolchain-{target.architecture.name}.json", target.architecture.tools
    looked_for = [*(f"{tools}{name}" for name in DRIVERS), *PROGRAMS]
    return Decided(
        read=[*_modules(), *(str(library.archive) for library in target.libraries)],
        since=int(Script.start_time * 1e9),
        programs=[*files_of_toolchain(cache), *on_path(looked_for)],
        absent=[path for path in (*sites, *named) if not os.path.lexists(path)],
        variables=[*DECIDING, *sorted(name for name in os.environ if name.startswith("PYTHON"))],
    )


def on_path(names: Sequence[str]) -> Iterator[str]:
    """Paths that decide which programs of the given names are found: links that may lead elsewhere,
    files that may become executable, folders of PATH that may be created.
    """
    for place in os.environ.get("PATH", "").split(os.pathsep):
        folder = os.path.abspath(place)
        if not os.path.isdir(folder):
            yield folder
        yield from filter(os.path.lexists, (os.path.join(folder, name) for name in names))


def _modules() -> Iterator[str]:
    """Sources of loaded modules, except those of installed packages, whose folders are listed where
    packages bring ops.
    """
    places = sysconfig.get_paths()
    installed = tuple(places[name] + os.sep for name in ("stdlib", "purelib", "platlib"))
    ours = str(PACKAGE) + os.sep
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            path = os.path.abspath(file)
            if path.startswith(ours) or not path.startswith(installed):
                yield path
