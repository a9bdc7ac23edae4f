"""Errors that a user can cause: a stable code, what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

_LONGEST = 4000  # characters of a part of a message; what is longer is cut
_MOST_PLACES = 8  # that a problem lists
_SPACE = "free space, or build where there is some"
_OS_FIXES = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: "raise the limit of a file's size (ulimit -f), or build elsewhere",
    errno.EROFS: "build in a folder that can be written",
    errno.EACCES: "correct its permissions, or build in a folder of your own",
    errno.EPERM: "correct its permissions, or build in a folder of your own",
    errno.ENOENT: "put it back; if something else removed it meanwhile, run the command again",
    errno.ENOTDIR: "correct the path: a part of it is a file",
    errno.EISDIR: "correct the path: it is a folder",
    errno.EEXIST: "remove it, or name another place",
    errno.ENOTEMPTY: "remove what is in it, or name another place",
    errno.ELOOP: "correct the symbolic link, which leads to itself",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "close programs: this machine has no more open files",
    errno.ENXIO: "put a regular file there: a pipe, a socket or a device is none",
    errno.EIO: "check the disk or the cable: the machine could not read or write it",
    errno.ENOMEM: "give the machine more memory",
    errno.EAGAIN: "raise the limit of processes (ulimit -u), or run fewer at once",
}


class Stopped(KeyboardInterrupt):
    """Raised when a user stops the command: by Ctrl-C, or a signal that asks a process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number  # number of the signal


@dataclass(frozen=True)
class Problem:
    """A mistake, for whoever can fix it: code, place, what is wrong and what would be right."""

    code: str  # 'MDL001': OPS ops, MDL models, BRD boards, KRN kernels, BLD builds, RIG rigs
    what: str  # the mistake: "unknown key 'cor'"
    where: str  # place of the mistake: 'boards/x/board.toml'
    fix: str  # remedy: "write 'core'"

    def __str__(self) -> str:
        """The problem in three lines that no name of a file, op or board can forge or colour."""
        what, where, fix = escaped(self.what), escaped(self.where, "\n"), escaped(self.fix)
        return f"error {self.code}: {what}\n  where: {where}\n  fix:   {fix}"


class ToolchainError(Exception):
    """Problems of one kind, all reported at once. Commands print them and exit with status 2."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[ToolchainError], tuple[object, ...]]:
        """Class and problems from which pickle makes the error again."""
        return type(self), self.problems

    @classmethod
    def of(cls, code: str, what: str, *, where: str, fix: str) -> ToolchainError:
        """Error with a single problem, made of its parts."""
        return cls(Problem(code, what, where, fix))


def raise_all(problems: Iterable[Problem]) -> None:
    """Raise one ToolchainError with all problems, each once; do nothing when there are none."""
    found = tuple(dict.fromkeys(problems))
    if found:
        raise ToolchainError(*found)


def together(problems: Iterable[Problem], start: str = "") -> Iterator[Problem]:
    """Problems with equal words joined into one each, whose place is `start`, the first 8 places
    and a count of the others.
    """
    places: dict[Problem, list[str]] = {}
    for each in problems:
        places.setdefault(replace(each, where=""), []).append(each.where)
    for problem, found in places.items():
        yield replace(problem, where=f"{start}{listed(found)}")


def listed(places: Iterable[str]) -> str:
    """First 8 of the places, each once, and a count of the others."""
    found = list(dict.fromkeys(places))
    more = f" and {len(found) - _MOST_PLACES} more" if len(found) > _MOST_PLACES else ""
    return f"{', '.join(found[:_MOST_PLACES])}{more}"


def system_fix(error: OSError) -> str:
    """Fix for an error of the operating system; "" if none is known."""
    return _OS_FIXES.get(error.errno or 0, "")


def cannot_write(where: object, error: OSError, what: str = "cannot write") -> ToolchainError:
    """Error BLD002 for a file or folder that cannot be written."""
    fix = system_fix(error) or "free space, or correct permissions"
    if error.errno in (errno.ENOENT, errno.ENOTDIR):  # a parent folder is missing or is a file
        fix = "name another folder"
    return ToolchainError.of("BLD002", f"{what}: {error.strerror}", where=str(where), fix=fix)


def printable(text: str) -> str:
    """Text from a model on one line of a message. What would move the cursor becomes ?."""
    return "".join(c if c.isprintable() else "?" for c in text)


def escaped(text: str, more: str = "") -> str:
    """Text for a message: unprintable characters, and those in `more`, as Python's escapes.

    Line ends are kept, but no line can look like the beginning of another error.
    """
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}… ({len(text)} characters)"
    shown = (
        c if (c.isprintable() or c in "\n\t") and c not in more else ascii(c)[1:-1] for c in text
    )
    return "".join(shown).replace("\nerror ", "\n  error ")


def described(error: BaseException) -> str:
    """Text of an exception for messages: `Kind: text`."""
    text, kind = str(error), type(error).__name__
    return f"{kind}: {text}" if text else kind


def shown(value: object, most: int = 80) -> str:
    """A value for a message as Python writes it, cut after `most` characters."""
    try:
        text = repr(value)
    except ValueError:  # an integer beyond the limit of digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[:most]}…"


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Hint " (did you mean 'core'?)" for the choice nearest to a word, never the word itself, or ""
    when none is near.
    """
    if len(word) > 200:  # comparison takes quadratic time
        return ""
    named = {choice.lower(): choice for choice in sorted(choices) if choice != word}
    near = difflib.get_close_matches(word.lower(), named, n=1, cutoff=0.6)
    return f" (did you mean '{printable(named[near[0]])}'?)" if near else ""
