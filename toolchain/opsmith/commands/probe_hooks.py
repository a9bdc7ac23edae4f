"""Calls of an op's hooks, each on every example by itself, as a build would make them."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import Problem, ToolchainError, described
from opsmith.ir import Array, Graph, Tensor
from opsmith.ir.types import f32
from opsmith.op.blocks import Cut
from opsmith.op.border import Border
from opsmith.op.channel_affine import ChannelAffine
from opsmith.op.channels import all_live, channels_of, full_range
from opsmith.op.declare import Input, Output
from opsmith.op.describe import Op
from opsmith.op.kernel import Kernel, Plan
from opsmith.op.lines import DOWN, EXCHANGED
from opsmith.op.node import view
from opsmith.op.traces import line
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView


def probe_hooks(op: TypedOp, graph: Graph, where: str) -> list[Problem]:
    """Problems of hooks that raise an exception, or violate their rules; see op/wrap.py."""
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
    blocks = (hooks.blocks.cuts, hooks.blocks.joins)
    for hook in (*alone, *blocks, *vars(hooks.views).values()):
        if hook is not None:
            yield partial(hook, seen)
    if hooks.streaming.rows is not None and all(len(t.shape) == 4 for t in _images(op, seen)):
        yield partial(op.rows_of, seen)
    yield partial(_permutations, op, seen)
    yield partial(_affine, op, seen)
    yield partial(_borders, op, seen)
    yield partial(_lines, op, seen)
    yield partial(_channels, op, graph, seen)
    yield partial(_evaluated, op, seen, where)
    yield partial(_viewed, op, seen, where)
    for kernel in op.kernels:
        yield partial(_asked, kernel, seen)


def _asked(kernel: Kernel, seen: NodeView) -> None:
    """Call all functions of a kernel, on a node that the kernel accepts."""
    plan = kernel.plan(seen)
    if isinstance(plan, Plan):
        for ask in (plan.tables, plan.overlap, kernel.cost and partial(kernel.cost, seen)):
            if ask is not None:
                ask()


def _images(op: Op, seen: NodeView) -> Iterator[Tensor]:
    """Tensors of a node's first input and first output, which are images if the node streams."""
    ends: tuple[Input | Output, ...] = (*op.inputs[:1], *op.outputs[:1])
    for value in ends:
        tensor = seen.tensors[value.name]
        yield from [tensor] if isinstance(tensor, Tensor) else tensor or ()


def _permutations(op: Op, seen: NodeView) -> None:
    permutations = op.hooks.permutations
    if permutations.order is not None and permutations.reorder is not None:
        permutations.reorder(seen, permutations.order(seen))


def _affine(op: Op, seen: NodeView) -> None:
    """Ask the hook for factors of 1 per channel of y, if a node of factors could follow."""
    absorbs, y = op.hooks.affine.absorbs, seen.tensors[op.outputs[0].name]
    if absorbs is None or not isinstance(y, Tensor) or y.dtype != f32:
        return
    if seen.attributes["activation"] == "NONE":
        ones = np.ones(channels_of(y), np.float32)
        absorbs(seen, ChannelAffine("x", factor=ones), False)


def _borders(op: Op, seen: NodeView) -> None:
    """Ask the hook for an empty border, which any node can accept or refuse."""
    first = next(iter(seen.tensors.values()), None)
    absorbs = op.hooks.borders.absorbs
    if absorbs is not None and isinstance(first, Tensor):
        nothing = (0,) * len(first.shape)
        absorbs(seen, Border(nothing, nothing, first.zero_point if _quantised(first) else 0))


def _lines(op: Op, seen: NodeView) -> None:
    """Ask hooks for images along their other axis, sequences as columns, and blocks of two rows."""
    ranks = {len(tensor.shape) for tensor in _images(op, seen)}
    turned = EXCHANGED if ranks == {4} else DOWN if ranks == {3} else None
    if op.hooks.lines is not None and turned is not None:
        op.hooks.lines(seen, turned)
    if op.hooks.blocks.dilates is not None and ranks == {4}:
        op.hooks.blocks.dilates(seen, Cut((2, 1), (0, 0), (0, 0)))


def _quantised(tensor: Tensor) -> bool:
    return tensor.quantization is not None


def _channels(op: Op, graph: Graph, seen: NodeView) -> None:
    """Ask the hooks for channels with the full ranges of tensors, and every channel live."""
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
    """Evaluate the node on zeros and constants."""
    if op.evaluate is not None and not op.states:
        _evaluate(op, seen, where, [_zeros(tensor) for tensor in _read(op, seen)])


def _viewed(op: Op, seen: NodeView, where: str) -> None:
    """Compare declared views with `evaluate` on sample numbers. Raises OPS077 if bytes differ."""
    read, views = _read(op, seen), _views(op, seen)
    if op.evaluate is None or op.states or not views:
        return
    given = [_numbers(tensor) for tensor in read]
    (found,) = _evaluate(op, seen, where, given)
    for declared, view_of in views.items():
        if view_of([each.tobytes() for each in given]) != found.tobytes():
            what = f"'{op.name}' declares {declared}, but evaluate gives other bytes"
            fix = "correct one of them: a view is not computed"
            raise ToolchainError.of("OPS077", what, where=where, fix=fix)


def _views(op: Op, seen: NodeView) -> dict[str, Callable[[list[bytes]], bytes]]:
    """Functions that make y from the bytes of the inputs as a view, by the trait or hook that
    declares the view.
    """
    read, y, views = _read(op, seen), seen.tensors[op.outputs[0].name], op.hooks.views
    found: dict[str, Callable[[list[bytes]], bytes]] = {}
    if not read or len(op.outputs) != 1 or not isinstance(y, Tensor):
        return found
    if "view" in op.traits:
        found["trait 'view'"] = lambda given: given[0]
    if views.identity is not None and read[0].type == y.type and views.identity(seen):
        found["hook views.identity"] = lambda given: given[0]
    if views.part is not None and (at := views.part(seen)) is not None:
        found["hook views.part"] = lambda given: given[0][at : at + y.bytes]
    if views.parts is not None and (places := views.parts(seen)) is not None:
        found["hook views.parts"] = lambda given: b"".join(
            each for _, each in sorted(zip(places, given, strict=True))
        )
    return found


def _read(op: Op, seen: NodeView) -> list[Tensor]:
    """Tensors whose elements `evaluate` receives."""
    read: list[Tensor] = []
    for value in op.inputs:
        given = seen.tensors[value.name]
        read += given if isinstance(given, tuple) else [given] if given is not None else []
    return read


def _evaluate(op: Op, seen: NodeView, where: str, given: list[Array]) -> Sequence[Array]:
    assert op.evaluate is not None
    try:
        return op.evaluate(seen, given)
    except ToolchainError:
        raise
    except Exception as error:
        what = f"evaluate of '{op.name}' fails: {described(error)}"
        fix = "correct it for all elements, zeros, too"
        place = line(error, Path(where))
        raise ToolchainError.of("OPS041", what, where=place, fix=fix) from error


def _zeros(tensor: Tensor) -> Array:
    """Zeros in the tensor's shape, or the elements of a constant."""
    return np.zeros(tensor.shape, tensor.dtype.numpy) if tensor.constant is None else tensor.data


def _numbers(tensor: Tensor) -> Array:
    """Repeating numbers from 1 in the tensor's shape, or the elements of a constant."""
    if tensor.constant is not None:
        return tensor.data
    period = 2 if tensor.dtype.short == "bool" else 127
    numbers = np.arange(1, tensor.elements + 1) % period
    return numbers.reshape(tensor.shape).astype(tensor.dtype.numpy)
