"""Kernels of reduction.cl: reductions of elements along axes."""

from opsmith.op import *
from runtimes.families.reduction import axes, reduced_elements
from runtimes.gpu.kernel import NO_DEFINES, columns, device_literal, limits, of_reference

FILE = "reduction.cl"
ARGUMENTS = ("p", "in.x", "out.y", "local_memory.shared")


def fold(variant: Variant) -> Kernel:
    """Kernel of a fold; floats are folded in the order of elements, which matters."""
    assert variant.kind is not None
    dtype, facts = variant.types["T"], variant.kind.facts
    if dtype != f32:
        shared = shared_fold(dtype, facts["function"], "SAME", start=int(facts["start"]))
        return shared(variant)
    defines = {"F": facts["function"], "START": f"{float(facts['start']).hex()}f"}
    return of_reference(file=FILE, arguments=ARGUMENTS[:3], defines=defines)(variant)


def shared_fold(
    dtype: DType,
    function: str,
    result: str,
    others: Mapping[str, str] = NO_DEFINES,
    start: int = 0,
    of: Kernel | None = None,
    arguments: tuple[str, ...] = ARGUMENTS,
) -> Callable[[Variant], Kernel]:
    """Maker of a kernel that folds numbers of a type in any order, by a function of reduction.cl.

    `result` is the macro that makes an element of the folded value, `others` are macros that it
    needs. The kernel has the params, plan and tables of the reference, or of kernel `of`. Macro
    STEPS declares the function's parameters besides ARGUMENTS.
    """
    found = "uint8_t" if dtype == boolean else dtype.c

    def work(node: NodeView) -> Work:
        p = axes(node)
        neighbours = p.kept[3] if p.kept_stride[3] == 1 else 1
        return columns({"shared": dtype}, node["y"].elements, neighbours, reduced_elements(node))

    def kernel(variant: Variant) -> Kernel:
        given = of or variant.kernels[-1]
        defines = {"PARAMS": given.params.__name__, "FOUND": found}
        defines |= {"F": function, "RESULT": result}
        defines |= {"START": device_literal(start, dtype), "STEPS": "", **others}
        fields = {"function": "shared_fold", "arguments": arguments, "defines": defines}
        name = f"gpu_{of.name}" if of else "gpu"
        return of_reference(work, name, FILE, of, **fields)(variant)

    return kernel


def scaled_sums(dtype: DType, y_zero_point: str = "y_zero_point") -> Callable[[Variant], Kernel]:
    """Kernel of sums at the scale of y, whose zero point is the params' `y_zero_point`."""
    others = {**limits(dtype), "Y_ZERO_POINT": y_zero_point}
    return shared_fold(i32, "wrapping_sum", "SCALED", others)


def single_sums(of: Kernel, dtype: DType) -> Callable[[Variant], Kernel]:
    """Kernel of sums that a factor and an addend turn into elements of y, as for kernel `of`."""
    return shared_fold(i32, "wrapping_sum", "IN_SINGLE", limits(dtype), of=of)


def stepped_sums(variant: Variant) -> Kernel:
    """Kernel of sums without zero points; each becomes the int8 element whose step in
    `tables.steps`, the first sum of each element, it reaches.
    """
    given = {"STEPS": ", const __global int* steps", **limits(i8)}
    arguments = (*ARGUMENTS, "tables.steps")
    return shared_fold(i32, "wrapping_sum", "STEPPED", given, arguments=arguments)(variant)


def quotients(variant: Variant) -> Kernel:
    """Kernel of sums that wrap at 64 bits, divided by their numbers of elements."""
    return shared_fold(i64, "wrapping_sum", "QUOTIENT")(variant)


# of means of floats, which are added up in their order
REAL_MEANS = of_reference(file=FILE, function="real_means", arguments=ARGUMENTS[:3])
KERNELS = (KernelsFor("fold", (fold,)),)
