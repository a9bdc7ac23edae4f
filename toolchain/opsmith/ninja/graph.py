"""Steps of a build, divided between ninja and SCons."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from opsmith.errors import Problem, raise_all
from opsmith.steps.sealed import Declared

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|import)[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


def check_makers(steps: Sequence[Declared]) -> None:
    """Raise BLD101 where a step depends on a file that a builder of the SConstruct makes."""
    made = {product for step in steps for product in step.products}
    others = sorted({file for step in steps for file in step.built} - made)
    fix = "leave ninja=1 out"
    what = "a builder of the SConstruct's makes it, which ninja cannot run"
    raise_all(Problem("BLD101", what, other, fix) for other in others)


def for_scons(steps: Sequence[Declared]) -> list[Declared]:
    """Steps on which compiling steps depend, directly or not: if a product of one changes, sources
    may include other headers, which only SCons finds out.
    """
    makers = {product: step for step in steps for product in step.products}
    waiting = [step for step in steps if step.compiles]
    found: dict[str, Declared] = {}
    while waiting:
        needed = [makers[file] for file in waiting.pop().files if file in makers]
        new = {step.name: step for step in needed if step.name not in found}
        found |= new
        waiting += new.values()
    return list(found.values())


def scanned(steps: Iterable[Declared], known: Collection[str]) -> dict[str, list[str]]:
    """Sources and headers of steps that compile, without those in `known`, each with the folders in
    which headers are looked up.
    """
    found: dict[str, list[str]] = {}
    for step in steps:
        if step.compiles:
            words = (word for command in step.work.commands for word in command)
            folders = [word[2:] for word in words if word.startswith("-I")]
            for file in step.files:
                if file not in known:
                    found[file] = list(dict.fromkeys([*found.get(file, []), *folders]))
    return found


def absent_headers(sources: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Paths at which sources would find the headers that they include, if a file were created."""
    for file, folders in sources:
        try:
            with open(file, "rb") as stream:
                names = {os.fsdecode(name) for name in _INCLUDE.findall(stream.read())}
        except FileNotFoundError:
            continue
        for folder in (os.path.dirname(file), *folders):
            paths = (os.path.normpath(os.path.join(folder, name)) for name in names)
            yield from (path for path in paths if not os.path.lexists(path))
