"""Every error a user can cause: a stable code, what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, told to the person who can fix it."""

    code: str  # 'MDL001': OPS ops, MDL models, BRD boards, KRN kernels, BLD builds, RIG rigs
    what: str  # "unknown key 'cor'"
    where: str  # 'boards/x/board.toml'
    fix: str  # "write 'core'"

    def __str__(self) -> str:
        return f"error {self.code}: {self.what}\n  where: {self.where}\n  fix:   {self.fix}"


class ToolchainError(Exception):
    """One or more problems of one kind, all of them at once. Commands print it and exit 2."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems

    @classmethod
    def of(cls, code: str, what: str, *, where: str, fix: str) -> ToolchainError:
        """The error that holds this one problem."""
        return cls(Problem(code, what, where, fix))


def raise_all(problems: Iterable[Problem]) -> None:
    """Raise one ToolchainError with all problems; do nothing when there are none."""
    found = tuple(problems)
    if found:
        raise ToolchainError(*found)


def printable(text: str) -> str:
    """Text of a model on one line of a message: what would move the cursor becomes ?."""
    return "".join(c if c.isprintable() else "?" for c in text)


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """ " (did you mean 'core'?)" for the nearest of choices, or "" when none is near."""
    near = difflib.get_close_matches(word, sorted(choices), n=1, cutoff=0.6)
    return f" (did you mean '{printable(near[0])}'?)" if near else ""
