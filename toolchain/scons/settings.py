"""The variables of a build, `scons board=stm32 model=x.tflite …`, read and checked."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from toolchain.errors import Problem, ToolchainError, did_you_mean, raise_all
from toolchain.installed import installed_backends, installed_ops
from toolchain.keywords import KEYWORDS


@dataclass(frozen=True)
class Variable:
    """One NAME=VALUE of the command line."""

    name: str
    help: str
    choices: tuple[str, ...] = ()
    default: str = ""


VARIABLES = (
    Variable(
        "board", "the board: a folder of boards/ or one of its aliases; `scons boards` lists them"
    ),
    Variable("model", "the model, a .tflite file"),
    Variable("runtime", "kernel variant; default: what the board says"),
    Variable(
        "ops", "more folders of op folders, separated by commas; installed packages bring theirs"
    ),
    Variable(
        "backends", "more folders of backends, separated by commas; installed packages bring theirs"
    ),
    Variable("boards", "more folders of board folders, separated by commas"),
    Variable("opt", "what kernels are optimised for", ("speed", "balanced", "size"), "balanced"),
    Variable(
        "flash_budget", "bytes that the firmware may take of flash, for what kernels gain by it"
    ),
    Variable("tune", "the file that `tune` writes and builds read; default: MODEL.tune.toml"),
    Variable("prefer", "kernels that are taken where they fit, whatever they cost: reference, …"),
    Variable("cmsis_nn", "prefix of an installed CMSIS-NN, whose functions become kernels"),
    Variable(
        "stream",
        "input comes row by row; rows and 1 are the same",
        ("0", "1", "rows", "frames"),
        "0",
    ),
    Variable("outputs", "inner tensors to make outputs as well, separated by commas"),
    Variable("dump", "folder to write the graph to after every step, as text"),
    Variable("app", "application: runner, bench, or a folder with your main.cc", (), "runner"),
    Variable("input", "`run`, `crosscheck` and `profile` send this .npz instead of a seeded input"),
    Variable("output", "`run` stores the outputs in this .npz"),
    Variable("against", "`crosscheck` compares with litert, numpy or BOARD[:RUNTIME]"),
    Variable("atol", "`crosscheck` lets values differ by this", (), "0"),
    Variable("rtol", "`crosscheck` lets values differ by this part of the right ones", (), "0"),
    Variable("port", "`run` uses this serial port instead of the one the board says"),
    Variable(
        "fold_floats", "1 lets rewrites change the last bits of float outputs", ("0", "1"), "0"
    ),
    Variable("guards", "1 finds kernels that write out of bounds", ("0", "1"), "0"),
    Variable("verbose", "1 shows the commands, ready to paste into a shell", ("0", "1"), "0"),
)
LONGEST_NAME = 64  # characters of a namespace
RUNNER = "runtimes/apps/runner"
RESERVED_NAMES = KEYWORDS | {"main", "opsmith", "std", "model", "read", "write", "exit"}


@dataclass(frozen=True)
class Settings:
    """What the command line asks for. Paths are as given, relative to the SConstruct's folder."""

    board: str
    model: str
    runtime: str
    ops: tuple[str, ...]  # the built-in root comes first, then those of installed packages
    backends: tuple[str, ...]  # likewise
    boards: tuple[str, ...]  # the built-in root comes first
    opt: str
    flash_budget: str  # bytes, or nothing
    prefer: str  # a backend: the stem of kernel files
    cmsis_nn: str  # a folder
    tune: str  # a file
    stream: str  # '0', 'rows' or 'frames'
    outputs: tuple[str, ...]
    dump: str
    app: str  # a folder
    input: str
    output: str
    port: str
    against: str
    atol: str  # a number, not negative
    rtol: str  # likewise
    fold_floats: bool
    guards: bool
    verbose: bool

    @property
    def tune_file(self) -> Path:
        """What `tune` measured, or will."""
        return Path(self.tune) if self.tune else Path(self.model).with_suffix(".tune.toml")

    @property
    def has_tuning(self) -> bool:
        """Was something measured for this model?"""
        return os.path.isfile(self.tune_file)  # False also where a name is too long to exist

    @property
    def libraries(self) -> Mapping[str, str]:
        """The prefixes of installed libraries that kernels may call, by name."""
        return {"cmsis_nn": self.cmsis_nn} if self.cmsis_nn else {}

    def without_wishes(self) -> Settings:
        """The same, for kernels that are chosen as by default."""
        return replace(self, prefer="", cmsis_nn="")

    @property
    def name(self) -> str:
        """The model's name as a C++ identifier: its namespace."""
        return identifier(Path(self.model).stem)


