"""Count of docstrings and words that read badly: `python -m tests.english [--list] [FOLDER...]`.

Counted are docstrings that begin with "What", docstrings that mean nothing without their
neighbour, docstrings that begin with any other pronoun, preposition or question word, words that
style rules out, and names that several classes have.
"""

import argparse
import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ("toolchain", "ops", "runtimes", "boards")
SOURCES = {".py", ".md", ".h", ".cc", ".cl", ".toml"}
GENERATED = {"ops/CATALOGUE.md"}
LEANING = re.compile(
    r"(The same|The others?|Those|These|That|This|They|It|Its|Their|Such|So|Also|And|But|All of"
    r" (it|them)|Likewise)\b"
)
OPENING = re.compile(
    r"(Which|Who|Whose|Where|When|Why|How|Whether|As|Both|Each|All|Any|Some|None|One|If|In|On|At"
    r"|Of|For|From|By|With|Without|To|Into|Under|Over|Between|Behind|After|Before|About|Our)\b(?!:)"
)
RULED_OUT = re.compile(
    r"\b(so many|somebody|whole numbers?|told|so-manieth|wish(es)?)\b", re.IGNORECASE
)
CLASS = re.compile(r"\s*class (\w+)[(:]")
# Names that each op, and each variant of one, gives to what the C++ contract asks of it.
CONTRACT = re.compile(r"\w*(Params|Tables)")


@dataclass(frozen=True)
class Found:
    """One place that is counted."""

    kind: str
    file: str
    line: int
    text: str


def main() -> None:
    """Prints how many there are of each kind; with --list each place first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print each place, too")
    parser.add_argument("folders", nargs="*", default=SHIPPED, metavar="FOLDER")
    given = parser.parse_args()
    files = tracked(given.folders)
    found = [*docstring_places(files), *word_places(files), *class_places(files)]
    if given.list:
        for each in found:
            print(f"{each.file}:{each.line}: {each.kind}: {each.text}")
    by_kind: dict[str, int] = defaultdict(int)
    for each in found:
        by_kind[each.kind] += 1
    print(f"{sum(1 for _ in docstrings(files)):6} docstrings of {', '.join(given.folders)}")
    for kind, count in by_kind.items():
        print(f"{count:6} {kind}")


def tracked(folders: Sequence[str]) -> list[Path]:
    """Files below the given folders that git tracks, without links and generated pages."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / line for line in sorted(listed.stdout.splitlines()) if line not in GENERATED]
    return [path for path in paths if path.is_file() and path.suffix in SOURCES]


def docstring_places(files: list[Path]) -> Iterator[Found]:
    """Docstrings whose first words are those of an answer to a question that nobody reads."""
    for file, line, text in docstrings(files):
        if text.startswith("What "):
            kind = 'docstrings that begin with "What"'
        elif LEANING.match(text):
            kind = "docstrings that mean nothing without their neighbour"
        elif OPENING.match(text):
            kind = "other docstrings that begin with a pronoun, preposition or question word"
        else:
            continue
        yield Found(kind, str(file.relative_to(ROOT)), line, text.partition("\n")[0])


def docstrings(files: list[Path]) -> Iterator[tuple[Path, int, str]]:
    """(file, line, text) of each docstring."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for file in files:
        if file.suffix == ".py":
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, documented) and (text := ast.get_docstring(node)):
                    yield file, node.body[0].lineno, text


def word_places(files: list[Path]) -> Iterator[Found]:
    """Lines with words that style rules out."""
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if RULED_OUT.search(line):
                kind = "words that style rules out"
                yield Found(kind, str(file.relative_to(ROOT)), number, line.strip())


def class_places(files: list[Path]) -> Iterator[Found]:
    """Classes whose name another class has."""
    places: dict[str, list[tuple[Path, int]]] = defaultdict(list)
    for file in files:
        if file.suffix == ".py":
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if (match := CLASS.match(line)) and not CONTRACT.fullmatch(match[1]):
                    places[match[1]].append((file, number))
    for name, (first, *others) in sorted(places.items()):
        if others:
            also = ", ".join(str(file.relative_to(ROOT)) for file, _ in others)
            file, number = first
            text = f"{name}, also in {also}"
            yield Found("names of several classes", str(file.relative_to(ROOT)), number, text)


if __name__ == "__main__":
    main()
