"""`library`: writes the package of models, for builds without Opsmith; all but the archive."""

import argparse
import hashlib
import json
import re
import shlex
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.command_line import Parser
from opsmith.emit.writing import comment_text
from opsmith.errors import Problem, ToolchainError, cannot_write, raise_all
from opsmith.home import HOME
from opsmith.package.description import UNVERSIONED, Package, PackagedModel, PackagedTensor
from opsmith.package.installed import read_facts
from opsmith.package.sources import (
    LISTING,
    PRIVATE,
    Origins,
    faces,
    normal,
    packaged,
    places,
    with_alias,
)
from opsmith.package.texts import notice, texts
from opsmith.steps.make_rules import prerequisites
from opsmith.writing import replace_files

LICENCES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*")
NEEDS_CXX17 = """\
#pragma once

#if !defined(__cplusplus)
#error "{name}.h is C++17: programs in C include {name}/{name}_c.h"
#elif __cplusplus < 201703L
#error "{name}.h needs C++17: compile with -std=c++17"
#else
"""


def main(argv: list[str]) -> int:
    """Make BUILD/library, except files of other steps in it; returns 0. Raises BLD002, BLD010."""
    arguments = _parser().parse_args(argv)
    build: Path = arguments.build
    out = build / "library"
    try:
        facts = json.loads((build / "model.json").read_text(encoding="utf-8"))
        files = _files(arguments, facts)
        sums = [f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files)]
        _remove_others(out, {*files, f"lib/lib{arguments.name}.a", "report.json"})
        replace_files(out, {**files, LISTING: "".join(sums)})
    except OSError as error:
        raise cannot_write(out, error) from error
    return 0


def _files(arguments: argparse.Namespace, facts: Mapping[str, Any]) -> dict[str, bytes]:
    """Content of the package by path."""
    build, name = arguments.build, arguments.name
    models = facts.get("models", [facts])
    names = [each["name"] for each in models]
    several = tuple(names) if len(names) > 1 else ()
    foreign = dict(text.partition("=")[::2] for text in arguments.foreign)
    headers = {library: Path(folder) for library, folder in foreign.items()}
    packages = [] if arguments.packages is None else read_facts(arguments.packages)
    inside = Path() if arguments.packages is None else arguments.packages.parent
    headers |= {each["name"]: inside / each["name"] for each in packages}
    includes = tuple(Path(folder) for folder in arguments.include)
    includes += tuple(inside / p["name"] / each for p in packages for each in p["includes"])
    origins = Origins(name, normal(build), includes, Path("build"), headers, several)
    compiler: Sequence[str] = arguments.command
    public = _headers([*compiler, "-x", "c++"], [build / each for each in faces(names)])
    private = [*_headers(compiler, arguments.source), *arguments.data]
    where = places(origins, public, private)
    found = packaged(origins, where)
    for model in names:
        face = f"include/{model}/{model}.h"
        found[face] = _guarded(found[face], model, name)
    raise_all(same_in_c({each: found[f"include/{each}/{each}_c.h"] for each in names}, build))
    libraries = (build / "libraries.txt").read_text(encoding="utf-8").split()
    libraries += [f"-l{lib}" for p in packages for lib in (*p["libs"], *p["system_libs"])]
    defines = [f"-D{define}" for each in packages for define in each["defines"]]
    defines += [flag for each in packages for flag in each["flags"]]
    package = Package(
        name,
        ", ".join(comment_text(each["model"]) for each in models),
        "" if several else facts["sha256"],
        f"{facts['board']}, runtime {facts['runtime']}, opt {facts['opt']}",
        compiler[0],
        tuple(arguments.core),
        (*arguments.flag, *defines),
        tuple(sorted(_place(where, each) for each in arguments.source)),
        tuple(sorted(_place(where, each) for each in arguments.data)),
        tuple(libraries),
        version=arguments.version,
        compile=tuple(arguments.compile),
        requires=_required(models, arguments.macro),
        inputs=() if several else _tensors(facts["inputs"]),
        outputs=() if several else _tensors(facts["outputs"]),
        arena=arguments.arena,
        streams=any(each["stream"] is not None for each in models),
        hosted=arguments.hosted,
        memories=_memories(facts),
        models=tuple(
            PackagedModel(each["name"], comment_text(each["model"]), each["sha256"])
            for each in models
        )
        if several
        else (),
    )
    found |= {path: text.encode() for path, text in texts(package).items()}
    kept = [inside / each["name"] / archive for each in packages for archive in each["archives"]]
    for archive in [*map(Path, arguments.archive), *kept]:
        found[f"lib/{archive.name}"] = archive.read_bytes()
    return found | _licences(arguments, where, names, packages)