def read_settings(arguments: Mapping[str, str], root: Path) -> Settings:
    """The settings; inputs exist, relative to `root`. Raises all problems at once."""
    raise_all(_unknown_variables(arguments))
    values = {v.name: arguments.get(v.name, "") or v.default for v in VARIABLES}
    raise_all([*_unreadable(values), *_unreadable({"checkout": str(root)})])
    settings = Settings(
        **{key: values[key] for key in ("board", "model", "runtime", "opt", "prefer", "dump")},
        cmsis_nn=values["cmsis_nn"],
        tune=values["tune"],
        flash_budget=values["flash_budget"],
        **{key: values[key] for key in ("input", "output", "port", "against", "atol", "rtol")},
        stream="rows" if values["stream"] == "1" else values["stream"],
        ops=("ops", *map(str, installed_ops()), *_split(values["ops"])),
        backends=("runtimes", *map(str, installed_backends()), *_split(values["backends"])),
        boards=("boards", *_split(values["boards"])),
        outputs=_split(values["outputs"]),
        app=_app_folder(values["app"], root),
        fold_floats=values["fold_floats"] == "1",
        guards=values["guards"] == "1",
        verbose=values["verbose"] == "1",
    )
    problems = [*_bad_choices(values), *_bad_numbers(values), *_bad_budget(values)]
    raise_all([*problems, *_contradictions(settings), *_missing_paths(settings, root)])
    return settings


def help_text() -> str:
    """What `scons -h` prints."""
    lines = [
        "Opsmith: from a .tflite model to bit-exact firmware.",
        "",
        "  scons board=B model=M.tflite            firmware.elf/.bin/.hex/.map and report.json",
        "  scons board=B model=M.tflite run        runs it there and compares with LiteRT",
        "  scons board=B model=M.tflite crosscheck compares each node with LiteRT, or against=",
        "  scons board=B model=M.tflite profile    says what each node takes",
        "  scons board=B model=M.tflite tune       measures every kernel that nodes could have",
        "  scons board=B model=M.tflite library    libmodel.a, headers and a list of sources",
        "  scons board=B model=M.tflite compile_commands",
        "  scons ops/OP [board=B]                  compiles every kernel of one op",
        "  scons ops/OP/test                       tests one op",
        "  scons boards | scons ops                lists them",
        "",
        "Products are in build/BOARD-RUNTIME/MODEL/. Variables:",
        "",
    ]
    for variable in VARIABLES:
        choices = f": {', '.join(variable.choices)}" if variable.choices else ""
        default = f" (default: {variable.default})" if variable.default else ""
        lines.append(f"  {variable.name + '=':10}{variable.help}{choices}{default}")
    return "\n".join(lines) + "\n"


