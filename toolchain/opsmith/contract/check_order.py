"""Rules about the kernels of a variant together: which one a node could get."""

from collections.abc import Iterator, Sequence

from opsmith.op.kernel import Kernel

Found = Iterator[tuple[str, str, str]]  # code, problem, fix


def order_problems(kernels: Sequence[Kernel], *, may_refuse: bool) -> Found:
    """Problems among the kernels of a variant: no reference at the end, kernels never taken,
    ambiguous names.

    The last kernel takes every node, unless nodes may have none: `may_refuse`.
    """
    mixed = len({kernel.runtime for kernel in kernels}) > 1 and kernels[-1].runtime
    if not kernels or mixed or (_may_refuse(kernels[-1]) and not may_refuse):
        what = "the last kernel is not a reference that runs everywhere"
        fix = "end kernels with one that requires nothing and whose plan is annotated `-> Plan`"
        yield (
            "KRN002",
            what,
            fix + ("" if kernels else ", or let decompose= make other ops of every node"),
        )
    for kernel, better in never_taken(kernels):
        what = f"kernel '{kernel.path}' is never taken: '{better.path}' takes whatever it does"
        yield "KRN011", what, "declare cost= of both, or remove it"
    for kernel, _ in confusable(kernels):
        what = f"two kernels of one variant are called '{kernel.name}', and a core may have both"
        yield "KRN019", what, "rename one of them, or let one exclude what the other requires"


def never_taken(kernels: Sequence[Kernel]) -> Iterator[tuple[Kernel, Kernel]]:
    """Kernels of a variant, in order, each with an earlier one that takes every node that it takes.

    Kernels of two backends are not compared, since a user may have only one of both.
    """
    for i, kernel in enumerate(kernels):
        for better in kernels[:i]:
            if better.backend in (None, kernel.backend) and _covers(better, kernel):
                yield kernel, better


def confusable(kernels: Sequence[Kernel]) -> Iterator[tuple[Kernel, Kernel]]:
    """Kernels with the name of an earlier one in a build, each with that one, if no core tells them
    apart, so that `prefer=` and measurements of `tune` could mean either.
    """
    for i, kernel in enumerate(kernels):
        for other in kernels[:i]:
            alike = (kernel.name, kernel.runtime) == (other.name, other.runtime)
            apart = kernel.requires & other.excludes or other.requires & kernel.excludes
            if alike and not apart:
                yield kernel, other


def _may_refuse(kernel: Kernel) -> bool:
    return bool(kernel.requires or kernel.excludes or not kernel.takes_every_node)


def _covers(first: Kernel, second: Kernel) -> bool:
    if first.excludes or (first.cost is not None and second.cost is not None):
        return False  # the second is for other cores, or may cost less
    if first.runtime not in ("", second.runtime) or not second.numerics <= first.numerics:
        return False  # the second is for other runtimes, or knows other rules
    return first.takes_every_node and set(first.requires) <= set(second.requires)
