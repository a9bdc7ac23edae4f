"""Installs the packages that ops require, by Conan, into a folder of the build.

Of each package its headers, archives and licences are copied to a folder of its name. Arguments of
compiler and linker are in `compile.txt` and `link.txt`, which both read by `@`.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.board.describe import Board
from opsmith.package.conan import Conan
from opsmith.package.contents import check_files, check_words, files_below
from opsmith.package.installed import COMPILE, FACTS, LINK, LOCK, is_address
from opsmith.package.profile import profile
from opsmith.package.requirements import Wanted, references, refused
from opsmith.reading import is_inside

_LICENCES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*")
_TIMES = re.compile(r"%[0-9.]+")  # times of recipes in a lock, which are irrelevant times of export
# The core's flags are part of a package's id, since a recipe may not know the setting `cpu`.
_PROFILE = """\
include(board)

[conf]
tools.info.package_id:confs=["tools.build:cflags", "tools.build:cxxflags"]

[buildenv]
SOURCE_DATE_EPOCH=315532800
ZERO_AR_DATE=1
"""
# Conan compiles in folders with random names, which must not appear in products.
_HOOK = """\
def pre_generate(conanfile):
    places = {"build": conanfile.build_folder, "source": conanfile.source_folder}
    maps = [f"-ffile-prefix-map={at}={conanfile.name}/{name}" for name, at in places.items()]
    for kind in ("tools.build:cflags", "tools.build:cxxflags"):
        flags = conanfile.conf.get(kind, default=[], check_type=list)
        conanfile.conf.define(kind, [*flags, *maps])  # not appended: the id's list stays
"""
_MACHINE = """\
{% set compiler, version, _ = detect_api.detect_gcc_compiler() %}
[settings]
os=Linux
arch={{ detect_api.detect_arch() }}
compiler=gcc
compiler.version={{ detect_api.default_compiler_version(compiler, version) }}
compiler.libcxx=libstdc++11
compiler.cppstd=gnu17
build_type=Release
"""


@dataclass(frozen=True)
class Installation:
    """Packages to be installed, their sources, and the board and compiler that they are for."""

    required: Wanted
    sources: tuple[str, ...]  # folders of recipes, and URLs of remotes
    board: Board
    compiler_major: int
    lock: Path | None  # locked revisions, if any


def install(installation: Installation, home: Path, out: Path) -> dict[str, str]:
    """Copy the packages to folders below `out`; returns further files by name.

    `home` is the folder in which Conan keeps its builds. Raises BLD080 to BLD082 and BLD087.
    """
    if not installation.required:
        _remove_packages(out)
        return _files(out, [], "")
    conan = Conan(home.absolute())
    with _alone(conan.home):
        asking = Conan(conan.home / "asking")
        shutil.rmtree(asking.home, ignore_errors=True)
        for each in (asking, conan):
            each.prepare()
        graph, lock = _resolved(conan, asking, installation)
        return copied(graph, lock, out)


def copied(graph: Mapping[str, Any], lock: str, out: Path) -> dict[str, str]:
    """Copy the packages of a graph that Conan installed; returns further files by name. Raises
    BLD087 for packages that cannot be part of firmware.
    """
    nodes = _linked_first(graph)
    _remove_packages(out)
    packages = [_copied(node, out) for node in nodes]
    return _files(out, packages, _TIMES.sub("", lock))


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Lock of Conan's cache, which only one process may use; other builds wait."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / ".opsmith.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _remote(conan: Conan, source: str) -> str:
    """Register a source of packages in Conan; returns its name there."""
    place = source if is_address(source) else str(Path(source).resolve())
    name = f"source-{hashlib.sha256(os.fsencode(place)).hexdigest()[:8]}"
    kind = [] if is_address(source) else ["--type=local-recipes-index"]
    conan.run("remote", "add", name, place, "--force", *kind)
    return name


def _resolved(
    conan: Conan, asking: Conan, installation: Installation
) -> tuple[Mapping[str, Any], str]:
    """Graph of the installed packages, and the lock that describes it.

    Conan's home contains packages of earlier builds, perhaps of other sources or withdrawn since.
    So a Conan with an empty home, `asking`, determines the revisions that the sources have.
    """
    fix, lock = _fix(installation, conan.home), asking.home / "made.lock"
    pinned = [] if installation.lock is None else [f"--lockfile={installation.lock.absolute()}"]
    arguments = [*_arguments(asking, installation), f"--lockfile-out={lock}", *pinned]
    asking.run("graph", "info", *arguments, fix=fix)
    arguments = [*_arguments(conan, installation), f"--lockfile={lock}"]
    arguments += [f"--output-folder={conan.home / 'install'}"]
    found = conan.json("install", *arguments, fix=fix)
    return found["graph"]["nodes"], lock.read_text(encoding="utf-8")


def _arguments(conan: Conan, installation: Installation) -> list[str]:
    """Arguments of Conan that name the requirements, with profiles and remotes of its home."""
    board = profile(installation.board, installation.compiler_major)
    profiles = {"board": board, "packages": _PROFILE, "machine": _MACHINE}
    texts = {f"profiles/{name}": text for name, text in profiles.items()}
    for name, text in {**texts, "extensions/hooks/hook_places.py": _HOOK}.items():
        (conan.home / name).parent.mkdir(parents=True, exist_ok=True)
        (conan.home / name).write_text(text, encoding="utf-8")
    arguments = [f"--requires={each}" for each in references(installation.required)]
    arguments += ["--profile:host=packages", "--profile:build=machine", "--build=missing"]
    arguments += ["--options:host=*:shared=False"]
    return arguments + [f"--remote={_remote(conan, each)}" for each in installation.sources]


def _fix(installation: Installation, home: Path) -> str:
    asks = (f"{', '.join(ops)}: {each}" for each, ops in installation.required.items())
    searched = ", ".join(installation.sources)
    pinned = "" if installation.lock is None else f", or {installation.lock}, which pins revisions"
    return (
        f"correct requires= of the ops ({'; '.join(asks)}), or conan={searched}, where packages "
        f"were looked for{pinned}; where Conan's cache is damaged, delete {home}"
    )


def _linked_first(graph: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Packages for the board, each before those that it requires."""
    found: dict[str, None] = {}

    def visit(number: str) -> None:
        for other in graph[number]["dependencies"]:
            if other not in found:
                visit(other)
        found[number] = None

    for number in graph:
        if number not in found:
            visit(number)
    nodes = (graph[number] for number in reversed(found))
    return [node for node in nodes if node["context"] == "host" and node["name"]]


