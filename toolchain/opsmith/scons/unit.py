"""A translation unit of a build."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Unit:
    """A translation unit: source and command for editors, and its object."""

    source: Path
    command: Sequence[str]
    object: Any
    calls: Sequence[Any] = ()  # file of the frames and calls of its functions
