"""SCons environment, which finds files and schedules steps. Nothing is substituted in it."""

import atexit
import contextlib
import errno
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.digests import Digests
from opsmith.errors import ToolchainError, cannot_write
from opsmith.home import HOME, INSTALLED, PACKAGES
from opsmith.scons.compiler import relative
from opsmith.scons.folders import BUILD
from opsmith.scons.headers import HeaderScanner
from opsmith.scons.launcher import launcher_settings
from opsmith.scons.step import StepAction
from opsmith.scons.target import Target
from opsmith.steps.programs import Builds, say
from opsmith.steps.sealed import Unsigned
from opsmith.writing import check_writable

# Variables that tools need to run at all, and that must not change the bytes of products.
PASSED_ON = ("PATH", "HOME", "TMPDIR", "TERM", "OPSMITH_MODELS")
FIXED = {
    # if compilers are links to ccache: it drops the output of -fcallgraph-info, and its settings
    # may select other compilers than the next in PATH
    "CCACHE_DISABLE": "1",
    "CCACHE_CONFIGPATH": os.devnull,
    "LC_ALL": "C.UTF-8",  # with C, Python 3.11 fails at a .pth file with other characters
    "OPENBLAS_NUM_THREADS": "1",  # starting threads takes numpy longer than its work here
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "315532800",
}
IMPORTED = {"PYTHONPATH": str(PACKAGES)}  # so that commands are those of this package
if INSTALLED:  # and a module of a package's name in the SConstruct's folder is not imported
    IMPORTED["PYTHONSAFEPATH"] = "1"


def base_environment(environment_class: Any) -> Any:
    """SCons environment for Opsmith's steps, which do not use SCons's database. Raises BLD027."""
    if os.pathsep in str(PACKAGES):  # steps would import another Opsmith, if any
        what, fix = "Python imports from no path with ':'", "rename the folder whose name has a ':'"
        raise ToolchainError.of("BLD027", what, where=str(PACKAGES), fix=fix)
    make_build_folder()
    env = environment_class(tools=[])
    env.Decider(_changed_meanwhile)
    environ = {key: os.environ[key] for key in PASSED_ON if key in os.environ} | FIXED | IMPORTED
    env["BUILDS"] = Builds(environ)
    env["BUILDS"].passed_on += PASSED_ON
    atexit.register(_keep, env["BUILDS"].digests)
    env["HEADERS"] = HeaderScanner()
    env["SCANNER"] = env["HEADERS"].of_sources()
    return env


def make_build_folder() -> None:
    """Make the folder build/ if it is missing. Raises BLD002 where it is not writable."""
    try:
        BUILD.mkdir(exist_ok=True)
        check_writable(BUILD)
    except OSError as error:
        wrong = cannot_write(BUILD, error)
        if Path.cwd() == HOME and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            scons = shlex.join(
                [str(Path(sys.executable).with_name("scons")), "-f", str(HOME / "SConstruct")]
            )
            fix = f"in a folder of your own, with absolute paths: {scons} board=…"
            wrong = ToolchainError(*(replace(each, fix=fix) for each in wrong.problems))
        raise wrong from error


def pass_on(env: Any, settings: BuildOptions) -> None:
    """Pass the environment variables of the launcher on to programs."""
    own, builds = launcher_settings(settings.launcher), env["BUILDS"]
    builds.passed_on += own
    builds.environ.update({name: os.environ[name] for name in own})


def open_cache(env: Any, settings: BuildOptions) -> None:
    """Let all steps use the cache of `cache=`; hits are printed last. Raises BLD115 and BLD116."""
    if settings.cache:
        from opsmith.steps.cache import Cache  # slow import

        cache = Cache(Path(settings.cache), readonly=settings.cache_readonly)
        env["BUILDS"].cache = cache
        atexit.register(lambda: say(cache.summary()))


def _keep(digests: Digests) -> None:
    """Store digests for the next build; an interruption meanwhile is ignored."""
    with contextlib.suppress(KeyboardInterrupt):
        digests.keep()


def _changed_meanwhile(*arguments: Any) -> bool:
    """Tell SCons that no dependency has changed, since seals detect changes, including those of
    products that SCons has no record of.
    """
    return False


def opsmith(command: str, *arguments: str) -> list[str]:
    """Command line of one of Opsmith's commands."""
    return [Unsigned(python_program()), "-m", "opsmith", command, *arguments]


def python_program() -> str:
    """Path of this Python, relative if it is in the project's folder."""
    return os.path.normpath(sys.executable).removeprefix(os.path.join(os.getcwd(), ""))


