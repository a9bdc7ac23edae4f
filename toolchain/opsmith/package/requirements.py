"""Requirements of ops on Conan packages, as one list."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.op.describe import Op
from opsmith.package.installed import read_facts

Wanted = Mapping[str, tuple[str, ...]]  # reference -> ops that require it


def wanted(ops: Iterable[Op]) -> Wanted:
    """References that ops require, sorted, each with the names of the ops that require it."""
    found: dict[str, list[str]] = {}
    for op in ops:
        for reference in op.requires:
            found.setdefault(reference, []).append(op.name)
    return {reference: tuple(sorted(found[reference])) for reference in sorted(found)}


def references(required: Wanted) -> list[str]:
    """References to packages, one each, that satisfy all requirements. Raises BLD087."""
    by_name: dict[str, list[str]] = {}
    for reference in required:
        by_name.setdefault(reference.partition("/")[0], []).append(reference)
    raise_all(problem for each in by_name.values() for problem in _conflicts(each, required))
    return [_joined(each) for each in by_name.values()]


def unavailable(required: Wanted) -> Iterator[Problem]:
    """Problems BLD086 of a build in which no option says where packages come from."""
    for reference, names in required.items():
        what = f"requires {reference}, and nothing says where packages come from"
        fix = "add conan=DIR, an index of Conan recipes, or the address of a remote"
        yield Problem("BLD086", what, " and ".join(f"op {name}" for name in names), fix)


def shown_packages(facts: Path | None, ops: Sequence[Op]) -> list[dict[str, Any]]:
    """Facts for reports about the packages that were installed for the ops, from the file `facts`.
    Raises BLD086 where it is None, and an op requires packages.
    """
    if facts is None:
        raise_all(unavailable(wanted(ops)))
        return []
    shown = ("name", "version", "revision", "package_id", "package_revision", "license")
    return [{key: each[key] for key in shown} for each in read_facts(facts)]


def _conflicts(same: list[str], required: Wanted) -> Iterator[Problem]:
    """Problems of requirements on one package that no version meets, or that cannot be joined."""
    fixed = [each for each in same if not _is_range(each)]
    apart = [each for each in same if "|" in each or "," in each or "@" in each]
    if len(fixed) > 1 or (apart and len(same) > 1):
        asks = "; ".join(f"op {' and '.join(required[each])} requires {each}" for each in same)
        what = "ops of the model require different versions of one package"
        yield Problem("BLD087", what, asks, "let them require one version, or ranges that overlap")


def _joined(same: list[str]) -> str:
    """Conditions on one package as one reference: a range, if there are several."""
    if len(same) == 1:
        return same[0]
    name = same[0].partition("/")[0]
    texts = (each.partition("/")[2] for each in same)
    return f"{name}/[{' '.join(t[1:-1] if t.startswith('[') else f'={t}' for t in texts)}]"


def _is_range(reference: str) -> bool:
    return reference.partition("/")[2].startswith("[")


def refused(what: str, where: str, fix: str) -> ToolchainError:
    """Error BLD087 about packages that cannot be part of firmware."""
    return ToolchainError.of("BLD087", what, where=where, fix=fix)
