"""Counts of what happened, and how a stress ends: with a table, or with the first failure."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

CODED = re.compile(r"^error [A-Z]{3}\d{3}: .+\n  where: .+\n  fix:   .+", re.MULTILINE)


class Failure(AssertionError):
    """Raised where something happened that must not."""

    def __init__(self, what: str, seed: object, kept: Path, text: str = "") -> None:
        super().__init__(f"{what}\n  seed: {seed}\n  kept: {kept}\n{text}")


@dataclass
class Tally:
    """How often each outcome of each kind was seen."""

    title: str
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, kind: str, outcome: str) -> None:
        """Count one more outcome of a kind."""
        self.counts.setdefault(kind, Counter())[outcome] += 1

    @property
    def total(self) -> int:
        """Number of outcomes counted."""
        return sum(count.total() for count in self.counts.values())

    def __str__(self) -> str:
        outcomes = sorted({outcome for count in self.counts.values() for outcome in count})
        width = max(map(len, [self.title, *self.counts]))
        lines = ["  ".join([f"{self.title:{width}}", *outcomes])]
        for kind, count in self.counts.items():
            cells = [f"{count[outcome]:{len(outcome)}}" for outcome in outcomes]
            lines.append("  ".join([f"{kind:{width}}", *cells]))
        return "\n".join([*lines, f"{self.total} in all"])


def refusal(status: int, text: str) -> str:
    """Complaint about how a build refused; empty where there is one coded error and status 2."""
    if "Traceback" in text:
        return "a traceback"
    if status != 2:
        return f"exit status {status}"
    return "" if CODED.search(text) else "no coded error"
