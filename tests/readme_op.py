"""The op that ops/README.md shows how to write, and the commands that it shows."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "ops" / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """Files that ops/README.md shows: each block except commands follows the name of its file."""
    found = {}
    for block in BLOCK.finditer(TEXT):
        if block[1] != "sh":
            before = TEXT[: block.start()].rstrip().rpartition("\n\n")[2]
            names = re.findall(r"`(my_ops/[\w/.]+)`", before)
            assert len(names) == 1, f"which file is this?\n{block[0][:200]}"
            found[names[0]] = block[2]
    return found


def write_files(folder: Path) -> list[Path]:
    """Write the files of ops/README.md below a folder; returns the Python files."""
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [folder / name for name in files() if name.endswith(".py")]


def commands() -> list[str]:
    """Commands that ops/README.md shows, in order: two before the op is written, then the rest."""
    return [
        line
        for block in BLOCK.finditer(TEXT)
        if block[1] == "sh"
        for line in block[2].split("\n")
        if line
    ]
