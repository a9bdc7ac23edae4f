"""Kernels of dsp_words.h and mve_words.h: functions of families, an element or four at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opsmith.op import Code, Kernel, NodeView, Plan, Refused
from opsmith.op.cost import per_element

Planning = Callable[[NodeView], Plan | Refused]


@dataclass(frozen=True)
class Words:
    """A struct of a family's header that computes elements as words."""

    struct: str  # its C++ name
    params: type

    def of_pairs(self, feature: str, plan: Planning, cost: float) -> Kernel:
        """The kernel of pairs of elements by `dsp` or `mve`, at so many instructions for each."""
        return self._kernel(feature, plan, cost, "binary", "pairs", ("in.a", "in.b"))

    def of_elements(self, feature: str, plan: Planning, cost: float) -> Kernel:
        """The same of the elements of x."""
        return self._kernel(feature, plan, cost, "unary", "elements", ("in.x",))

    def _kernel(
        self,
        feature: str,
        plan: Planning,
        cost: float,
        family: str,
        walk: str,
        inputs: tuple[str, ...],
    ) -> Kernel:
        return Kernel(
            f"{feature}_words",
            self.params,
            plan,
            requires={feature},
            cost=per_element(cost),
            code=Code(instance=90, general=470, slowdown=3.0),
            header=f"runtimes/cmsis/{feature}_{family}.h",
            function=f"opsmith::{feature}::{walk}<{self.struct}>",
            arguments=("p", *inputs, "out.y"),
        )
