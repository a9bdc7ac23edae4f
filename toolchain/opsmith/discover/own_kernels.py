"""Kernels of an op that files of its folder register: found by file, listed nowhere.

A file for a backend that is not in runtimes/ is left out.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from opsmith.board.runtime import MANIFEST, SHIPPED
from opsmith.contract.source_files import imports_missing_backend
from opsmith.errors import ToolchainError, described, shown
from opsmith.ir import DType
from opsmith.modules import bytecode_of, load_beside, load_once
from opsmith.op.describe import EVERY, KernelsFor, Op, Variant
from opsmith.op.kernel import Kernel
from opsmith.reading import UnreadableError, read_text

REGISTERS = re.compile(r"^KERNELS\b", re.MULTILINE)
MOST_BYTES = 4 << 20  # of a file that may register kernels


@dataclass(frozen=True)
class Brought:
    """Kernels that a file brings for one variant."""

    types: Mapping[str, DType]
    kernels: tuple[Kernel, ...]


def with_own_kernels(op: Op, folder: Path, module: ModuleType) -> Op:
    """Op whose variants have the kernels of all files of its folder before those listed in op.py.

    Raises KRN017 where KERNELS of a file has a wrong form, and errors of `load_beside`.
    """
    with bytecode_of(folder):
        for file in registrations(folder):
            place = file.parent.relative_to(folder).as_posix()
            name = ".".join(file.relative_to(folder).with_suffix("").parts)
            try:
                given = vars(load_beside(module, name, file, "OPS002"))["KERNELS"]
            except ToolchainError as error:
                if imports_missing_backend(error.__cause__):
                    continue
                raise
            of = [each for each in op.variants if place in (".", each.folder)]
            op = _with(op, registered(given, str(file), of))
    return op


def with_kinds(op: Op) -> Op:
    """Op whose variants have the kernels that shipped backends bring for variants of their kind,
    before those listed.
    """
    for family, of in families(op).items():
        for file in sorted(SHIPPED.glob(f"*/{family}.py")):
            if (file.parent / MANIFEST).is_file() and registers(file):
                given = vars(load_once(file, "OPS002"))["KERNELS"]
                op = _with(op, registered(given, str(file), of))
    return op


def families(op: Op) -> Mapping[str, Sequence[Variant]]:
    """Variants of an op that families make, by the name of the family."""
    names = dict.fromkeys(each.kind.family for each in op.variants if each.kind is not None)
    return {
        name: [each for each in op.variants if each.kind is not None and each.kind.family == name]
        for name in names
    }


def registered(given: Any, file: str, variants: Sequence[Variant]) -> tuple[Brought, ...]:
    """Kernels in KERNELS of a file, each made for its variant. Raises KRN017 for a wrong form."""
    good = (
        type(given) is tuple
        and given
        and all(
            type(each.kernels) is tuple
            and all(type(kernel) is Kernel or callable(kernel) for kernel in each.kernels)
            if type(each) is KernelsFor
            else type(each) is Kernel or callable(each)
            for each in given
        )
    )
    if not good:
        what = f"KERNELS is {'missing' if given is None else shown(given)}"
        fix = 'write KERNELS = (Kernel(…),) or (KernelsFor({"T": i8}, (Kernel(…),)),)'
        raise ToolchainError.of("KRN017", what, where=file, fix=fix)
    entries = (x if type(x) is KernelsFor else KernelsFor(EVERY, (x,)) for x in given)
    return tuple(made for each in entries for made in _made(each, variants, file))


def _asked(make: Callable[[Variant], Any], variant: Variant, file: str) -> tuple[Kernel, ...]:
    """Kernels that a function of KERNELS makes for a variant. Raises KRN017 where it fails."""
    try:
        made = make(variant)
    except Exception as error:
        what = f"a function of KERNELS fails: {described(error)}"
        fix = "let it return a Kernel for each variant that its entry names"
        raise ToolchainError.of("KRN017", what, where=file, fix=fix) from error
    kernels = made if isinstance(made, tuple) else (made,)
    if not all(type(each) is Kernel for each in kernels):
        what = f"a function of KERNELS returns {shown(made)}"
        raise ToolchainError.of("KRN017", what, where=file, fix="let it return a Kernel")
    return kernels


def _made(given: KernelsFor, variants: Sequence[Variant], file: str) -> Iterator[Brought]:
    """Kernels for each variant to which an entry applies; functions are called for theirs."""
    if given.types == EVERY:
        fitting = list(variants)
    elif isinstance(given.types, str):
        fitting = [each for each in variants if each.kind and each.kind.name == given.types]
    else:
        fitting = [each for each in variants if _is_meant(given.types, each)]
        plain = tuple(each for each in given.kernels if isinstance(each, Kernel))
        if not fitting:
            yield Brought(given.types, plain)  # reported elsewhere
    for variant in fitting:
        made = (
            (each,) if isinstance(each, Kernel) else _asked(each, variant, file)
            for each in given.kernels
        )
        kernels = (replace(kernel, registered=Path(file)) for each in made for kernel in each)
        yield Brought(variant.types, tuple(kernels))


def _is_meant(types: Any, variant: Variant) -> bool:
    """True if a variant has the given element types, of all or some of its type variables."""
    given = isinstance(types, Mapping) and bool(types) == bool(variant.types)
    return given and types.items() <= variant.types.items()


def _with(op: Op, found: Sequence[Brought]) -> Op:
    return replace(op, variants=tuple(_joined(variant, found) for variant in op.variants))


def _joined(variant: Variant, found: Sequence[Brought]) -> Variant:
    here = [kernel for each in found if each.types == variant.types for kernel in each.kernels]
    return replace(variant, kernels=(*here, *variant.kernels)) if here else variant


def registrations(folder: Path) -> Iterator[Path]:
    """Files of an op's folder that register kernels."""
    for file in sorted(folder.rglob("*.py")):
        own = file.name != "op.py" and not file.name.startswith("test_")
        if own and registers(file):
            yield file


def registers(file: Path) -> bool:
    """True if a file exports KERNELS, found without importing it."""
    try:
        return REGISTERS.search(read_text(file, MOST_BYTES)) is not None
    except UnreadableError:
        return False  # the import reports it
