"""Kernels in OpenCL C: how ops and families register them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from toolchain.op import Kernel, NodeView, Plan, Refused, Work

RUNTIME = "gpu"
GROUP = 64  # work-items, where a kernel does not say


def gpu_kernel(
    params: type,
    plan: Callable[[NodeView], Plan | Refused],
    tables: type | None = None,
    name: str = "gpu",
    **others: Any,
) -> Kernel:
    """The kernel of gpu.cl in the folder of its variant or op, or of `header`.

    Its plan says the index space: `Plan(…, work=Work(items))`. `others` are further fields of
    Kernel.
    """
    return Kernel(name, params, plan, tables, runtime=RUNTIME, language="cl", **others)


def on_gpu(
    kernel: Kernel,
    work: Callable[[NodeView], Work],
    cost: Callable[[NodeView], float] | None = None,
    **others: Any,
) -> Kernel:
    """The kernel in gpu.cl that is given what this C++ kernel is given, as `work` work-items."""

    def plan(node: NodeView) -> Plan | Refused:
        found = kernel.plan(node)
        return found if isinstance(found, Refused) else replace(found, work=work(node))

    others = {"header": "", "function": "", "arguments": ()} | others
    return replace(
        kernel,
        name="gpu",
        plan=plan,
        cost=cost,
        runtime=RUNTIME,
        language="cl",
        **others,
    )


def each_element(node: NodeView) -> Work:
    """A work-item for each element of y."""
    return Work((node["y"].elements,), (GROUP,))
