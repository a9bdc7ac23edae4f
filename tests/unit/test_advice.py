"""Tests that names in a `fix:` exist: options, flags, keys, files, functions, and arguments of
installers.
"""

import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from opsmith.home import HOME
from opsmith.scons.settings import VARIABLES
from tests.advice import FOREIGN, advice, commands

pytestmark = pytest.mark.slow

PLACES = ("toolchain/opsmith", "runtimes")
OP_API = ("toolchain/opsmith/op", "runtimes/gpu/openvino")  # what op.py is written in
EXAMPLE = re.compile(
    r"like [^ ]+|\{[^{}]*\}|sudo .*|`qonnx-convert [^`]*`"
)  # an author's own names, filled in, or a system's
FILE = re.compile(r"(?<![\w.<>-])([a-z_]+\.(?:md|toml|json|h|cl|cc|py|txt|ld))\b")


@cache
def source(*places: str) -> str:
    """Text of all source files below a folder."""
    files = (file for place in places for file in sorted((HOME / place).rglob("*.py")))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def literals() -> set[str]:
    """String literals of the source that are one word: keys, names of files, flags."""
    return {*re.findall(r'"([^" \n]+)"', source(*PLACES))}


def declared(*places: str) -> set[str]:
    """Names of fields of classes and of parameters of functions."""
    return {*re.findall(r"\b(\w+): ", source(*places))}


def named(pattern: str) -> dict[str, str]:
    """Names in fixes that match a pattern, each with a place."""
    texts = {each.where: EXAMPLE.sub("", each.text) for each in advice()}
    found = ((name, where) for where, text in texts.items() for name in re.findall(pattern, text))
    return dict(found)


def unknown(found: dict[str, str], known: set[str]) -> dict[str, str]:
    """Names in `found` that are not known, each with its place."""
    return {name: where for name, where in found.items() if name not in known}


def test_there_is_advice() -> None:
    assert len(advice()) > 400
    assert len({each.code for each in advice()}) > 200


def test_options_exist() -> None:
    known = {each.name for each in VARIABLES} | declared(*OP_API)
    found = named(r"(?<![\w:-])([a-z_]+)=")
    assert len(found) > 40
    layers = re.findall(r'"(\w+)"', source("runtimes/gpu/openvino"))  # attributes of its XML
    assert not unknown(found, known | {*layers})


def test_flags_exist() -> None:
    bootstrap = re.findall(r"--\w+", (HOME / "bootstrap").read_text(encoding="utf-8"))
    assert not unknown(named(r"(?<![\w-])(--[a-z][\w-]*)"), literals() | {*bootstrap})


def test_keys_exist() -> None:
    found = named(r"'([a-z_]+)'")
    assert len(found) > 5
    assert not unknown(found, literals() | declared("toolchain/opsmith/board"))


def test_files_exist() -> None:
    shipped = {path.name for top in ("toolchain", "boards", "runtimes") for path in _below(top)}
    shipped |= {path.name for path in HOME.iterdir()}
    assert not unknown(named(FILE.pattern), shipped | literals())


def _below(top: str) -> Iterator[Path]:
    return (HOME / top).rglob("*.*")


def test_functions_exist() -> None:
    defined = {*re.findall(r"\bdef (\w+)", source(*PLACES))}
    assert not unknown(named(r"(?<![\w.])([a-z_]+)\(\)"), defined)


def test_what_installs_takes_its_arguments(tmp_path: Path) -> None:
    """Installers take the arguments that fixes give; stand-ins record them."""
    record = tmp_path / "calls"
    for name in FOREIGN:
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {shlex.quote(str(record))}\n')
        program.chmod(0o755)
    found = {command for each in advice() for command in commands(each.text)}
    wanted = [re.sub(r"\{.*\}", "it", each) for each in sorted(found) if each.startswith(FOREIGN)]
    script = "\n".join(wanted)
    subprocess.run(
        ["/bin/sh", "-e", "-c", script], cwd=tmp_path, env={"PATH": str(tmp_path)}, check=True
    )
    calls = record.read_text().splitlines()
    assert len(calls) == len(wanted) > 5
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {*project["optional-dependencies"]}
    for call in calls:
        extra = re.fullmatch(r"pip install opsmith\[(\w+)\]", call)
        group = "sudo usermod -aG it it"
        known = ("./bootstrap", "./bootstrap --all", "pip uninstall it", group)
        ours = call.startswith(("./bootstrap", "sudo", "pip uninstall", "pip install opsmith"))
        apt = re.fullmatch(r"sudo apt-get install -y --no-install-recommends [\w+-]+", call)
        known_one = call.strip() in known or apt is not None
        assert not ours or (extra[1] in extras if extra else known_one), call
