"""Registration of kernels in OpenCL C by ops and families."""

from types import MappingProxyType

from opsmith.op import *

RUNTIME = "gpu"
GROUP = 64  # work-items, where a kernel does not say
MOST_IN_GROUP = 256  # work-items
GROUPS = (32, 64, 128, 256)  # that `tune` tries
MOST_IN_ROW = 256  # work-items that share a row
ELEMENTS_OF_ITEM = 4  # of a row, if as many can share it
NO_DEFINES: Mapping[str, str] = MappingProxyType({})
Planned = Callable[[NodeView], Plan | Refused]


def gpu_kernel(
    params: type, plan: Planned, tables: type | None = None, name: str = "gpu", **others: Any
) -> Kernel:
    """Kernel of gpu.cl in the folder of its variant or op, or of `header`.

    The plan gives the index space: `Plan(…, work=Work(items))`. `others` are further fields of
    Kernel.
    """
    others.setdefault("cost", moved)
    return Kernel(name, params, _apart(plan), tables, runtime=RUNTIME, language="cl", **others)


def of_reference(
    work: Callable[[NodeView], Work] | None = None,
    name: str = "gpu",
    file: str = "",
    of: Kernel | None = None,
    **others: Any,
) -> Callable[[Variant], Kernel]:
    """Maker of a kernel with the params, plan and tables of a variant's reference, or of kernel
    `of`, and its rules of numerics; for KERNELS of a file.

    Without `work`, each element of y has a work-item. A `file` of runtimes/gpu has a function named
    like the variant's kind, with the arguments of that kernel. `others` are further fields of
    Kernel.
    """
    of_node = work or each_element

    def made(variant: Variant) -> Kernel:
        given, kind = of or variant.kernels[-1], variant.kind
        fields = {"scratch": given.scratch, "numerics": given.numerics, **others}
        if file:
            fields.setdefault("function", "" if kind is None else kind.name)
            fields.setdefault("arguments", given.arguments)
            fields["header"] = f"runtimes/gpu/{file}"

        def plan(node: NodeView) -> Plan | Refused:
            found = given.plan(node)
            return found if isinstance(found, Refused) else replace(found, work=of_node(node))

        return gpu_kernel(given.params, plan, given.tables, name, **fields)

    return made


def of_affine(
    file: str, arguments: tuple[str, ...], **defines: str
) -> Callable[[Variant], tuple[Kernel, ...]]:
    """Maker of the kernel `affine` of a file of runtimes/gpu, for variants that have an affine
    kernel for every core.
    """

    def made(variant: Variant) -> tuple[Kernel, ...]:
        given = next((kernel for kernel in variant.kernels if kernel.name == "affine"), None)
        if given is None:
            return ()
        centre = {"CENTRE": str(variant.types["T"].limits[0] + 128), **defines}
        fields: dict[str, Any] = {"function": "affine", "arguments": arguments, "defines": centre}
        return (of_reference(name="gpu_affine", file=file, of=given, **fields)(variant),)

    return made


def moved(node: NodeView) -> float:
    """Cost of a kernel that reads and writes each element about once."""
    given = (each if isinstance(each, tuple) else (each,) for each in node.tensors.values())
    tensors = (tensor for several in given for tensor in several if tensor is not None)
    return 10.0 + 4.0 * sum(tensor.elements for tensor in tensors if tensor.constant is None)


def items(count: int, group: int = GROUP) -> Work:
    """Index space of `count` work-items in a row that do not use their place in a group.

    `tune` finds whether groups of another size are quicker.
    """
    others = tuple((size,) for size in GROUPS if size != group and size <= count)
    return Work((count,), (group,), others=others)


def each_element(node: NodeView) -> Work:
    """Index space with a work-item for each element of y."""
    return items(node["y"].elements)


def each_element_of(name: str) -> Callable[[NodeView], Work]:
    """Function that gives an index space with a work-item for each element of a tensor."""
    return lambda node: items(node[name].elements)


def columns(local: Mapping[str, DType], elements: int, neighbours: int, depth: int) -> Work:
    """Index space for reductions in which work-items share the `depth` elements of x of one element
    of y.

    The first dimension counts elements of y, the second the work-items that share one. `neighbours`
    elements of y have their elements of x side by side. `local` buffers have an element for each
    work-item.
    """
    across = _power_of_two(min(neighbours, 32))
    parts = _power_of_two(min(MOST_IN_GROUP // across, max(1, depth // 4)))
    across = across if parts > 1 else GROUP
    memory = {name: (dtype, across * parts) for name, dtype in local.items()}
    return Work((elements, parts), (across, parts), memory)


def _power_of_two(most: int) -> int:
    return 1 << most.bit_length() - 1


def each_row(element: DType) -> Callable[[NodeView], Work]:
    """Function that gives an index space with a group of work-items for each row of x, along its
    last axis.

    A group shares `shared`, with an element of this type for each work-item, which handles a few
    elements of a long row.
    """

    def work(node: NodeView) -> Work:
        depth = node["x"].shape[-1]
        group = GROUP
        while group < MOST_IN_ROW and group * ELEMENTS_OF_ITEM < depth:
            group *= 2
        items = node["x"].elements // depth * group
        return Work((items,), (group,), {"shared": (element, group)})

    return work


def device_literal(value: int, dtype: DType) -> str:
    """Integer literal of this type in OpenCL C, where the least value of a width has no literal."""
    if value == -(2**63):
        return "LONG_MIN"
    if value == -(2**31):
        return "INT_MIN"
    return f"{value}{'u' if dtype in (u32, u64) else ''}{'L' if dtype.size == 8 else ''}"


def limits(dtype: DType) -> Mapping[str, str]:
    """Macros LEAST and MOST: the limits of elements of this type."""
    least, most = dtype.limits
    return {"LEAST": device_literal(least, dtype), "MOST": device_literal(most, dtype)}


def _apart(plan: Planned) -> Planned:
    """Plan whose outputs overlap no input, since work-items run in any order."""

    def planned(node: NodeView) -> Plan | Refused:
        found = plan(node)
        return found if isinstance(found, Refused) else replace(found, overlap=_nowhere)

    planned.__annotations__ |= {"return": plan.__annotations__.get("return")}
    return planned


def _nowhere() -> Mapping[str, Distance]:
    return {}