def identifier(stem: str) -> str:
    """A file's stem as a C++ identifier that no keyword or name of our own collides with."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", stem).strip("_")[:LONGEST_NAME].rstrip("_") or "unnamed"
    return f"model_{name}" if name[0].isdigit() or name in RESERVED_NAMES else name


def _split(value: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip() for part in value.split(",")) if part)


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
    """Names that no message, report or comment could show as they are."""
    for name, value in values.items():
        if not value.isprintable():
            what = f"{name} has bytes that are not UTF-8, or characters that nobody sees"
            fix = "rename it: no control or formatting characters, no spaces but the plain one"
            yield Problem("BLD026", what, f"{name}={value}", fix)


def _bad_choices(values: Mapping[str, str]) -> Iterator[Problem]:
    for variable in VARIABLES:
        value = values[variable.name]
        if variable.choices and value not in variable.choices:
            yield Problem(
                "BLD006",
                f"{variable.name} cannot be '{value}'{did_you_mean(value, variable.choices)}",
                f"command line: {variable.name}={value}",
                f"one of: {', '.join(variable.choices)}",
            )


def _bad_numbers(values: Mapping[str, str]) -> Iterator[Problem]:
    for name in ("atol", "rtol"):
        try:
            good = 0 <= float(values[name]) < math.inf
        except ValueError:
            good = False
        if not good:
            what, where = (
                f"{name} cannot be '{values[name]}'",
                f"command line: {name}={values[name]}",
            )
            yield Problem("BLD006", what, where, "give a number that is not negative, like 1e-6")


def _bad_budget(values: Mapping[str, str]) -> Iterator[Problem]:
    budget = values["flash_budget"]
    if budget and not (budget.isascii() and budget.isdigit()):
        where = f"command line: flash_budget={budget}"
        what = f"flash_budget cannot be '{budget}'"
        yield Problem("BLD006", what, where, "give a number of bytes, like 65536")


def _contradictions(settings: Settings) -> Iterator[Problem]:
    if settings.guards and settings.stream != "0":
        where = f"command line: guards=1 stream={settings.stream}"
        fix = "look for the node with guards=1 alone; rows that are kept have no guards"
        yield Problem("BLD006", "guards and stream cannot be set together", where, fix)


def _missing_paths(settings: Settings, root: Path) -> Iterator[Problem]:
    if settings.model and not os.path.isfile(root / settings.model):
        yield _missing("model", settings.model, root, _siblings(root / settings.model, "*.tflite"))
    if settings.input and not os.path.isfile(root / settings.input):
        yield _missing("input", settings.input, root, _siblings(root / settings.input, "*.npz"))
    if settings.tune and not settings.has_tuning:
        yield from _missing_tuning(settings, root)
    roots = (
        ("ops", settings.ops, "op.py"),
        ("backends", settings.backends, "runtime.toml"),
        ("boards", settings.boards, "board.toml"),
    )
    for variable, folders, manifest in roots:
        for folder in folders[1:]:
            if not os.path.isdir(root / folder):
                yield _missing(variable, folder, root, _siblings(root / folder, "*/"))
            elif not any((root / folder).glob(f"*/{manifest}")):
                yield _no_root(variable, folder, manifest, root)
    if not any(path.is_file() for path in (root / settings.app).glob("*.cc")):
        apps = [path.parent.name for path in (root / "runtimes/apps").glob("*/main.cc")]
        yield _missing("app", settings.app, root, apps)


def _missing(variable: str, path: str, root: Path, near: Sequence[str]) -> Problem:
    absent = "holds no .cc file" if os.path.isdir(root / path) else "does not exist"
    hint = did_you_mean(Path(path).name, near)
    shipped = f"; shipped: {', '.join(near)}" if variable == "app" and near else ""
    return Problem(
        "BLD003",
        f"{variable}={path} {absent}{hint}",
        str(Path(root, path)),
        "give a path that exists; relative ones start at the SConstruct's folder" + shipped,
    )


def _missing_tuning(settings: Settings, root: Path) -> Iterator[Problem]:
    """None where its folder is there: `tune` writes it, and `require` asks for it elsewhere."""
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


def _app_folder(app: str, root: Path) -> str:
    shipped = Path("runtimes/apps", app)
    return str(shipped) if "/" not in app and (root / shipped).is_dir() else app


def require(settings: Settings, *names: str) -> None:
    """Raise one error that names all of these variables that have no value."""
    absent = [name for name in names if not getattr(settings, name)]
    if absent:
        example = " ".join(f"{name}=…" for name in absent)
        raise ToolchainError.of(
            "BLD004",
            f"nothing says which {' and which '.join(absent)}",
            where="command line",
            fix=f"add {example}; `scons -h` explains, `scons boards` lists the boards",
        )
