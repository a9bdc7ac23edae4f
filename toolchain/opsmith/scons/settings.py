"""Variables of a build, `scons board=stm32 model=x.tflite …`, read and checked."""

import difflib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from opsmith.applications import APPS, is_shipped_app
from opsmith.build_options import RUNNER, BuildOptions
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.frontend.foreign import folder_problem, is_saved_model
from opsmith.home import HOME
from opsmith.keywords import SYSTEM_HEADERS
from opsmith.option import Variable, variables
from opsmith.scons.prepare import prepare_problems
from opsmith.select.tuning import unreadable

VARIABLES = variables(BuildOptions)
DECIDING = ("board", "model", "runtime", "boards", "debug")  # and those in the folder's name
FOLDERS = ("app", *(each.name for each in VARIABLES if each.option.manifest))
_DASHED = re.compile(r"-+(\w+)=(.*)", re.DOTALL)
# options about tensors of one model, or that require a program of one model
OF_ONE = (
    *("signature", "input_shape", "calibrate", "stream", "guards", "affinity", "outputs", "tune"),
    "dump",
)


def read_settings(arguments: Mapping[str, str], root: Path) -> BuildOptions:
    """Options of the command line; files are relative to `root`. Raises all problems at once."""
    raise_all(_unknown_variables(arguments))
    texts = {each.name: arguments.get(each.name, "") for each in VARIABLES}
    raise_all([*_unreadable(texts), *_unreadable({"checkout": str(root)})])
    wrong = {each.name: each.problems(texts[each.name]) for each in VARIABLES}
    values = {
        each.name: each.default if wrong[each.name] else each.read(texts[each.name])
        for each in VARIABLES
    }
    settings = BuildOptions(**values | {"app": _app(values["app"], root)})
    bad = [problem for found in wrong.values() for problem in found]
    problems = [*_contradictions(settings), *_missing_paths(settings, root)]
    raise_all([*bad, *problems, *prepare_problems(settings, root, arguments)])
    return settings


def deciding(settings: BuildOptions) -> dict[str, str]:
    """Variables that decide the products and differ from their defaults, as texts."""
    return {
        each.name: each.text(value)
        for each in VARIABLES
        if (each.option.naming or each.name in DECIDING)
        and (value := getattr(settings, each.name)) != each.default
    }


def all_set(settings: BuildOptions) -> dict[str, str]:
    """Variables that differ from their defaults, as texts."""
    values = ((each, getattr(settings, each.name)) for each in VARIABLES)
    return {each.name: each.text(value) for each, value in values if value != each.default}


def help_text() -> str:
    """Text that `scons -h` prints."""
    lines = [
        "Opsmith: from a .tflite model to bit-exact firmware.",
        "",
        "  scons board=B model=M.tflite            firmware.elf/.bin/.hex/.map and report.json",
        "  scons board=B model=M.tflite run        runs it there and compares with LiteRT",
        "  scons board=B model=M.tflite upload     flashes it",
        "  scons board=B model=M.tflite debug      GDB at main(), in QEMU or on the board",
        "  scons board=B reset | monitor           starts a board again, shows what it says",
        "  scons board=B model=M.tflite crosscheck compares each node with LiteRT, or against=",
        "  scons board=B model=M.tflite profile    says what each node takes",
        "  scons board=B model=M.tflite tune       measures every kernel that nodes could have",
        "  scons board=B model=M.tflite library    a package: interface, archive and sources",
        "  scons board=B model=M.tflite package    the same for Conan, version=V",
        "  scons board=B model=M.tflite compile_commands",
        "  scons board=B model=M.tflite where      prints the folder of the products, built or not",
        "  scons variables                         prints as JSON what the SConstruct sets",
        "  scons ops/OP [board=B]                  compiles every kernel of one op",
        "  scons ops/OP/test                       tests one op",
        "  scons boards | scons ops                lists them",
        "",
        "Products are in build/BOARD-RUNTIME/MODEL/. Variables:",
        "",
    ]
    width = max(len(each.name) for each in VARIABLES) + 2
    lines += [f"  {each.name + '=':{width}}{each.description}" for each in VARIABLES]
    return "\n".join(lines) + "\n"


def _unknown_variables(arguments: Mapping[str, str]) -> Iterator[Problem]:
    names = [variable.name for variable in VARIABLES]
    for name in arguments:
        if name not in names:
            yield Problem(
                "BLD001",
                f"unknown variable '{name}'{did_you_mean(name, names)}",
                f"command line: {name}={arguments[name]}",
                f"one of: {', '.join(names)}",
            )


