"""Kernels in OpenCL C: how ops and families register them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from toolchain.ir import DType
from toolchain.op import Distance, Kernel, NodeView, Plan, Refused, Work

RUNTIME = "gpu"
GROUP = 64  # work-items, where a kernel does not say
MOST_IN_ROW = 256  # work-items that share a row
ELEMENTS_OF_ITEM = 4  # of a row, if so many can share it
NO_DEFINES: Mapping[str, str] = MappingProxyType({})
Planned = Callable[[NodeView], Plan | Refused]


def gpu_kernel(
    params: type, plan: Planned, tables: type | None = None, name: str = "gpu", **others: Any
) -> Kernel:
    """The kernel of gpu.cl in the folder of its variant or op, or of `header`.

    Its plan says the index space: `Plan(…, work=Work(items))`. `others` are further fields of
    Kernel.
    """
    return Kernel(name, params, _apart(plan), tables, runtime=RUNTIME, language="cl", **others)


def on_gpu(
    kernel: Kernel, work: Callable[[NodeView], Work], name: str = "gpu", **others: Any
) -> Kernel:
    """The kernel in gpu.cl that is given what this C++ kernel is given, as `work` work-items.

    `others` are further fields of Kernel.
    """

    def plan(node: NodeView) -> Plan | Refused:
        found = kernel.plan(node)
        return found if isinstance(found, Refused) else replace(found, work=work(node))

    others.setdefault("scratch", kernel.scratch)
    return gpu_kernel(kernel.params, plan, kernel.tables, name, **others)


def each_element(node: NodeView) -> Work:
    """A work-item for each element of y."""
    return Work((node["y"].elements,), (GROUP,))


def each_row(element: DType) -> Callable[[NodeView], Work]:
    """A group of work-items for each row of x, along its last axis.

    They share `shared`, an element of this type for each. Each has a few elements of a long row.
    """

    def work(node: NodeView) -> Work:
        depth = node["x"].shape[-1]
        group = GROUP
        while group < MOST_IN_ROW and group * ELEMENTS_OF_ITEM < depth:
            group *= 2
        items = node["x"].elements // depth * group
        return Work((items,), (group,), {"shared": (element, group)})

    return work


def limits(dtype: DType) -> Mapping[str, str]:
    """Macros: the LEAST and the MOST that elements of this type can be."""
    least, most = dtype.limits
    return {"LEAST": str(least), "MOST": str(most)}


def of_family(
    kernel: Kernel,
    file: str,
    function: str,
    arguments: tuple[str, ...],
    work: Callable[[NodeView], Work] = each_element,
    defines: Mapping[str, str] = NO_DEFINES,
) -> Kernel:
    """A kernel in a file of runtimes/families: `function`, given what this C++ kernel is given."""
    return on_gpu(
        kernel,
        work,
        header=f"runtimes/families/{file}",
        function=function,
        arguments=arguments,
        defines=defines,
    )


def _apart(plan: Planned) -> Planned:
    """The plan, whose outputs lie over no input: work-items run in any order."""

    def planned(node: NodeView) -> Plan | Refused:
        found = plan(node)
        return found if isinstance(found, Refused) else replace(found, overlap=_nowhere)

    return planned


def _nowhere() -> Mapping[str, Distance]:
    return {}
