"""An op at one of its variants, as the compiler uses it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from opsmith.ir import DType
from opsmith.op.declare import State
from opsmith.op.describe import Op, Variant
from opsmith.op.kernel import Kernel, Plan
from opsmith.op.overlap import Distance, elementwise
from opsmith.op.view import NodeView


@dataclass(frozen=True)
class TypedOp(Op):
    """Op at one of its variants, whose hooks, `evaluate` and `departs` take precedence."""

    variant: Variant = Variant({}, ())  # noqa: RUF009 frozen

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Kernels that compute the variant."""
        return self.variant.kernels

    @property
    def c_types(self) -> dict[str, str]:
        """C++ type of each type variable in the signatures of kernels."""
        return {
            name: "void" if self.variant.untyped else dtype.c
            for name, dtype in self.variant.types.items()
        }

    def state_type(self, state: State) -> DType:
        """Element type of one of the op's states."""
        return self.variant.types[state.type] if isinstance(state.type, str) else state.type

    def overlap_of(self, node: NodeView, plan: Plan, kernel: Kernel) -> Mapping[str, Distance]:
        """Distance of a kernel's output from its inputs, by name of input, `x[0]` for a variadic
        one.

        Trait 'elementwise' implies a distance, but not for functions outside of Opsmith, whose
        order of access is unknown.
        """
        if plan.overlap is not None:
            return plan.overlap()
        implied = "elementwise" in self.traits and not kernel.function
        return elementwise(node) if implied else {}

    def symbol(self, kernel: Kernel) -> str:
        """Name of the C++ function: an overload of the kernel's name, or what it calls."""
        if kernel.function:
            types = list(self.variant.types.values())
            return kernel.function.replace("<T>", f"<{self._element(types[0])}>" if types else "")
        return kernel.name

    def _element(self, dtype: DType) -> str:
        return f"int{8 * dtype.size}_t" if self.variant.untyped else dtype.c


def typed(op: Op, variant: Variant) -> TypedOp:
    """TypedOp of an op at a variant."""
    values = {each.name: getattr(op, each.name) for each in fields(Op)}
    own = {
        "hooks": op.hooks | variant.hooks,
        "evaluate": variant.evaluate or op.evaluate,
        "departs": variant.departs or op.departs,
    }
    return TypedOp(**{**values, **own}, variant=variant)
