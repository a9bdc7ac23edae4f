"""Damaged packages of models, which `export` reads.

python -m tests.fuzz.packages --count=10000 --seed=1
"""

import hashlib
import json
import os
import sys
from pathlib import Path
from random import Random

from opsmith.commands.export import main
from opsmith.export.kind import kinds
from opsmith.package.description import DESCRIPTION
from opsmith.package.sources import LISTING
from tests.fuzz.boards import rubbish
from tests.fuzz.damage import LIMITS, damaged, misplace, outcome
from tests.fuzz.trials import command
from tests.unit.commands.packages import FILES, package

WORDS = (
    b"src/model.cc", b"  ", b".incbin", b"0" * 64, b"  constant k, 4, 0, 999999\n", b"#include \"",
    b"\\offset", b'  .incbin "kws_weights.bin"\n', b"typedef", b"kws_weights.bin",
)  # fmt: skip
NAMES = (
    "src/kws_target.h", "src/kws_target.h/x", "src/model.cpp", "src/./model.cc", "src//model.cc",
    "src/a\nb.cc", "src/" + "x" * 250, "src/é.cc", "licenses/../../x", "include/kws/kws.h/x",
    "LICENSE/x", "lib/libx.a", "README.md", "src/$(x).cc", "CMakeLists.txt", "src/sub/model.cc",
    "include/kws/sources/model.cpp",
)  # fmt: skip


def trial(chance: Random, folder: Path) -> str:
    """Outcome of an export of the package: all of a folder, or nothing."""
    made = package(folder)
    for _ in range(chance.choice((0, 1, 1, 2))):
        chance.choice((_content, _content, _content, _description, _description, _name))(
            chance, made
        )
    if chance.random() < 0.9:
        _list(made)
    if chance.random() < 0.2:
        listing = made / LISTING
        listing.write_bytes(damaged(chance, listing.read_bytes(), WORDS))
    misplace(chance, made, 0.1)
    if chance.random() < 0.02:
        (made / "big.h").write_bytes(b"/" * (17 << 20))
        os.link(made / "big.h", made / "again.h")
    before, out = _tree(made), folder / "out"
    kind = chance.choice([*kinds()])
    found = outcome(lambda: main([kind, str(made), str(out)]))
    assert _tree(made) == before, "the package was changed"
    assert out.exists() == (found == "fine")
    assert not any(path.is_symlink() for path in out.rglob("*"))
    return found


def _content(chance: Random, made: Path) -> None:
    path = made / chance.choice([*FILES, DESCRIPTION, "src/weights.cc", "src/weights.cc"])
    if path.is_file():
        path.write_bytes(damaged(chance, path.read_bytes(), WORDS))


def _description(chance: Random, made: Path) -> None:
    path = made / DESCRIPTION
    try:
        values = json.loads(path.read_bytes())
        key = chance.choice([*values, "more"])
    except (ValueError, TypeError, IndexError, RecursionError):
        return
    if not isinstance(values, dict):
        return
    value = rubbish(chance)
    old = values.get(key)
    match chance.randrange(3):
        case 0 if isinstance(old, list):
            old.insert(chance.randrange(len(old) + 1), value)
        case 1 if key in values:
            del values[key]
        case _:
            values[key] = chance.choice((value, [value], [[value, value]], old))
    try:
        path.write_text(json.dumps(values), encoding="utf-8")
    except ValueError:  # a number of more digits than Python writes
        path.write_text('{"format": ' + "9" * 5000 + "}")


def _name(chance: Random, made: Path) -> None:
    path = made / chance.choice(NAMES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(chance.choice(("", "x", '#include "model.cc"\n')))
    except OSError:  # there is something else
        return


def _list(made: Path) -> None:
    """Write the listing of a package: the digest of each file."""
    files = sorted(
        path
        for path in made.rglob("*")
        if path.is_file() and path.name not in (LISTING, "report.json")
    )
    lines = [
        f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.relative_to(made).as_posix()}\n"
        for f in files
    ]
    (made / LISTING).write_text("".join(lines), encoding="utf-8")


def _tree(folder: Path) -> list[tuple[str, int, int]]:
    """Paths, modes and sizes of all files in a folder."""
    stats = ((path, path.lstat()) for path in sorted(folder.rglob("*")))
    return [(str(path), found.st_mode, found.st_size) for path, found in stats]


if __name__ == "__main__":
    sys.exit(command("packages", trial, LIMITS, sys.argv[1:]))
