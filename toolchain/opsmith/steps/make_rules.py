"""Rules of make, in which the compiler writes the files that it read."""

import re
from pathlib import Path


def prerequisites(rules: str) -> list[Path]:
    """Files on the right-hand sides of make rules, without duplicates, in order."""
    joined = rules.replace("\\\n", " ")
    found: dict[Path, None] = {}
    for line in joined.splitlines():
        for word in re.findall(r"(?:\\.|\S)+", line.partition(": ")[2]):
            found[Path(re.sub(r"\\(.)", r"\1", word).replace("$$", "$"))] = None
    return list(found)


def read_rules(file: Path) -> list[Path]:
    """Files on the right-hand sides of the make rules in a file, without duplicates, in order; none
    where the file is missing.
    """
    try:
        return prerequisites(file.read_bytes().decode("utf-8", "surrogateescape"))
    except FileNotFoundError:
        return []
