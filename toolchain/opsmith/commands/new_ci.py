"""`new-ci`: writes the file by which a CI service, or Docker, builds a project's firmware.

A service runs `opsmith matrix`, whose file is written, too, unless the project has one.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.commands.init import MODEL
from opsmith.errors import ToolchainError, cannot_write
from opsmith.home import PACKAGE, RUNTIMES

TEMPLATES = PACKAGE / "scaffold" / "ci"
# For each kind: its template, and its path in the project.
PLACES = {
    "github": ("github.yml", ".github/workflows/firmware.yml"),
    "gitlab": ("gitlab.yml", ".gitlab-ci.yml"),
    "docker": ("Dockerfile", "Dockerfile"),
}
MATRIX = "matrix.toml"
MY_BOARD = "my_board"  # as written by `init`
LISTS = (PACKAGE, *sorted((RUNTIMES / "arch").glob("*")))


def main(arguments: list[str]) -> int:
    """Write the files and print their paths; returns 0. Raises BLD002, BLD045 if one exists."""
    parser = Parser(prog="opsmith new-ci", description=__doc__)
    parser.add_argument("kind", choices=tuple(PLACES))
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="DIR")
    parser.add_argument("--board", action="append", help="of the matrix; default: init's")
    parser.add_argument("--model", action="append", help="of the matrix; default: init's")
    options = parser.parse_args(arguments)
    folder: Path = options.folder
    template, place = PLACES[options.kind]
    templates = {folder / place: template}
    asked = options.board or options.model
    if options.kind != "docker" and (asked or not os.path.lexists(folder / MATRIX)):
        templates[folder / MATRIX] = MATRIX
    for target in filter(os.path.lexists, templates):
        fix = "move it away, or name another folder: opsmith new-ci KIND DIR"
        raise ToolchainError.of("BLD045", "there is a file already", where=str(target), fix=fix)
    filled = {
        "boards": json.dumps(options.board or [MY_BOARD], ensure_ascii=False),
        "models": json.dumps(options.model or [MODEL], ensure_ascii=False),
        "packages": " ".join(packages()),
        "wheel": f"dist/opsmith-{version('opsmith')}-py3-none-any.whl",
    }
    for target, template in templates.items():
        _write(target, (TEMPLATES / template).read_text(encoding="utf-8"), filled)
        print(target)
    return 0


def _write(target: Path, text: str, filled: Mapping[str, str]) -> None:
    """Write a new file of a text with placeholders replaced. Raises BLD002."""
    placeholder = re.compile(f"@({'|'.join(filled)})@")
    text = placeholder.sub(lambda found: filled[found[1]], text)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise cannot_write(target, error) from error


def packages() -> Iterator[str]:
    """Debian packages that Opsmith and its architectures need."""
    for folder in LISTS:
        file = folder / "system-packages.txt"
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        for line in lines:
            if "|" in line and not line.startswith("#"):
                yield line.partition("|")[0].strip()
