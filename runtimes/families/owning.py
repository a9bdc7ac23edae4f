"""Further int8 kernels made of a kernel's function with other params, for layers where some
channels or sums need other constants; the function looks at the type of its params.

Their params have the fields of a further kind, and their plan is the kernel's, which is given the
params as `params`.
"""

import inspect
from functools import cache

from opsmith.op import *
from opsmith.op.kernel import REFERENCE_ONLY
from runtimes.core.dsp_requantization import NONE_OWN, Excepted, Owning
from runtimes.core.per_channel import channel_multipliers
from runtimes.core.single_rounding import Rounded, Singled
from runtimes.families.convolution import Grouped

_SINGLE = 6.5  # cycles of a Cortex-M4F more for an output that is rounded in single precision
_OF_THRESHOLDS = 0.99  # of the cost; rounding twice takes longer than is declared


@dataclass(frozen=True, kw_only=True)
class Unpaired:
    """Params of kernels that pair channels, where some weights do not fit a paired halfword."""

    unpaired: bool = True


@cache
def joined(kind: type[Any], params: type[Any]) -> type[Any]:
    """Params with the fields of `params`, and then those of a further kind."""
    doc = f"{inspect.getdoc(kind)} {inspect.getdoc(params)}"
    made = type(kind.__name__ + params.__name__, (kind, params), {"__doc__": doc})
    made.__module__ = params.__module__
    return dataclass(frozen=True, kw_only=True)(made)


def has_large_multiplier(node: NodeView) -> bool:
    """True if some channel of a convolution has a multiplier of 1/2 or more."""
    return bool(np.any(channel_multipliers(node)[1] >= 0))


def owning(
    folder: str,
    kernel: Kernel,
    needed: Callable[[NodeView], bool] = has_large_multiplier,
    more: Callable[[NodeView], float] = lambda node: 0.0,
    params: type[Any] | None = None,
) -> Kernel:
    """Kernel NAME_own: the function of `kernel` with params that let some channels round once.

    Such channels take `more`. Nodes that do not need it are refused at once.
    """
    own = _with(kernel, "own", params or joined(Owning, kernel.params), more)

    def planned(node: NodeView) -> Plan | Refused:
        return own.plan(node) if needed(node) else NONE_OWN

    return by_function_of(folder, kernel, replace(own, plan=planned, numerics=REFERENCE_ONLY))


def among_thresholds(folder: str, kernel: Kernel) -> Kernel:
    """Kernel as of `owning` for functions that go channel by channel: whatever its multipliers, a
    layer may have channels without thresholds. It is preferred to `kernel`, which would then round
    the sums of all channels twice.
    """
    own, cost = owning(folder, kernel, lambda node: True), kernel.cost
    assert cost is not None
    return replace(own, cost=lambda node: _OF_THRESHOLDS * cost(node))


def with_ways(
    folder: str, kernel: Kernel, *ways: Callable[[str, Kernel], Kernel]
) -> tuple[Kernel, ...]:
    """Kernel, and the kernel that each of the ways makes of it: `owning`, `listing`, …"""
    return (kernel, *(way(folder, kernel) for way in ways))


def listing(folder: str, kernel: Kernel) -> Kernel:
    """Kernel NAME_listed: the function of an int8 `kernel` with params that list exceptions."""
    return by_function_of(folder, kernel, listed(kernel))


def listed(kernel: Kernel) -> Kernel:
    """Kernel NAME_listed of a file of its own, with params that list exceptions."""
    return replace(_with(kernel, "listed", joined(Excepted, kernel.params)), numerics=OTHER_RULES)


def grouping(folder: str, kernel: Kernel) -> Kernel:
    """Kernel NAME_grouped: the function of `kernel` with params for several groups."""
    return by_function_of(folder, kernel, _with(kernel, "grouped", joined(Grouped, kernel.params)))


def singling(folder: str, kernel: Kernel, per_output: float = _SINGLE) -> Kernel:
    """Kernel NAME_single: the function of an int8 `kernel` with params for sums that an FPU rounds
    in single precision, at `per_output` cycles more for an element of y.
    """

    def more(node: NodeView) -> float:
        return per_output * node["y"].elements

    single = _with(kernel, "single", joined(Singled, kernel.params), more)
    single = replace(single, numerics=OTHER_RULES, requires=kernel.requires | {"fpu"})
    return by_function_of(folder, kernel, single)


def rounding(folder: str, kernel: Kernel) -> Kernel:
    """Kernel NAME_rounded: the function of an int8 `kernel` with params for sums rounded twice, or
    once.
    """
    rounded = _with(kernel, "rounded", joined(Rounded, kernel.params))
    return by_function_of(folder, kernel, replace(rounded, numerics=OTHER_RULES))


def unpaired(
    folder: str, kernel: Kernel, more: Callable[[NodeView], float] = lambda node: 0.0
) -> Kernel:
    """Kernel NAME_unpaired: the function of `kernel` with params for weights that fit in no pair,
    at `more` instructions.
    """
    other = _with(kernel, "unpaired", joined(Unpaired, kernel.params), more)
    return by_function_of(folder, kernel, other)


def _with(
    kernel: Kernel,
    name: str,
    params: type[Any],
    more: Callable[[NodeView], float] | None = None,
) -> Kernel:
    """Kernel with other params, whose cost is the kernel's plus `more`."""
    plan: Callable[..., Plan | Refused] = kernel.plan
    other = replace(
        kernel, name=f"{kernel.name}_{name}", params=params, plan=partial(plan, params=params)
    )
    cost = kernel.cost
    if cost is None or more is None:
        return other
    return replace(other, cost=lambda node: cost(node) + more(node))


def by_function_of(folder: str, kernel: Kernel, other: Kernel) -> Kernel:
    """Kernel `other` with the header, function and arguments of `kernel`."""
    given: dict[str, Any] = {"tables": kernel.tables, "scratch": kernel.scratch}
    return replace(
        other,
        header=kernel.header or f"ops/{folder}/{kernel.name}.h",
        function=kernel.function or f"opsmith::{folder.replace('/', '::')}::{kernel.name}",
        arguments=("p", "in", "out", *(name for name, kind in given.items() if kind)),
    )


def with_least(example: Example, *names: str) -> Example:
    """Example in which the tensors `names` have the least element alone: -128, or 0 of uint8."""
    tensors = dict(example.tensors)
    for name in names:
        given = tensors[name]
        assert isinstance(given, ExampleTensor) and given.dtype and given.shape
        least = given.dtype.limits[0]
        tensors[name] = replace(given, data=np.full(given.shape, least, given.dtype.numpy))
    return replace(example, tensors=tensors)


def with_large_multiplier(example: Example) -> Example:
    """Example of a convolution with a multiplier of 5/2 in its last channel."""
    x, filters, y = (example.tensors[name] for name in ("x", "filter", "y"))
    assert isinstance(x, ExampleTensor) and isinstance(x.scale, float)
    assert isinstance(y, ExampleTensor) and y.shape and isinstance(y.scale, float)
    assert isinstance(filters, ExampleTensor) and filters.shape and filters.scale
    scales = np.resize(filters.scale, y.shape[-1])
    scales[-1] = 2.5 * y.scale / x.scale
    axis = 3 if filters.shape[0] == 1 else 0
    large = replace(filters, scale=tuple(scales.tolist()), axis=axis)
    return replace(example, tensors={**example.tensors, "filter": large})
