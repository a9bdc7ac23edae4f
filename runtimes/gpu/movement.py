"""Kernels of movement.cl, which move units of as many bytes as stay side by side."""

from opsmith.op import *
from runtimes.families.side_by_side import RowParams, RowTables
from runtimes.families.walk import MAX_AXES, GatherParams
from runtimes.gpu.kernel import gpu_kernel, items, of_reference

FILE = "movement.cl"


@dataclass(frozen=True)
class UnitGather(GatherParams):
    """Places in x of the units of y."""

    unit: int  # bytes


def gather(params: type = UnitGather, axes: int = MAX_AXES) -> Callable[[Variant], Kernel]:
    """Maker of a kernel that walks x in `axes` loops; `params` has the fields of UnitGather."""

    def kernel(variant: Variant) -> Kernel:
        definition = variant.kernels[-1]

        def plan(node: NodeView) -> Plan | Refused:
            found = definition.plan(node)
            if isinstance(found, Refused):
                return found
            in_units = _in_units(found.params, node["y"].dtype.size)
            return Plan(params(**in_units), work=items(node["y"].bytes // in_units["unit"]))

        defines = {"PARAMS": params.__name__, "AXES": str(axes)}
        device = gpu_kernel(params, plan, defines=defines, header=f"runtimes/gpu/{FILE}")
        return replace(device, function="gather", arguments=("p", "in.x", "out.y"))

    return kernel


@dataclass(frozen=True)
class UnitRows(RowParams):
    """Params of rows that move in units."""

    unit: int  # bytes


def rows(variant: Variant) -> Kernel:
    """Kernel that moves parts of rows, named like the variant's kind."""
    definition = variant.kernels[-1]

    def plan(node: NodeView) -> Plan | Refused:
        found = definition.plan(node)
        if isinstance(found, Refused) or found.tables is None:
            return found
        parts = found.tables().bytes.tolist()
        params = UnitRows(found.params.rows, found.params.count, unit(*parts))
        work = items(params.rows * sum(parts) // params.unit)
        return Plan(params, found.tables, work=work)

    device = gpu_kernel(UnitRows, plan, RowTables, header=f"runtimes/gpu/{FILE}")
    function = definition.function.rpartition("::")[2]
    return replace(device, function=function, arguments=definition.arguments)


def unit(*sizes: int) -> int:
    """Largest unit in bytes that divides all these sizes.

    All tensors begin at multiples of 16 bytes.
    """
    return math.gcd(16, *sizes)


def _in_units(p: Any, element: int) -> dict[str, Any]:
    """First, size and step of a walk in units of several elements where these stay side by side."""
    outer = [0 if size == 1 else step for size, step in zip(p.size[:-1], p.step[:-1], strict=True)]
    of_one = p.step[-1] == 1
    bytes_ = [element * n for n in (p.first, p.size[-1], *outer)]
    found = unit(*bytes_) if of_one else element
    each = found // element
    return {
        "first": p.first // each,
        "size": (*p.size[:-1], p.size[-1] // each),
        "step": (*(step // each for step in outer), p.step[-1]),
        "unit": found,
    }


KERNELS = (
    *(KernelsFor(name, (of_reference(file=FILE),)) for name in ("copy", "take", "look_up")),
    KernelsFor("gather", (gather(),)),
    *(KernelsFor(name, (rows,)) for name in ("put_together", "take_apart")),
)
