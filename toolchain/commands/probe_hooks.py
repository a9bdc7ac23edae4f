"""Call the hooks of an op, each on every example by itself, as a build would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from toolchain.errors import Problem, ToolchainError, described
from toolchain.ir import Graph, Tensor
from toolchain.op.border import Border
from toolchain.op.channels import all_live, full_range
from toolchain.op.declare import Input, Output
from toolchain.op.describe import Op
from toolchain.op.kernel import Kernel, Plan
from toolchain.op.node import view
from toolchain.op.typed import TypedOp
from toolchain.op.view import GraphReader, NodeView


def probe_hooks(op: TypedOp, graph: Graph, where: str) -> list[Problem]:
    """Yield what these functions raise, or return in violation of their rules; see op/wrap.py."""
    seen = view(graph, graph.nodes[0], op)
    problems: dict[Problem, None] = {}
    for ask in _questions(op, graph, seen, where):
        try:
            ask()
        except ToolchainError as error:
            problems |= dict.fromkeys(error.problems)
    return list(problems)


def _questions(
    op: TypedOp, graph: Graph, seen: NodeView, where: str
) -> Iterator[Callable[[], Any]]:
    hooks = op.hooks
    alone = (hooks.clamp, hooks.borders.adds, hooks.affine.applies, hooks.macs)
    for hook in (*alone, *vars(hooks.views).values()):
        if hook is not None:
            yield partial(hook, seen)
    if hooks.streaming.rows is not None and all(len(t.shape) == 4 for t in _images(op, seen)):
        yield partial(op.rows_of, seen)
    yield partial(_permutations, op, seen)
    yield partial(_borders, op, seen)
    yield partial(_channels, op, graph, seen)
    yield partial(_evaluated, op, seen, where)
    for kernel in op.kernels:
        yield partial(_asked, kernel, seen)
    if op.match is not None and op.match.root == op.name:
        yield partial(op.match.find, seen, GraphReader(lambda name: None, lambda name: 1))


def _asked(kernel: Kernel, seen: NodeView) -> None:
    """Call everything of a kernel, on a node that it takes."""
    plan = kernel.plan(seen)
    if isinstance(plan, Plan):
        for ask in (plan.tables, plan.overlap, kernel.cost and partial(kernel.cost, seen)):
            if ask is not None:
                ask()


def _images(op: Op, seen: NodeView) -> Iterator[Tensor]:
    """What streams, where the node is one that streams."""
    ends: tuple[Input | Output, ...] = (*op.inputs[:1], *op.outputs[:1])
    for value in ends:
        tensor = seen.tensors[value.name]
        yield from [tensor] if isinstance(tensor, Tensor) else tensor or ()


def _permutations(op: Op, seen: NodeView) -> None:
    permutations = op.hooks.permutations
    if permutations.order is not None and permutations.reorder is not None:
        permutations.reorder(seen, permutations.order(seen))


def _borders(op: Op, seen: NodeView) -> None:
    """A border of nothing, which any node can take or refuse."""
    first = next(iter(seen.tensors.values()), None)
    absorbs = op.hooks.borders.absorbs
    if absorbs is not None and isinstance(first, Tensor):
        nothing = (0,) * len(first.shape)
        absorbs(seen, Border(nothing, nothing, first.zero_point if _quantised(first) else 0))


def _quantised(tensor: Tensor) -> bool:
    return tensor.quantization is not None


def _channels(op: Op, graph: Graph, seen: NodeView) -> None:
    """With all that tensors can hold, and every channel live."""
    tensors = list(graph.tensors.values())
    whole = [t for t in tensors if t.dtype.is_integer and t.dtype.limits[1] < 2**63]
    ranges = {tensor.id: full_range(tensor) for tensor in whole if 0 not in tensor.shape}
    live = all_live(tensors)
    channels = op.hooks.channels
    if channels.ranges is not None and len(ranges) == len(tensors):
        channels.ranges(seen, ranges)
    if channels.live is not None:
        channels.live(seen, live, ranges)
    if channels.keep is not None:
        channels.keep(seen, live, ranges)


def _evaluated(op: Op, seen: NodeView, where: str) -> None:
    """The node on zeros and constants."""
    if op.evaluate is None or op.states:
        return
    read: list[Tensor] = []
    for value in op.inputs:
        given = seen.tensors[value.name]
        read += given if isinstance(given, tuple) else [given] if given is not None else []
    try:
        op.evaluate(seen, [_data(tensor) for tensor in read])
    except ToolchainError:
        raise
    except Exception as error:
        what, fix = (
            f"evaluate of '{op.name}' fails: {described(error)}",
            "correct it for zeros, too",
        )
        raise ToolchainError.of("OPS041", what, where=where, fix=fix) from error


def _data(tensor: Tensor) -> Any:
    return np.zeros(tensor.shape, tensor.dtype.numpy) if tensor.constant is None else tensor.data