def _copied(node: Mapping[str, Any], out: Path) -> dict[str, Any]:
    """Copy a package to the folder of its name; returns facts about it."""
    name, root = node["name"], Path(node["package_folder"])
    parts = [part for part in node["cpp_info"].values() if not _is_empty(part)]
    check_words(name, parts)
    folders = {kind: _folders(parts, kind, root) for kind in ("includedirs", "libdirs")}
    libs = [lib for part in parts for lib in part["libs"] or ()]
    place = out / name
    headers = [*files_below(name, root, folders["includedirs"])]
    archives = [_archive(name, lib, root, folders["libdirs"]) for lib in libs]
    licences = [f.relative_to(root) for f in _licence_files(root)]
    check_files(name, root, (*headers, *archives, *licences))
    for folder in folders["includedirs"]:
        (place / folder).mkdir(parents=True, exist_ok=True)
    for file in (*headers, *archives, *licences):
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / file, place / file)
    return {
        "name": name,
        "version": node["ref"].partition("/")[2].partition("#")[0],
        "revision": node["rrev"],
        "package_id": node["package_id"],
        "package_revision": node["prev"],
        "license": node["license"],
        "includes": [folder.as_posix() for folder in folders["includedirs"]],
        "archives": [archive.as_posix() for archive in archives],
        "licenses": [file.as_posix() for file in licences],
        "defines": [define for part in parts for define in part["defines"] or ()],
        "flags": [flag for part in parts for flag in part["cxxflags"] or ()],
        "libs": libs,
        "system_libs": [lib for part in parts for lib in part["system_libs"] or ()],
    }


def _remove_packages(out: Path) -> None:
    """Make the folder, and remove packages of an earlier build from it."""
    out.mkdir(parents=True, exist_ok=True)
    for place in out.iterdir():
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)


def _is_empty(part: Mapping[str, Any]) -> bool:
    """True if a part has no facts of its own, beside components that have all of them."""
    return not any(part[each] for each in ("includedirs", "libdirs", "libs", "defines"))


def _folders(parts: Iterable[Mapping[str, Any]], kind: str, root: Path) -> list[Path]:
    """Folders of a package that exist, relative to its root."""
    named = dict.fromkeys(Path(folder) for part in parts for folder in part[kind] or ())
    inside = (each for each in named if each.is_relative_to(root) and is_inside(each, root))
    return [each.relative_to(root) for each in inside if each.is_dir()]


def _archive(package: str, lib: str, root: Path, folders: Iterable[Path]) -> Path:
    for folder in folders:
        if (root / folder / f"lib{lib}.a").is_file():
            return folder / f"lib{lib}.a"
    what = f"has no archive lib{lib}.a, so that no firmware can contain it"
    raise refused(what, f"package {package}", "let its recipe build a static library")


def _licence_files(root: Path) -> list[Path]:
    found = {file for file in (root / "licenses").rglob("*") if file.is_file()}
    return sorted(found | {file for form in _LICENCES for file in root.glob(form)})


def _files(out: Path, packages: Sequence[Any], lock: str) -> dict[str, str]:
    """Files with arguments of compiler and linker, the lock, and facts for the report, by name."""
    places = [(out / package["name"], package) for package in packages]
    compiling = [f"-I{place / each}" for place, package in places for each in package["includes"]]
    compiling += [f"-D{define}" for _, package in places for define in package["defines"]]
    compiling += [flag for _, package in places for flag in package["flags"]]
    linking = [str(place / each) for place, package in places for each in package["archives"]]
    linking += [f"-l{lib}" for _, package in places for lib in package["system_libs"]]
    group = ["-Wl,--start-group", *linking, "-Wl,--end-group"] if linking else []
    return {
        FACTS: json.dumps({"packages": list(packages)}, indent=1) + "\n",
        COMPILE: "".join(f"{_escaped(word)}\n" for word in compiling),
        LINK: "".join(f"{_escaped(word)}\n" for word in group),
        LOCK: lock,
    }


def _escaped(word: str) -> str:
    """Word as GCC reads it in a file of arguments."""
    return re.sub(r"([\s\"'\\])", r"\\\1", word)