def _unreadable(values: Mapping[str, str]) -> Iterator[Problem]:
    """Problems of values that no message, report or comment could show unchanged."""
    for name, value in values.items():
        if not value.isprintable():
            what = f"{name} has bytes that are not UTF-8, or invisible characters"
            fix = "use no control or formatting characters, and no spaces but the plain one"
            if sys.getfilesystemencoding() != "utf-8":
                what = f"{name} has bytes that are not {sys.getfilesystemencoding()}"
                fix = "let Python read names as UTF-8: set PYTHONUTF8=1"
            yield Problem("BLD026", what, f"{name}={value}", fix)


def _contradictions(settings: BuildOptions) -> Iterator[Problem]:
    if settings.guards and settings.stream != "0":
        where = f"command line: guards=1 stream={settings.stream}"
        fix = "look for the node with guards=1 alone; rows that are kept have no guards"
        yield Problem("BLD006", "guards and stream cannot be set together", where, fix)
    for name in ("stream", "guards") if set_here(settings, "ram_budget") else ():
        if set_here(settings, name):
            where, fix = f"command line: ram_budget= {name}=", "leave out one of them"
            yield Problem("BLD006", f"{name} and ram_budget cannot be set together", where, fix)
    for name in ("input", "output"):
        if getattr(settings, name) and settings.app != RUNNER:
            where = f"command line: app={settings.app} {name}={getattr(settings, name)}"
            what, fix = f"{name} cannot be set with this app", "leave one out: the runner takes it"
            yield Problem("BLD006", what, where, fix)
    if len(settings.models) > 1:
        yield from _several(settings)
    elif settings.arena == "caller":
        for name in (name for name in ("stream", "guards") if set_here(settings, name)):
            where, fix = f"command line: arena=caller {name}=", f"leave out {name}= or arena=caller"
            yield Problem("BLD006", f"{name} and arena=caller cannot be set together", where, fix)
        if settings.app == "bench":
            where, fix = "command line: app=bench arena=caller", "leave out one of them"
            yield Problem("BLD006", "app=bench passes no arena", where, fix)
    elif settings.arena != "own":
        where, fix = f"command line: arena={settings.arena}", "give model=a.tflite,b.tflite"
        yield Problem("BLD006", "one model has no other to share its arena with", where, fix)


def set_here(settings: BuildOptions, name: str) -> bool:
    """True if an option has another value than its default."""
    return bool(getattr(settings, name) != getattr(BuildOptions(), name))


def _several(settings: BuildOptions) -> Iterator[Problem]:
    """Problems, codes BLD006 and BLD042, with settings that exclude several models."""
    where = f"command line: model={settings.model}"
    if not all(settings.models):
        what = "model= has a comma without a file before or after it"
        yield Problem("BLD006", what, where, "leave the comma out, or name the file")
        return
    files: dict[str, str] = {}
    for each in settings.each:
        if each.name in SYSTEM_HEADERS:
            what = f"{each.name}.h would be found instead of the system's header of this name"
            yield Problem("BLD042", what, where, f"rename {each.model}")
        if re.fullmatch(r"nodes(_[0-9])?|weights|sources|arena", each.name):
            what = f"{each.name}.h or {each.name}.cc is a file that all models have together"
            yield Problem("BLD042", what, where, f"rename {each.model}")
        first = files.setdefault(each.name, each.model)
        if settings.models.count(each.model) > 1:
            what, fix = f"{each.model} is named twice", "name each model once"
            yield Problem("BLD042", what, where, fix)
            return
        if first != each.model:
            what = f"{first} and {each.model} are both called {each.name}"
            yield Problem("BLD042", what, where, "rename one of the files: namespaces follow them")
            return
    for name in (name for name in OF_ONE if set_here(settings, name)):
        yield Problem("BLD006", f"{name}= is about one model", where, f"leave out {name}=")
    if settings.arena == "caller":
        fix = "leave out arena=, or give one model"
        yield Problem("BLD006", "arena=caller takes one model", where, fix)


APPLICATION = ("*.cc", "*.c")  # an application must have one of these


