"""The ways in which a kernel is broken: small edits of its C++, each a mistake that people make.

Comments, strings, preprocessor lines and assertions about types are left alone.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Edit = Callable[[re.Match[str]], str]
_SWAPPED = {"+": "-", "-": "+", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_EXTENT = r"stride|width|height|channels|depth|row|size"
# Operators have spaces around them, which those of templates and of pointers do not.
WAYS: dict[str, tuple[re.Pattern[str], Edit]] = {
    "sign": (re.compile(r"(?<=[\w\])]) [+-] (?=[\w(])"), lambda m: f" {_SWAPPED[m[0].strip()]} "),
    "shift": (re.compile(r"(<<|>>) (\w+|\([^()]*\))"), lambda m: f"{m[1]} ({m[2]} + 1)"),
    "bound": (re.compile(r"(?<=[\w\])]) [<>]=? (?=[\w(-])"),
              lambda m: f" {_SWAPPED[m[0].strip()]} "),
    "stride": (re.compile(rf"\* (\w+(?:\.\w+)*(?:{_EXTENT})\w*)\b(?![.(\[])"),
               lambda m: f"* ({m[1]} + 1)"),
    "dropped tail": (re.compile(r"for \(; [^;]+;"), lambda m: "for (; false;"),
    "scratch off by one": (re.compile(r"\bscratch\.(\w+)\b(?!\()"), lambda m: f"({m[0]} + 1)"),
}  # fmt: skip
_LEFT_ALONE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*|static_assert\(.*?\);|template <[^\n]*',
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Mutant:
    """Edit of one kernel file that makes a mutant."""

    file: str  # relative to the project
    way: str
    start: int  # where the old text begins
    old: str
    new: str
    line: int
    text: str  # of the line, as it was

    def applied(self, text: str) -> str:
        """Text of the file after the edit."""
        return text[: self.start] + self.new + text[self.start + len(self.old) :]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.way}: '{self.old.strip()}' → '{self.new.strip()}'"


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """Mutants of a file's text, ordered by way, then by place in the text."""
    code = _LEFT_ALONE.sub(lambda m: re.sub(r"[^\n]", "\0", m[0]), text)
    for way, (pattern, edit) in WAYS.items():
        for found in pattern.finditer(code):
            line = code.count("\n", 0, found.start()) + 1
            old = text[found.start() : found.end()]
            whole = text.splitlines()[line - 1].strip()
            yield Mutant(file, way, found.start(), old, edit(found), line, whole)
