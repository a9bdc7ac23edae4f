"""Breaks board.toml files and says what loading them makes of it.

python -m tests.fuzz.boards --count=5000 --seed=1
"""

import os
import random
import subprocess
import sys
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from opsmith.board.linker import linker_script
from opsmith.board.manifest import load_board
from opsmith.cli import main
from tests.fuzz.judged import LIMITS, Failed, apart, look_at
from tests.fuzz.trials import command

ROOT = Path(__file__).resolve().parents[2]
TEXTS = (
    "", "x", "\x1b[31mred", "a\nb", "*/ INCLUDE x", "**//", "/*", "$(touch x)", "`x`", "../..",
    "-o", "\u202e", "é", "%s%n", "{x}", "text", "len", "ram", "x" * 300, "x" * 70_000, "\x00",
    "64K", "1__0", "9" * 5000, "0x10", "-1K", "host", "cortex-m0",
)  # fmt: skip
NUMBERS = (0, 1, -1, 7, 8, 2**31, 2**32 - 1, 2**32, 2**63, 10**40, 2**20000, 512, 0x2000_0000)
OTHERS = (True, False, float("nan"), float("inf"), -0.0, 1e308)
RAW = (
    "[", "]", "=", '"', "\0", "\xff", "\n[x]", "[[memory]]", "a.b.c=1\n", "{", "1e400",
    "1979-05-27",
)  # fmt: skip


def tables_of(rng: random.Random) -> dict[str, Any]:
    """The tables of one of our boards."""
    return tomllib.loads(rng.choice(_shipped()))


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, ...]:
    return tuple(file.read_text("utf-8") for file in sorted(ROOT.glob("boards/*/board.toml")))


def broken(rng: random.Random, text: str = "") -> bytes:
    """A TOML file, or a board.toml, with some values, keys, types, depths or bytes changed."""
    tables = tomllib.loads(text) if text else tables_of(rng)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        _splice(rng, tables)
    text = written(tables)
    if rng.random() < 0.2:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(RAW) + text[at + rng.choice((0, 0, 1, 5)) :]
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.03:
        data = data[: rng.randrange(len(data) + 1)] + bytes([rng.randrange(256)])
    return data


def _splice(rng: random.Random, tables: dict[str, Any]) -> None:
    places = _places(tables)
    owner, key = rng.choice(places)
    value = owner[key]
    match rng.randrange(7):
        case 0:
            del owner[key]
        case 1:
            owner[rng.choice(TEXTS)] = value
        case 2:
            other, name = rng.choice(_places(tables_of(rng)))
            owner[key] = other[name]
        case 3:
            owner[key] = [value] * rng.choice((0, 1, 3))
        case 4:
            owner[key] = _nested(rng, value)
        case 5:
            other, name = rng.choice(places)
            other[rng.choice((name, key, "arena", "memory", "run", "defines"))] = rubbish(rng)
        case _:
            owner[key] = rubbish(rng)


