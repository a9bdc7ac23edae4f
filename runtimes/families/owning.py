"""Kernels for layers of int8 of which some channels or sums are unlike the others, by the functions
of kernels that look at their params.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from opsmith.op import *
from opsmith.op.kernel import REFERENCE_ONLY
from opsmith.runtimes.core.dsp_requantization import NONE_OWN
from opsmith.runtimes.core.per_channel import channel_multipliers

_OF_THRESHOLDS = 0.99  # of the cost; rounding twice takes longer than is declared


def has_large_multiplier(node: NodeView) -> bool:
    """True if the multiplier of some channel of a convolution is 1/2 or more."""
    return bool(np.any(channel_multipliers(node)[1] >= 0))


def owning(
    op: str,
    kernel: Kernel,
    plan: Callable[..., Plan | Refused],
    params: type[Any],
    needed: Callable[[NodeView], bool] = has_large_multiplier,
) -> Kernel:
    """Kernel by the function of another one of the op at int8, which looks for such channels where
    it has these params. Nodes that do not need it are refused at once.
    """

    def planned(node: NodeView) -> Plan | Refused:
        return plan(node, params=params) if needed(node) else NONE_OWN

    own = replace(kernel, name=f"{kernel.name}_own", params=params, plan=planned)
    return by_function_of(f"{op}/i8", kernel, replace(own, numerics=REFERENCE_ONLY))


def among_thresholds(
    op: str, kernel: Kernel, plan: Callable[..., Plan | Refused], params: type[Any]
) -> Kernel:
    """Kernel as of `owning` that computes channel by channel: whatever its multipliers, a layer may
    have some that thresholds do not serve. It goes before the other one, which would round the sums
    of all channels twice.
    """
    own, cost = owning(op, kernel, plan, params, lambda node: True), kernel.cost
    assert cost is not None
    return replace(own, cost=lambda node: _OF_THRESHOLDS * cost(node))


def listing(
    op: str, kernel: Kernel, plan: Callable[..., Plan | Refused], params: type[Any]
) -> Kernel:
    """Kernel by the function of another one of the op at int8, which looks for exceptions where it
    has these params.
    """
    listed = replace(kernel, name=f"{kernel.name}_listed", params=params)
    listed = replace(listed, plan=partial(plan, params=params), numerics=OTHER_RULES)
    return by_function_of(f"{op}/i8", kernel, listed)


def unpaired(
    folder: str,
    kernel: Kernel,
    plan: Callable[..., Plan | Refused],
    params: type[Any],
    more: Callable[[NodeView], float] = lambda node: 0.0,
) -> Kernel:
    """Kernel by the function of another one in this folder of `ops`, which looks for weights that
    fit in no pair where it has these params, and takes `more` instructions besides.
    """
    other = replace(kernel, name=f"{kernel.name}_unpaired", params=params)
    other = replace(other, plan=partial(plan, params=params))
    if cost := kernel.cost:
        other = replace(other, cost=lambda node: cost(node) + more(node))
    return by_function_of(folder, kernel, other)


def by_function_of(folder: str, kernel: Kernel, other: Kernel) -> Kernel:
    """The kernel `other`, with the code of `kernel`."""
    given: dict[str, Any] = {"tables": kernel.tables, "scratch": kernel.scratch}
    return replace(
        other,
        header=kernel.header or f"ops/{folder}/{kernel.name}.h",
        function=kernel.function or f"opsmith::{folder.replace('/', '::')}::{kernel.name}",
        arguments=("p", "in", "out", *(name for name, kind in given.items() if kind)),
    )


def with_least(example: Example, *names: str) -> Example:
    """The example with the least weight alone in these tensors: -128, of uint8 0."""
    tensors = dict(example.tensors)
    for name in names:
        given = tensors[name]
        assert isinstance(given, ExampleTensor)
        least = given.dtype.limits[0]
        tensors[name] = replace(given, data=np.full(given.shape, least, given.dtype.numpy))
    return replace(example, tensors=tensors)


def with_large_multiplier(example: Example) -> Example:
    """The example of a convolution with a multiplier of 5/2 in its last channel."""
    x, filters, y = (example.tensors[name] for name in ("x", "filter", "y"))
    assert isinstance(x, ExampleTensor) and isinstance(x.scale, float)
    assert isinstance(y, ExampleTensor) and isinstance(y.scale, float)
    assert isinstance(filters, ExampleTensor) and filters.scale is not None
    scales = np.resize(filters.scale, y.shape[-1])
    scales[-1] = 2.5 * y.scale / x.scale
    axis = 3 if filters.shape[0] == 1 else 0
    large = replace(filters, scale=tuple(scales.tolist()), axis=axis)
    return replace(example, tensors={**example.tensors, "filter": large})
