"""Damages texts and trees of files as strangers might, and says how reading them ended."""

import contextlib
import io
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from opsmith.errors import ToolchainError
from opsmith.guard import coded
from tests.fuzz.trials import Limits
from tests.special import SPECIAL, replace_by

LIMITS = Limits(seconds=10.0, mebibytes=400)  # of 512 a process has some 100 before
NUMBERS = (
    b"0", b"-1", b"1", b"9" * 20, b"9" * 5000, b"0x" + b"f" * 5000, b"1e999", b"nan", b"\xd9\xa3",
)  # fmt: skip
PIECES = (
    b"", b"\0", b"\xff\xfe", b"\x1b[31m", b"\n", b"\r", b"\\\n", b'"', b"'", b"[", b"{", b"(", b"<",
    b"/*", b"*/", b"../", b"/etc/passwd", b"/dev/zero", b"\xe2\x80\xae", b"\xef\xbb\xbf",
    b"$(touch x)", b"%s", b"??/\n", b"#include \"/etc/passwd\"\n", b".incbin \"/etc/passwd\"",
    b"&amp;", b"null", b"true", b"{}",
)  # fmt: skip
_NUMBER = re.compile(rb"\d+")
_WORD = re.compile(rb"\w+")


def damaged(chance: Random, data: bytes, words: Sequence[bytes] = ()) -> bytes:
    """Text with one to four random mistakes; `words` are those of its format."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        data = chance.choice(_WAYS)(chance, data, (*words, *PIECES))
    return data


def _flip(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _number in range(chance.choice((1, 1, 8)) if data else 0):
        changed[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(changed)


def _cut(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    first, last = sorted(chance.choices(range(len(data) + 1), k=2))
    return data[:first] + data[last:] if chance.random() < 0.7 else data[first:last]


def _insert(chance: Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(pieces) + data[at:]


def _number(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replaced(chance, data, _NUMBER, NUMBERS)


def _word(chance: Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    return _replaced(chance, data, _WORD, pieces)


def _swap(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replaced(chance, data, _WORD, _WORD.findall(data) or [b""])


def _lines(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(3):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[other])
        case _:
            lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines)


def _many(chance: Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    """Text with a piece repeated very often, which shows where reading is slower than linear."""
    if chance.random() < 0.5:
        return data
    start = chance.randrange(len(data) + 1)
    piece = chance.choice((chance.choice(pieces), data[start : start + chance.choice((1, 9, 40))]))
    piece += chance.choice((b"", b" ", b"\n"))
    times = chance.choice((100, 5000, 200_000)) // max(len(piece), 1)
    return data[:start] + piece * times + data[start:]


def _replaced(chance: Random, data: bytes, what: re.Pattern[bytes], by: Sequence[bytes]) -> bytes:
    found = [match.span() for match in what.finditer(data[:100_000])]
    first, last = chance.choice(found) if found else (0, 0)
    return data[:first] + chance.choice(by) + data[last:]


_WAYS: tuple[Callable[[Random, bytes, Sequence[bytes]], bytes], ...] = (
    _flip, _cut, _insert, _insert, _number, _word, _word, _swap, _lines, _many,
)  # fmt: skip


def misplace(chance: Random, root: Path, share: float) -> bool:
    """Put something that is no file in the place of one below a folder, in a share of cases."""
    if chance.random() >= share:
        return False
    files = sorted(path for path in root.rglob("*") if path.is_file() or path.is_dir())
    if not files:
        return False
    place, kind = chance.choice(files), chance.choice([*SPECIAL, "link", "unreadable"])
    if kind == "link":
        to, name = chance.choice(files), place.name
        replace_by(place, "dangling")
        place.unlink()
        place.symlink_to(os.path.relpath(to, place.parent) if name else to)
    elif kind == "unreadable":
        place.chmod(0)
    else:
        replace_by(place, kind)
    return True


def outcome(run: Callable[[], object]) -> str:
    """'fine' or the code of the error; whatever would end in BLD099 is raised."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            run()
    except ToolchainError as error:
        return _code(error)
    except (OSError, RuntimeError) as error:
        told = coded(error)
        if told.problems[0].code == "BLD099":
            raise
        return _code(told)
    return "fine"


def _code(error: ToolchainError) -> str:
    """First code of an error, whose text must be complete and plain on a terminal."""
    text = str(error)
    assert text.replace("\n", "").replace("\t", "").isprintable(), ascii(text)
    assert all(problem.what and problem.where and problem.fix for problem in error.problems)
    return error.problems[0].code
