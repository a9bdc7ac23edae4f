"""Damaged packages of Conan, and what recipes say of them, which builds copy.

python -m tests.fuzz.conans --count=2000 --seed=1
"""

import copy
import os
import sys
from pathlib import Path
from random import Random
from typing import Any

from opsmith.package.install import copied
from opsmith.package.installed import FACTS, read_facts
from tests.fuzz.boards import rubbish
from tests.fuzz.damage import LIMITS, damaged, misplace, outcome
from tests.fuzz.trials import command

WORDS = ("..", "../..", "/etc", "include/..", "/", "", ".", "include", "lib", "x/../../y", "passwd")
PART: dict[str, Any] = {
    "includedirs": ["include"], "libdirs": ["lib"], "libs": ["nn"], "defines": ["NN=1"],
    "cxxflags": ["-O2"], "system_libs": ["m"],
}  # fmt: skip
FILES = (
    "include/nn.h", "include/nn/more.h", "lib/libnn.a", "licenses/COPYING", "LICENSE", "src/nn.c",
)  # fmt: skip


def trial(chance: Random, folder: Path) -> str:
    """Outcome of copying a package: only files of its own are copied, and can be read again."""
    root, out = folder / "cache" / "p", folder / "out"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (folder / "secret").write_text("secret")
    for _ in range(chance.choice((0, 0, 1, 2))):
        misplace(chance, root, 1)
    if chance.random() < 0.15:
        _link(chance, root)
    graph = {
        "1": _node(chance, root),
        "0": {"dependencies": {"1": {}}, "context": "build", "name": ""},
    }
    before = sorted(folder.rglob("*"))
    files: dict[str, str] = {}
    found = outcome(lambda: files.update(copied(graph, "{}", out)))
    assert [
        path for path in sorted(folder.rglob("*")) if out not in (path, *path.parents)
    ] == before
    for path in out.rglob("*"):
        assert path.is_dir() or path.is_file()
        assert not path.is_symlink()
        assert path.is_dir() or path.stat().st_size < 100
        assert path.is_dir() or path.read_text() != "secret"
    facts = files.get(FACTS, "{}").encode()
    (folder / "facts").write_bytes(damaged(chance, facts) if chance.random() < 0.5 else facts)
    misplace(chance, folder, 0.05)
    return f"{found}, {outcome(lambda: read_facts(folder / 'facts'))} again"


def _link(chance: Random, root: Path) -> None:
    place = chance.choice(("include/a", "include/nn/b", "licenses/c", "lib/libx.a"))
    targets = (
        ".",
        "..",
        "../..",
        "../../../secret",
        "/etc/passwd",
        "nn.h",
        "../src/nn.c",
        "../src",
        "/",
    )
    if not os.path.lexists(root / place) and (root / place).parent.is_dir():
        (root / place).symlink_to(chance.choice(targets))


def _node(chance: Random, root: Path) -> dict[str, Any]:
    """Description of the package as `conan install` gives it, with random mistakes."""
    parts: dict[str, Any] = {"root": copy.deepcopy(PART)}
    if chance.random() < 0.3:
        parts["other"] = copy.deepcopy(PART) | {"libs": chance.choice((None, [], ["nn"]))}
    for part in parts.values():
        for kind in ("includedirs", "libdirs"):
            part[kind] = [str(root / each) for each in part[kind]]
        if chance.random() < 0.4:
            key, value = (
                chance.choice([*part]),
                chance.choice((rubbish(chance), chance.choice(WORDS))),
            )
            value = str(root / value) if isinstance(value, str) and chance.random() < 0.5 else value
            part[key] = chance.choice(
                ([value], [*part[key], value] if part[key] else [value], None)
            )
    license_ = chance.choice(("MIT", ["MIT", "BSD"], None))
    node: dict[str, Any] = {
        "name": "nn",
        "context": "host",
        "dependencies": {},
        "package_folder": str(root),
    }
    node |= {"ref": "nn/1.0#abc", "rrev": "abc", "package_id": "d", "prev": "e"}
    return {**node, "license": license_, "cpp_info": parts}


if __name__ == "__main__":
    sys.exit(command("conans", trial, LIMITS, sys.argv[1:]))