def _places(tables: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Each pair of a table and one of its keys."""
    found, left = [], [tables]
    while left:
        table = left.pop()
        found += [(table, key) for key in table]
        left += [inner for inner in table.values() if isinstance(inner, dict)]
    return found or [({"": 0}, "")]


def _nested(rng: random.Random, value: Any) -> Any:
    for _ in range(rng.choice((1, 5, 15, 30, 80))):
        value = [value] if rng.random() < 0.5 else {"x": value}
    return value


def rubbish(rng: random.Random) -> Any:
    """Random value that hardly fits in any place of a board.toml."""
    kinds = (TEXTS, NUMBERS, OTHERS)
    if rng.random() < 0.1:
        return {rng.choice(TEXTS): rng.choice(NUMBERS)}
    if rng.random() < 0.1:
        return [{"memory": rng.choice(("ccm", "ram", "flash", 1)), "kinds": [rng.choice(TEXTS)]}]
    return rng.choice(rng.choice(kinds))


def written(value: Any) -> str:
    """Tables as TOML text, all inline except the outermost."""
    return "\n".join(f"{_text(key)} = {_inline(inner)}" for key, inner in value.items())


def _inline(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return _text(value)
        case int():
            return str(value) if abs(value) < 10**1000 else f"{value:#x}"
        case dict():
            inner = ", ".join(f"{_text(key)} = {_inline(each)}" for key, each in value.items())
            return f"{{{inner}}}"
        case list():
            return f"[{', '.join(map(_inline, value))}]"
    return str(value)


def _text(value: str) -> str:
    plain = (c if c.isprintable() and c not in '"\\' else f"\\u{ord(c):04x}" for c in value)
    return f'"{"".join(plain)}"'


def place(rng: random.Random, folder: Path) -> str:
    """Write a board.toml, or something else in its place, to a folder; returns the board's name."""
    hostile = ("a b", "$(x)", "\x1b[2J", "-o", "A", "é", "x" * 255, os.fsdecode(b"\xff"))
    name = "odd" if rng.random() < 0.95 else rng.choice(hostile)
    board = folder / name
    board.mkdir()
    file = board / "board.toml"
    match rng.randrange(60):
        case 0:
            file.mkdir()
        case 1:
            os.mkfifo(file)
        case 2:
            file.symlink_to(rng.choice(("board.toml", "nowhere", "..", "/dev/zero")))
        case _:
            file.write_bytes(broken(rng))
    if rng.random() < 0.1:
        (board / rng.choice(("board.cc", "$(x).cc", "a\nb.cc"))).touch()
    return name


def judge(chance: random.Random, folder: Path) -> str:
    """Outcome of one case, by the linker script's command and the list of boards. Raises Failed."""
    name = place(chance, folder)
    out = folder / "x.ld"
    roots = ["--boards", str(folder)]
    status = main(["linker-script", f"--board={name}", *roots, "--out", str(out)])
    said = (folder.parent / "said.txt").read_text("utf-8", "replace")
    look_at(said)
    if status not in (0, 2) or (status == 2) != ("error BRD" in said):
        raise Failed(f"status {status}:\n{said}")
    if status == 2:
        if out.exists():
            raise Failed("a refused board has a linker script")
        return said.partition("error ")[2][:6]
    return _accepted(name, folder, out)


def _accepted(name: str, folder: Path, script: Path) -> str:
    """Check an accepted board: the linker takes its script, and all printed text is plain."""
    board = load_board(name, [folder])
    if script.read_text("utf-8") != linker_script(board):
        raise Failed("two scripts of one board differ")
    words = [board.title, board.runtime, *board.defines, *board.memory, board.run.qemu or ""]
    words += [board.flash.target, board.flash.flasher.name] if board.flash else []
    for word in words:
        if not word.isprintable() or word.startswith("-"):
            raise Failed(f"{word!r} is accepted")
    linker = ["arm-none-eabi-ld", "-T", str(script), str(_object()), "-o", str(folder / "elf")]
    done = subprocess.run(linker, capture_output=True, text=True, check=False)
    if done.returncode and "will not fit" not in done.stderr and "overlap" not in done.stderr:
        raise Failed(f"the linker refuses the script: {done.stderr}")
    return "accepted"


@lru_cache(maxsize=1)
def _object() -> Path:
    """Object file with the sections that every firmware has: a handler, vectors, data."""
    path = ROOT / "build" / "fuzz" / "empty.o"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = ".global Reset_Handler\nReset_Handler: nop\n.data\n.word 1\n"
        made = path.with_suffix(f".{os.getpid()}")
        subprocess.run(
            ["arm-none-eabi-as", "-", "-o", str(made)], input=text, text=True, check=True
        )
        made.replace(path)
    return path


if __name__ == "__main__":
    _object()
    sys.exit(command("boards", apart(judge), LIMITS, sys.argv[1:]))
