"""Kernels of unary.cl: functions of one tensor, element by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from opsmith.op import Kernel, KernelsFor, Variant, f64
from opsmith.runtimes.gpu.kernel import NO_DEFINES, of_family

X_TO_Y = ("p", "in.x", "out.y")


def each(
    function: str, y: str = "T", others: Mapping[str, str] = NO_DEFINES
) -> Callable[[Variant], Kernel]:
    """Kernel that calls `function`, a macro of unary.cl or of `others`, for each element.

    `y` is the OpenCL type of the elements of y.
    """

    def kernel(variant: Variant) -> Kernel:
        definition = variant.kernels[-1]
        defines = {"F": function, "PARAMS": definition.params.__name__, "Y": y, **others}
        return of_family(definition, "unary.cl", "each", X_TO_Y, defines=defines)

    return kernel


def formula(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel that computes the formula of each element; none of float64, which GPUs may lack."""
    assert variant.kind is not None
    if f64 in variant.types.values():
        return ()
    definition, facts = variant.kernels[-1], variant.kind.facts
    defines = {"FORMULA": facts["FORMULA"]}
    found = of_family(definition, "unary.cl", "formula", X_TO_Y, defines=defines)
    return (replace(found, includes=facts["includes"]),)


def rescaled(variant: Variant) -> Kernel:
    """Kernel that gives integers another quantisation."""
    y = variant.types.get("U", variant.types["T"]).c
    return of_family(variant.kernels[-1], "unary.cl", "rescaled", X_TO_Y, defines={"Y": y})


def clamped(variant: Variant) -> Kernel:
    """Kernel of the same name as the kind: floats within one or two bounds."""
    assert variant.kind is not None
    return of_family(variant.kernels[-1], "unary.cl", variant.kind.name, X_TO_Y)


KERNELS = (
    KernelsFor("formula", (formula,)),
    KernelsFor("rescaled", (rescaled,)),
    KernelsFor("positive", (clamped,)),
    KernelsFor("within", (clamped,)),
)
