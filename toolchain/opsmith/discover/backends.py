"""Kernels that backends bring for ops that they do not own: KERNELS of `<backend>/<op>.py`.

A backend is a folder with a runtime.toml: one of runtimes/, which is always included, or one in a
folder that the user names, or that an installed package brings.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.board.emitter import runtime_feature
from opsmith.board.runtime import MANIFEST, SHIPPED, Runtime, family_names, runtime_of
from opsmith.contract.check_functions import function_problems
from opsmith.contract.check_kernels import brought_kernel_problems
from opsmith.contract.check_kinds import kind_problems
from opsmith.contract.check_order import confusable, never_taken
from opsmith.contract.check_values import name_problem
from opsmith.discover.order import in_order
from opsmith.discover.own_kernels import Brought, families, registered, registers
from opsmith.errors import Problem, ToolchainError, described, raise_all
from opsmith.modules import load_module
from opsmith.op.describe import Op, Variant
from opsmith.op.kernel import Kernel
from opsmith.op.wrap import wrapped_kernel

Complaint = tuple[str, str, str]  # code, problem, fix


def backend_folders(roots: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Shipped backends, then those of the given folders, by name. Raises BLD038, OPS078, OPS079."""
    found: dict[str, Path] = {}
    problems: list[Problem] = []
    for root in dict.fromkeys([SHIPPED, *(root.resolve() for root in roots)]):
        folders = [path.parent for path in sorted(root.glob(f"*/{MANIFEST}"))]
        problems += _without_manifest(root, folders) if root != SHIPPED else []
        for folder in folders:
            if found.setdefault(folder.name, folder) != folder:
                what, where = f"two backends are called '{folder.name}'", f"{found[folder.name]}"
                problems.append(
                    Problem("OPS078", what, f"{where} and {folder}", "rename one of them")
                )
            elif problem := name_problem(folder.name):
                problems.append(misnamed(folder, f"backend {problem}"))
            elif root != SHIPPED and (SHIPPED / folder.name).is_dir():
                what = f"runtimes/{folder.name}/ has headers that would be included instead"
                problems.append(misnamed(folder, what))
    raise_all(problems)
    return tuple(found.values())


def _without_manifest(root: Path, backends: Sequence[Path]) -> Iterator[Problem]:
    """Problems of folders in a root with kernels but no backend, and of a root without backends."""
    fix = 'write one: title = "…" and grants = ["…"], the features that its kernels may use'
    without = [
        folder
        for folder in sorted(root.glob("*/"))
        if folder not in backends and registering(folder)
    ]
    for folder in without:
        what = f"brings kernels and has no {MANIFEST}"
        yield Problem("BLD038", what, str(folder), fix)
    if not backends and not without:
        what, where = f"holds no backend: a folder with a {MANIFEST}", str(root)
        yield Problem("BLD038", what, where, "name the folder above those of backends")


def named_backends(roots: Sequence[Path]) -> tuple[Path, ...]:
    """Backends in the given folders, without shipped ones."""
    return tuple(each for each in backend_folders(roots) if each.parent != SHIPPED)


def registering(backend: Path) -> list[Path]:
    """Files of a folder that export KERNELS, found without importing any."""
    return list(filter(registers, sorted(backend.glob("*.py"))))


def brings(backend: Path, op: str) -> bool:
    """True if a backend has a file for an op."""
    return os.path.lexists(backend / f"{op}.py")


def may_bring(backend: Path, op: str) -> bool:
    """True if a backend has a file for an op, or for families, to which the op may belong."""
    return brings(backend, op) or brings_for_families(backend)


def brings_for_families(backend: Path) -> bool:
    """True if a backend has kernels for families, to which any op may belong."""
    of_families = (backend / f"{name}.py" for name in family_names() if brings(backend, name))
    return any(map(registers, of_families))


