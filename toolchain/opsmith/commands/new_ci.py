"""`new-ci`: write the file by which a CI service, or Docker, builds a project's firmware."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.commands.init import MODEL
from opsmith.errors import ToolchainError, cannot_write
from opsmith.home import PACKAGE, RUNTIMES

TEMPLATES = PACKAGE / "scaffold" / "ci"
# Of each kind: its template, and where in the project it belongs.
PLACES = {
    "github": ("github.yml", ".github/workflows/firmware.yml"),
    "gitlab": ("gitlab.yml", ".gitlab-ci.yml"),
    "docker": ("Dockerfile", "Dockerfile"),
}
MY_BOARD = "my_board"  # as `init` writes it
LISTS = (PACKAGE, *sorted((RUNTIMES / "arch").glob("*")))


def main(arguments: list[str]) -> int:
    """Write the file and print its path; 0. Raises BLD002, and BLD045 where there is one."""
    parser = Parser(prog="opsmith new-ci", description=__doc__)
    parser.add_argument("kind", choices=tuple(PLACES))
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="DIR")
    parser.add_argument("--board", action="append", help="of the matrix; default: init's")
    parser.add_argument("--model", action="append", help="of the matrix; default: init's")
    options = parser.parse_args(arguments)
    template, place = PLACES[options.kind]
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    filled = {
        "boards": json.dumps(options.board or [MY_BOARD]),
        "models": json.dumps(options.model or [MODEL]),
        "packages": " ".join(packages()),
        "wheel": f"dist/opsmith-{version('opsmith')}-py3-none-any.whl",
    }
    for name, content in filled.items():
        text = text.replace(f"@{name}@", content)
    target: Path = options.folder / place
    if os.path.lexists(target):
        fix = "move it away, or name another folder: opsmith new-ci KIND DIR"
        raise ToolchainError.of("BLD045", "there is a file already", where=str(target), fix=fix)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise cannot_write(target, error) from error
    print(target)
    return 0


def packages() -> Iterator[str]:
    """Debian's packages that Opsmith and its architectures need."""
    for folder in LISTS:
        file = folder / "system-packages.txt"
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        for line in lines:
            if "|" in line and not line.startswith("#"):
                yield line.partition("|")[0].strip()