def _missing_paths(settings: BuildOptions, root: Path) -> Iterator[Problem]:
    for model in filter(None, settings.models):
        if not (os.path.isfile(root / model) or is_saved_model(root / model)):
            yield _missing("model", model, root, _siblings(root / model, "*.tflite"))
    for variable in VARIABLES:
        yield from _missing_file(variable, getattr(settings, variable.name), root)
    if settings.tune and not settings.has_tuning:
        yield from _missing_tuning(settings, root)
    for each in settings.each:
        if not settings.tune and os.path.isfile(root / each.model):
            yield from unreadable(root / each.tune_file)
    for variable in (each for each in VARIABLES if each.option.manifest):
        for folder in getattr(settings, variable.name):
            yield from _missing_root(variable, folder, root)
    folder = root / settings.app_folder
    if not any(path.is_file() for each in APPLICATION for path in folder.glob(each)):
        apps = [path.parent.name for path in (HOME / APPS).glob("*/main.cc")]
        yield _missing("app", settings.app, root, apps)


def _missing_file(variable: Variable, path: str, root: Path) -> Iterator[Problem]:
    pattern = variable.option.exists
    if pattern and path and not os.path.isfile(root / path):
        yield _missing(variable.name, path, root, _siblings(root / path, pattern))


def _missing_root(variable: Variable, folder: str, root: Path) -> Iterator[Problem]:
    manifest = variable.option.manifest
    if not os.path.isdir(root / folder):
        yield _missing(variable.name, folder, root, _siblings(root / folder, "*/"))
    elif not any((root / folder).glob(f"*/{manifest}")):
        yield _no_root(variable.name, folder, manifest, root)


def _missing(variable: str, path: str, root: Path, near: Sequence[str]) -> Problem:
    takes = "a folder" if variable in FOLDERS else "a file"
    if variable == "model" and os.path.isdir(root / path):
        what, fix = folder_problem(root / path)
        return Problem("BLD003", f"{variable}={path} {what}", str(Path(root, path)), fix)
    if os.path.isdir(root / path):
        what = "holds no .cc file" if variable == "app" else "is a folder"
    elif os.path.exists(root / path):
        what = f"is not {takes}"
    elif os.path.islink(root / path):
        what, takes = f"is a link to {os.readlink(root / path)}, which is not there", "another file"
    else:
        what = f"does not exist{did_you_mean(Path(path).name, near)}"
        takes = "a path that exists"
    shipped = f"; shipped: {', '.join(near)}" if variable == "app" and near else ""
    fix = f"give {takes}; relative paths start at the SConstruct's folder{shipped}"
    return Problem("BLD003", f"{variable}={path} {what}", str(Path(root, path)), fix)


def _missing_tuning(settings: BuildOptions, root: Path) -> Iterator[Problem]:
    """Problem of a missing folder for the file tune=, which need not exist before `tune`."""
    if not (root / settings.tune).parent.is_dir():
        yield _missing("tune", settings.tune, root, [])


def _no_root(variable: str, path: str, manifest: str, root: Path) -> Problem:
    inside = (root / path / manifest).is_file()
    shipped = "runtimes" if variable == "backends" else variable
    fix = f"give the folder above: {variable}={Path(path).parent}" if inside else f"see {shipped}/"
    article = "an" if manifest[0] in "aeio" else "a"
    what = f"{variable}={path} holds no folder with {article} {manifest}"
    return Problem("BLD003", what, str(Path(root, path)), fix)


def _siblings(path: Path, pattern: str) -> list[str]:
    return [found.name for found in path.parent.glob(pattern)] if path.parent.is_dir() else []


def _app(app: str, root: Path) -> str:
    """Application by its name if it is shipped, else its path."""
    folder = (root / app).resolve()
    return folder.name if folder.parent == HOME / APPS and is_shipped_app(folder.name) else app


def require(settings: BuildOptions, *names: str) -> None:
    """Raise one error that names all required variables without a value."""
    absent = [name for name in names if not getattr(settings, name)]
    if absent:
        example = " ".join(f"{name}=…" for name in absent)
        meant = dict(filter(None, (_without_dashes(word, absent) for word in sys.argv[1:])))
        if meant:
            what = f"{', '.join(meant)}: variables have no dashes"
            fix = f"write {' '.join(meant.values())}"
            raise ToolchainError.of("BLD004", what, where="command line", fix=fix)
        raise ToolchainError.of(
            "BLD004",
            f"nothing says which {' and which '.join(absent)}",
            where="command line",
            fix=f"add {example}; `scons -h` explains, `scons boards` lists the boards",
        )


def _without_dashes(word: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Word and its correction NAME=VALUE, if it is `--NAME=VALUE` of a name or nearly so."""
    dashed = _DASHED.fullmatch(word)
    near = difflib.get_close_matches(dashed[1].lower(), names, n=1) if dashed else []
    return (word, f"{near[0]}={dashed[2]}") if dashed and near else None