def with_backends(op: Op, backends: Sequence[Path], *, known: bool = False) -> Op:
    """Op whose variants have the kernels of backends in addition to its own.

    Kernels are in the order of order.py. Raises OPS0xx, KRN0xx; for an op that is `known` to be
    valid, nothing is checked again.
    """
    op = _with_runtimes(op, backends)
    brought: list[Brought] = []
    problems: list[Problem] = []
    for backend in backends:
        for name, of in _brought_for(op, backend).items():
            try:
                brought += _load(op, backend, name, of, known=known)
            except ToolchainError as error:
                problems.extend(error.problems)
    raise_all(problems)
    variants = tuple(_joined(variant, brought) for variant in op.variants)
    whole = in_order(replace(op, variants=variants), backends)
    for rule in (_rivals, _never_taken) if brought else ():
        raise_all(problem for variant in whole.variants for problem in rule(op, variant))
    return whole


def _brought_for(op: Op, backend: Path) -> Mapping[str, Sequence[Variant]]:
    """Variants for which each file of a backend is meant, by the name of the op or of a family.

    Families of shipped backends are part of the op already.
    """
    own = {op.name: op.variants} if brings(backend, op.name) else {}
    if backend.parent == SHIPPED:
        return own
    found = families(op).items()
    return own | {name: of for name, of in found if registers(backend / f"{name}.py")}


def _with_runtimes(op: Op, backends: Sequence[Path]) -> Op:
    """Op whose kernels for a runtime require its feature, and know its emitter, if given."""
    kernels = [kernel for variant in op.variants for kernel in variant.kernels]
    named = {kernel.runtime for kernel in kernels if kernel.runtime}
    if not named:
        return op
    folders = [folder for folder in backends if folder.name in named]
    emitters = {each.name: runtime_of(each).emitter for each in folders}

    def resolved(kernel: Kernel) -> Kernel:
        if not kernel.runtime:
            return kernel
        requires = {*kernel.requires, runtime_feature(kernel.runtime)}
        return replace(kernel, requires=requires, emitter=emitters.get(kernel.runtime))

    variants = (replace(v, kernels=tuple(map(resolved, v.kernels))) for v in op.variants)
    return replace(op, variants=tuple(variants))


def _joined(variant: Variant, brought: Sequence[Brought]) -> Variant:
    here = [kernel for each in brought if each.types == variant.types for kernel in each.kernels]
    return replace(variant, kernels=(*variant.kernels[:-1], *here, *variant.kernels[-1:]))


def _load(
    op: Op, backend: Path, name: str, variants: Sequence[Variant], *, known: bool
) -> tuple[Brought, ...]:
    """Kernels in a backend's file for given variants, checked and with wrapped functions."""
    file = backend / f"{name}.py"
    given = vars(load_module(file, "OPS002")).get("KERNELS")
    brought = registered(given, str(file), variants)
    if not known:  # so that later checks do not see these
        raise_all(_violations(kind_problems, op, brought, str(file)))
    runtime = runtime_of(backend)
    found = tuple(_placed(each, f"{backend.name}/{name}.h", runtime) for each in brought)
    if not known:
        raise_all(_problems(op, found, backend, str(file)))
    return tuple(
        replace(each, kernels=tuple(wrapped_kernel(kernel, op, file) for kernel in each.kernels))
        for each in found
    )


def _placed(given: Brought, header: str, runtime: Runtime) -> Brought:
    """Kernels of `given` with their backend, place of their C++, and emitter of their calls."""
    name, emitter = runtime.name, runtime.emitter
    own = {emitter.feature} if emitter else set()
    return replace(
        given,
        kernels=tuple(
            replace(
                kernel,
                backend=runtime.folder,
                emitter=emitter,
                requires={*kernel.requires, *own},
                header=kernel.header or header,
                sources=tuple(f"{name}/{source}" for source in kernel.sources),
            )
            for kernel in given.kernels
        ),
    )