def each(name: str, values: Iterable[Path | str]) -> list[str]:
    """Option repeated for each of its values."""
    return [option(name, value) for value in values]


def option(name: str, value: Path | str) -> str:
    """Option with its value as one argument, so that the value may begin with a dash."""
    return f"--{name}={value}"


def board_options(settings: BuildOptions, target: Target) -> list[str]:
    """Options for a command that name the board and the folders in which to look it up."""
    roots = [*each("boards", settings.board_roots), *each("platforms", settings.platforms)]
    return [option("board", target.board.name), *roots]


def outside_backends(settings: BuildOptions) -> list[str]:
    """Options for a command that name folders of backends that are not shipped."""
    return each("backends", settings.backend_roots[1:])


def with_headers(env: Any, includes: Iterable[Path]) -> Any:
    """Environment whose sources depend on the headers that they include from the given folders."""
    return env.Clone(CPPPATH=[env.fs.Dir(_absolute(path)) for path in includes])


def make(
    env: Any,
    targets: Sequence[Path],
    step: StepAction,
    inputs: Iterable[Any],
    *,
    shared: bool = False,
    including: int = 1,
    scanner: Any = None,
) -> list[Any]:
    """Declare that a step makes the targets from nodes, and from files, given as paths, that no
    step makes: only its seal examines the latter. A function among the inputs returns such files,
    which are looked up only when the step runs. `shared` targets serve builds of several models.

    Where the environment knows folders of headers, the step also depends on the headers that the
    first nodes include; `including` is how many nodes are scanned. A `scanner` may scan them
    instead.
    """
    nodes = [node(env, target) for target in targets]
    if nodes[0].has_builder():  # for example an object of the board, for another firmware
        if nodes[0].attributes.commands != step.commands:
            raise _two_ways(nodes[0])
        return nodes
    nodes[0].attributes.commands = step.commands
    sources = []
    for each in inputs:
        if isinstance(each, Path):
            step.files.append(each)
        elif callable(each):
            step.found.append(each)
        else:
            sources.append(each)
    scanner = scanner or (env["SCANNER"] if "CPPPATH" in env else None)
    scanned = {"source_scanner": scanner} if scanner else {}
    made = env.Command(nodes, sources[:including], step, **scanned)
    for each in made:
        # does the same as env.Depends, which examines types at length
        each.add_dependency(sources[including:])
        each.set_precious()  # a step may find that there is nothing to do
        each.set_always_build()  # runs whatever SCons's database says
    if shared:
        env.NoClean(made)  # another build may use the file now
    return list(made)


def make_when_included(
    env: Any, header: Path, command: Sequence[str], says: str, inputs: Sequence[Any]
) -> None:
    """Declare that a command makes a header from inputs as `make` takes them, for builds of several
    models, once a source includes the header.
    """

    def declare() -> None:
        make(env, [header], StepAction([command], says), inputs, shared=True)

    if not env["HEADERS"].offer(header, command, declare):
        raise _two_ways(header)


def _two_ways(target: Any) -> ToolchainError:
    what = "the SConstruct has it built in two ways"
    fix = "give builds of one model for one board the same debug=, or another opt="
    return ToolchainError.of("BLD046", what, where=str(target), fix=fix)


def always(env: Any, name: str, step: StepAction, inputs: Iterable[Any]) -> None:
    """Declare an alias whose step runs each time that it is requested."""
    env.AlwaysBuild(alias(env, name, inputs, step))


def alias(env: Any, name: str, inputs: Iterable[Any], step: StepAction | None = None) -> Any:
    """Declare an alias of exactly this name; in a text, SCons would substitute and run `${…}`."""
    return env.Alias([env.ans.Alias(name)], list(inputs), step)


def node(env: Any, path: Path | str) -> Any:
    """SCons file of a path, whatever characters it has. Raises BLD035.

    Links stay links, so that a seal sees when one leads elsewhere. SCons takes `..` for the folder
    above, which is wrong for a symbolic link.
    """
    text = str(path if isinstance(path, Path) else Path(path))
    above = ".." in text.split(os.sep)
    try:
        return env.fs.File(_absolute(path) if above else os.path.join(os.getcwd(), text))
    except TypeError as error:  # the path is a folder, or a parent is a file
        what, fix = f"is in the way: {error}", "remove it"
        raise ToolchainError.of("BLD035", what, where=str(path), fix=fix) from error


def _absolute(path: Path | str) -> str:
    return str(Path.cwd() / relative(path))