def _memories(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of memories other than flash that hold constants."""
    placed = facts.get("constants", {}).get("memories", {})
    return tuple(memory for memory, each in placed.items() if each["bytes"])


def _required(
    models: Sequence[Mapping[str, Any]], macros: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Features of the core that the kernels require, with the macros that show them."""
    known = sorted(text.partition("=")[::2] for text in macros)
    nodes = [node for each in models for node in each["nodes"]]
    needed = {feature for node in nodes for feature in node["requires"]}
    return tuple((feature, macro) for feature, macro in known if feature in needed)


def _tensors(tensors: Sequence[Mapping[str, Any]]) -> tuple[PackagedTensor, ...]:
    return tuple(dict.fromkeys(PackagedTensor(each["id"], each["dtype"]) for each in tensors))


def _place(where: Mapping[Path, str], file: Path) -> str:
    return where[normal(file)].removeprefix(f"{PRIVATE}/")


def _guarded(header: bytes, model: str, package: str) -> bytes:
    """C++ header that stops other compilers: C includes another header, or C++17 is needed."""
    text = header.decode()
    text = text if model == package else with_alias(text, model, package)
    head, once, rest = text.partition("#pragma once\n")
    assert once
    return f"{head}{NEEDS_CXX17.format(name=model)}{rest}\n#endif  // C++17\n".encode()


def same_in_c(headers: Mapping[str, bytes], where: Path) -> Iterator[Problem]:
    """Problems, code BLD042, of names that two models of a package have in C."""
    first: dict[str, str] = {}
    for model, header in headers.items():
        code = re.sub(r"//.*", "", header.decode())
        for name in sorted(set(re.findall(rf"\b{model}_\w+", code))):
            other = first.setdefault(name, model)
            if other != model:
                what = f"{name} would be of both {other} and {model} in C"
                yield Problem("BLD042", what, str(where), "rename one of the model files")


def _licences(
    arguments: argparse.Namespace,
    where: Mapping[Path, str],
    models: Sequence[str],
    packages: Sequence[Mapping[str, Any]],
) -> dict[str, bytes]:
    """LICENSE, NOTICE and the licences of libraries and folders from elsewhere."""
    found = {"LICENSE": (HOME / "LICENSE").read_bytes()}
    others = []
    for library, folder in (text.partition("=")[::2] for text in arguments.foreign):
        used = any(place.startswith(f"{PRIVATE}/{library}/") for place in where.values())
        if used:
            others.append((library, [Path(folder), Path(folder).parent]))
    outside = [file for file in where if file.is_absolute() and not file.is_relative_to(HOME)]
    for folder in dict.fromkeys(file.parent for file in outside):
        if not any(folder.is_relative_to(each) for _, roots in others for each in roots):
            others.append((folder.name, [folder, folder.parent, folder.parent.parent]))
    listed = []
    for what, folders in others:
        files = [file for folder in folders for file in _licence_files(folder)]
        for file in files:
            found[f"licenses/{what}/{file.name}"] = file.read_bytes()
        listed.append((what, list(dict.fromkeys(f"licenses/{what}/{f.name}" for f in files))))
    for each in packages:
        files = [arguments.packages.parent / each["name"] / file for file in each["licenses"]]
        said = f"{each['name']} {each['version']}: {each['license'] or 'no licence stated'}"
        found |= {f"licenses/{each['name']}/{file.name}": file.read_bytes() for file in files}
        listed.append((said, [f"licenses/{each['name']}/{file.name}" for file in files]))
    return found | {"NOTICE": notice(arguments.name, models, listed).encode()}


def _licence_files(folder: Path) -> Iterator[Path]:
    for form in LICENCES:
        yield from (file for file in sorted(folder.glob(form)) if file.is_file())


def _remove_others(out: Path, kept: Collection[str]) -> None:
    """Remove files of an earlier build that are not among those kept."""
    for path in sorted(out.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(out).as_posix() not in kept and path.name[0] != ".":
            path.unlink()


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith library", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the products")
    parser.add_argument("--name", required=True, help="of the package")
    parser.add_argument("--source", action="append", type=Path, help="a file of the program")
    parser.add_argument("--data", action="append", type=Path, help="a file that these include")
    parser.add_argument("--include", action="append", default=[], help="where headers are")
    parser.add_argument("--flag", action="append", default=[], help="sources are compiled with it")
    parser.add_argument("--core", action="append", default=[], help="likewise, of the core")
    parser.add_argument(
        "--compile",
        action="append",
        default=[],
        help="likewise, of the core where libraries may be compiled without",
    )
    parser.add_argument(
        "--macro",
        action="append",
        default=[],
        metavar="FEATURE=MACRO",
        help="what the compiler defines for cores with a feature",
    )
    parser.add_argument("--hosted", action="store_true", help="an operating system runs programs")
    parser.add_argument("--arena", default="own", help="who has the arena")
    parser.add_argument("--version", default=UNVERSIONED, help="of the package")
    parser.add_argument("--foreign", action="append", default=[], metavar="LIBRARY=FOLDER",
                        help="a library that kernels call, and where its headers are")  # fmt: skip
    parser.add_argument("--packages", type=Path, help="what `install-packages` wrote")
    parser.add_argument("--archive", action="append", default=[], help="of such a library")
    parser.add_argument("command", nargs="+", help="the compiler's, after --")
    return parser


def _headers(compiler: Sequence[str], sources: Sequence[Path]) -> list[Path]:
    """Sources, and every header of Opsmith that they include."""
    command = [*compiler, "-MM", *map(str, sources)]
    done = subprocess.run(command, capture_output=True, check=False, close_fds=False)
    if done.returncode != 0:
        what = f"the compiler ended with exit status {done.returncode}: {done.stderr[:200]!r}"
        where, fix = shlex.join(command), "run the command above by hand"
        raise ToolchainError.of("BLD010", what, where=where, fix=fix)
    return prerequisites(done.stdout.decode("utf-8", "surrogateescape"))
