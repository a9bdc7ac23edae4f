"""OpenCL C after the first steps of preprocessing: logical lines, without comments and splices."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from opsmith.reading import with_newlines

INCLUDES = ("include", "include_next", "import", "__include_macros")
_BLANK = r"[ \t\f\v]*"
_SPLICED = rf"\\{_BLANK}\n"
_SPLICE = re.compile(_SPLICED)
# A literal without an end goes on to the end of its line.
QUOTED = "|".join(rf"{q}(?:{_SPLICED}|\\[^\n]|[^{q}\\\n])*(?:{q}|\\?(?=\n|\Z))" for q in "\"'")
_COMMENT = rf"//(?:{_SPLICED}|[^\n])*|/\*.*?(?:\*/|\Z)"
_TOKEN = re.compile(rf"{_COMMENT}|{QUOTED}|\n", re.DOTALL)
_DIRECTIVE = re.compile(rf"{_BLANK}(?:#|%:){_BLANK}(\w*){_BLANK}(.*)", re.DOTALL)
_CONDITIONS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef")
# A number with a point or an exponent, whose suffix is not f.
_DECIMAL = r"(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+"
_HEXADECIMAL = r"0[xX](?:[\da-fA-F]+(?:\.[\da-fA-F]*)?|\.[\da-fA-F]+)[pP][-+]?\d+"
_DOUBLE = re.compile(
    rf"{_COMMENT}|{QUOTED}|(?<![\w.])({_HEXADECIMAL}|{_DECIMAL})[lL]?"
    r"(?![\w.]|\\[ \t]*\n[\w.])",  # nor does the next line go on with it
    re.DOTALL,
)


@dataclass(frozen=True)
class Line:
    """Logical line: several physical ones where a line ends in a backslash or within a comment."""

    start: int  # in the text
    end: int  # there, before its line feed
    code: str  # a blank for each comment

    @cached_property
    def directive(self) -> tuple[str, str] | None:
        """Name and rest of a preprocessor directive; None for other lines."""
        found = _DIRECTIVE.fullmatch(self.code) if "#" in self.code or "%:" in self.code else None
        return (found[1], found[2].rstrip()) if found else None

    @property
    def condition(self) -> str:
        """Condition of a line that may exclude others; "" for lines without one."""
        name, rest = self.directive or ("", "")
        return rest if name in _CONDITIONS else ""


def as_compilers_read(text: str) -> str:
    """Text with LF at ends of lines, and with trigraphs replaced where they mean anything."""
    return with_newlines(text).replace("??/", "\\").replace("??=", "#")


@lru_cache(maxsize=256)
def lines_of(text: str) -> tuple[Line, ...]:
    """Logical lines of a text, as compilers read it."""
    return tuple(_lines(text))


def _lines(text: str) -> Iterator[Line]:
    splices = [match.span() for match in _SPLICE.finditer(text)][::-1]
    joined = _SPLICE.sub("", text)
    removed = start = begin = 0
    parts: list[str] = []
    for match in (*_TOKEN.finditer(joined), None):
        at, token = (len(joined), "\n") if match is None else (match.start(), match[0])
        parts.append(joined[begin:at])
        begin = at + len(token)
        if token != "\n":
            parts.append(token if token[0] in "\"'" else " ")
            continue
        while splices and splices[-1][0] - removed <= at:
            first, last = splices.pop()
            removed += last - first
        yield Line(start, at + removed, "".join(parts))
        start, parts = at + removed + 1, []


def ends_in_comment(text: str) -> bool:
    """True if text appended to the text would be part of a comment."""
    comments = (each[0] for each in _TOKEN.finditer(_SPLICE.sub("", text)) if each[0][0] == "/")
    return any(each[1] == "*" and not each[2:].endswith("*/") for each in comments)


def in_single_precision(text: str) -> str:
    """Text in which each floating constant ends in f.

    Other constants would be in double precision on devices that have it, else in single.
    """
    return _DOUBLE.sub(lambda found: f"{found[1]}f" if found[1] else found[0], text)