def _problems(op: Op, found: Sequence[Brought], backend: Path, file: str) -> Iterator[Problem]:
    fix = "add function= and arguments=: the C++ function that all ops of the family call"

    def rules(alone: Op) -> Iterator[Complaint]:
        yield from function_problems(alone)
        yield from brought_kernel_problems(alone, backend.parent)

    violations = list(_violations(rules, op, found, file))
    if Path(file).stem != op.name:
        violations += [
            Problem("KRN007", f"kernel '{kernel.name}' of a family says no function=", file, fix)
            for each in found
            for kernel in each.kernels
            if not kernel.function
        ]
    yield from violations or [*_unknown_variants(op, found, file), *_clashes(op, backend)]


def _violations(
    rules: Callable[[Op], Iterator[Complaint]], op: Op, found: Sequence[Brought], file: str
) -> list[Problem]:
    """Problems that `rules` find in an op that has only the kernels of the backend."""
    alone = replace(op, variants=tuple(Variant(each.types, each.kernels) for each in found))
    try:
        violations = list(rules(alone))
    except Exception as error:
        what = f"a value of KERNELS cannot be read: {described(error)}"
        fix = "register plain values: texts, numbers, tuples and functions"
        violations = [("KRN017", what, fix)]
    return [Problem(code, what, file, fix) for code, what, fix in violations]


def _unknown_variants(op: Op, found: Sequence[Brought], file: str) -> Iterator[Problem]:
    known = [dict(variant.types) for variant in op.variants]
    for each in found:
        if dict(each.types) not in known:
            what = f"brings kernels for {_shown(each.types)}, and '{op.name}' has no such variant"
            fix = f"one of: {'; '.join(map(_shown, known))}"
            yield Problem("KRN018", what, file, fix)


def _shown(types: Any) -> str:
    return ", ".join(f"{name}={dtype}" for name, dtype in types.items()) or "no type variables"


def _clashes(op: Op, backend: Path) -> Iterator[Problem]:
    """Problems of a backend's namespace in the op's, which also has kernels and folders."""
    taken = {kernel.name for variant in op.variants for kernel in variant.kernels}
    taken |= {variant.folder.partition("/")[0] for variant in op.variants}
    if backend.name in taken:
        yield misnamed(backend, f"op '{op.name}' has a kernel or a folder '{backend.name}'")


def misnamed(backend: Path, what: str) -> Problem:
    """Problem OPS079: the reason why a backend cannot have its name."""
    fix = "rename the folder: its name is a namespace within those of ops, and a path of `#include`"
    return Problem("OPS079", what, str(backend), fix)


def _never_taken(op: Op, variant: Variant) -> Iterator[Problem]:
    """Problems of kernels of backends to which an earlier kernel is always preferred."""
    for kernel, better in never_taken(variant.kernels):
        if kernel.backend is not None:
            what = f"kernel '{kernel.name}' is never taken: '{better.path}' takes whatever it does"
            where, fix = _owner(op, kernel.backend), "declare cost= of both, or remove it"
            yield Problem("KRN011", what, where, fix)


def _rivals(op: Op, variant: Variant) -> Iterator[Problem]:
    """Problems of kernels of one name for a variant: of two folders, or of one for equal cores."""
    for kernel, earlier in confusable(variant.kernels):
        if kernel.backend is not None and kernel.backend == earlier.backend:
            what = f"kernel '{kernel.name}' of '{op.name}' is brought twice for the same cores"
            fix = "remove one, rename it, or let it exclude what the other requires"
            yield Problem("KRN019", what, _owner(op, kernel.backend), fix)
    owners: dict[str, Path | None] = {}
    for kernel in variant.kernels:
        other = owners.setdefault(kernel.name, kernel.backend)
        if other != kernel.backend:
            first, second = (_owner(op, each) for each in (kernel.backend, other))
            what = f"kernel '{kernel.name}' of '{op.name}' is brought by two folders"
            yield Problem("KRN019", what, f"{second} and {first}", "rename one of them")


def _owner(op: Op, backend: Path | None) -> str:
    return f"{op.name}/op.py" if backend is None else str(backend / f"{op.name}.py")
