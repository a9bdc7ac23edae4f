"""Kernels of unary.cl: functions of one tensor, element by element."""

from opsmith.op import *
from runtimes.gpu.kernel import NO_DEFINES, of_affine, of_reference

X_TO_Y = ("p", "in.x", "out.y")


def each(
    function: str, y: str = "T", others: Mapping[str, str] = NO_DEFINES
) -> Callable[[Variant], Kernel]:
    """Maker of a kernel that calls `function`, a macro of unary.cl or of `others`, for each
    element.

    `y` is the OpenCL type of the elements of y.
    """

    def kernel(variant: Variant) -> Kernel:
        params = variant.kernels[-1].params.__name__
        defines = {"F": function, "PARAMS": params, "Y": y, **others}
        made = of_reference(file="unary.cl", function="each", arguments=X_TO_Y, defines=defines)
        return made(variant)

    return kernel


def formula(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel that computes a formula of each element; none for float64, which GPUs may lack."""
    assert variant.kind is not None
    if f64 in variant.types.values():
        return ()
    facts = variant.kind.facts
    fields = {"defines": {"FORMULA": facts["FORMULA"]}, "includes": facts["includes"]}
    return (of_reference(file="unary.cl", arguments=X_TO_Y, **fields)(variant),)


def rescaled(variant: Variant) -> Kernel:
    """Kernel that converts integers to another quantisation."""
    y = variant.types.get("U", variant.types["T"]).c
    return of_reference(file="unary.cl", arguments=X_TO_Y, defines={"Y": y})(variant)


def affine(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel that converts bytes to another quantisation by an affine function."""
    y = variant.types.get("U", variant.types["T"]).c
    return of_affine("unary.cl", X_TO_Y, Y=y)(variant)


CLAMPED = of_reference(file="unary.cl", arguments=X_TO_Y)  # floats within one or two bounds
KERNELS = (
    KernelsFor("formula", (formula,)),
    KernelsFor("rescaled", (rescaled, affine)),
    KernelsFor("positive", (CLAMPED,)),
    KernelsFor("within", (CLAMPED,)),
)
