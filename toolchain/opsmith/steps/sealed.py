"""Programs of a step as data: the commands, and facts by which to decide whether they must run."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path


class Unsigned(str):
    """An argument that does not affect products, such as the path of the checkout."""


@dataclass(frozen=True)
class Sealed:
    """Programs that run one after the other in the root of the checkout, with the facts that decide
    whether they must run.
    """

    commands: Sequence[Sequence[str]]
    says: str
    fresh: str = ""  # message if there is nothing to do
    rules: Path | None = None  # file in which the compiler lists what it read
    listing: Path | None = None  # product that lists further products, in the format of sha256sum
    reusable: bool = True  # False: it runs each time, for its effects besides products

    @cached_property
    def signature(self) -> str:
        """Arguments that decide what is made, as text."""
        signed = [
            [word for word in command if not isinstance(word, Unsigned)]
            for command in self.commands
        ]
        return json.dumps(signed)


@dataclass(frozen=True)
class Declared:
    """A step, and the files and values on which SCons found that it depends."""

    work: Sealed
    products: Sequence[str]
    values: Sequence[str]
    files: Sequence[str]
    built: Sequence[str]  # files that are made by something

    @cached_property
    def name(self) -> str:
        """Name of the step for ninja, which does not depend on other steps."""
        return sha256(os.fsencode(self.products[0])).hexdigest()[:12]

    @property
    def compiles(self) -> bool:
        """True if the step's products depend on headers that its source includes."""
        return self.work.rules is not None


def listed(file: Path | None) -> list[Path]:
    """Files beside a list in sha256sum's format that it names; none where the list is missing."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file else []
    except FileNotFoundError:
        return []
    return [file.parent / line.partition("  ")[2].replace("\0", "") for line in lines if file]
