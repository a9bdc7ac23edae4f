"""Compiles the programs of several ops for this machine as one executable.

Starting compilers and the linker, and reading headers, takes as long as the kernels of most ops.
"""

import hashlib
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar, Protocol, TypeVar

from opsmith.errors import ToolchainError
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.testing.changed_ops import literal
from opsmith.testing.failures import cause, hides
from opsmith.testing.host_firmware import HostFirmware, build_hosts
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import Oracle
from opsmith.testing.op_cases import OUT, Compiled, check_on_host, programs_on_host
from opsmith.testing.op_walks import check_walks, programs_of_walks
from opsmith.testing.overlap_cases import check_overlaps
from opsmith.testing.traced_firmware import build_traced
from opsmith.tflite.cases import Case

__tracebackhide__ = hides

Made = TypeVar("Made")
Pairs = list[tuple[Program, OpIndex]]


class ProvedPrograms(Protocol):
    """Interface of an op's test class that check_kernels uses."""

    folder: ClassVar[Path]
    cases: ClassVar[Sequence[Case]]
    kernel_oracle: ClassVar[Oracle]
    conan: ClassVar[str]


def check_kernels(own: type[ProvedPrograms], others: Sequence[type[ProvedPrograms]]) -> None:
    """Fail unless the kernels of `own` equal the oracle. Programs of all classes are compiled
    together, or those of `own` alone if that fails, since others may be the cause.
    """
    made = _compiled(_together(own, others)).get(own)
    opts, oracle, conan = ("balanced", "size"), own.kernel_oracle, own.conan
    check_on_host(own.folder, own.cases, opts, oracle, conan=conan, made=made)


def check_kernels_walk(own: type[ProvedPrograms], others: Sequence[type[ProvedPrograms]]) -> None:
    """Fail where a kernel of `own`, with its output over an input, reads a byte that it has
    overwritten; programs of all classes are compiled together where possible.
    """
    made = _traced(_together(own, others)).get(own)
    if made is None:
        check_walks(own.folder, own.cases, own.conan)
    else:
        check_overlaps(made)


def _together(
    own: type[ProvedPrograms], others: Sequence[type[ProvedPrograms]]
) -> tuple[type[ProvedPrograms], ...]:
    """Test classes that are compiled together, one per op, since programs are named after ops; ()
    unless `own` is one of several.
    """
    of_op = {each.folder: each for each in reversed(others) if not each.conan}
    found = tuple(reversed(of_op.values()))
    return found if own in found and len(found) > 1 else ()


@cache
def _compiled(owns: Sequence[type[ProvedPrograms]]) -> Mapping[type[ProvedPrograms], Compiled]:
    """Programs of each class, ready to run; without classes that cannot be compiled together."""
    programs = _prepared(owns, lambda own: programs_on_host(own.folder, own.cases))

    def build(pairs: Pairs) -> list[HostFirmware]:
        ops = literal(shipped_ops())
        return build_hosts(pairs, ops, _folder(owns) / "kernels", sanitize=True, guarded=True)

    pairs = {own: [(p.program, p.ops) for p in of_own] for own, of_own in programs.items()}
    return {
        own: [*zip(programs[own], made, strict=True)] for own, made in _built(pairs, build).items()
    }


@cache
def _traced(
    owns: Sequence[type[ProvedPrograms]],
) -> Mapping[type[ProvedPrograms], Sequence[HostFirmware]]:
    """Programs of each class in which outputs lie over inputs."""
    programs = _prepared(owns, lambda own: programs_of_walks(own.folder, own.cases))
    return _built(programs, lambda pairs: build_traced(pairs, _folder(owns) / "walks"))


def _folder(owns: Sequence[type[ProvedPrograms]]) -> Path:
    """Folder for programs of several classes, one for each process of pytest-xdist."""
    names = hashlib.sha256(" ".join(map(str, owns)).encode()).hexdigest()[:8]
    return OUT / "together" / os.environ.get("PYTEST_XDIST_WORKER", "alone") / names


def _prepared(
    owns: Sequence[type[ProvedPrograms]], prepare: Callable[[type[ProvedPrograms]], Made]
) -> dict[type[ProvedPrograms], Made]:
    """Results of `prepare` for classes that can be prepared; others fail in their own tests."""
    found = {}
    for own in owns:
        try:
            found[own] = prepare(own)
        except Exception as error:
            warnings.warn(f"{own.folder.name} stays alone: {error}", stacklevel=2)
    return found


def _built(
    programs: Mapping[type[ProvedPrograms], Pairs], build: Callable[[Pairs], list[HostFirmware]]
) -> dict[type[ProvedPrograms], list[HostFirmware]]:
    """Firmware that `build` makes of all programs, by class; empty if it fails."""
    every = [pair for of_own in programs.values() for pair in of_own]
    try:
        made = iter(build(every) if every else ())
    except (AssertionError, ToolchainError) as error:
        warnings.warn(f"no executable of several ops: {cause(error)}", stacklevel=2)
        return {}
    return {own: [next(made) for _ in of_own] for own, of_own in programs.items()}
