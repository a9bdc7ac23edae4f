"""Rules about the functions of an op: their parameters and what they say they return."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from toolchain.op.describe import Convert, Op
from toolchain.op.fields import params_fields, returned_class, table_fields

Found = Iterator[tuple[str, str, str]]
Function = Callable[..., Any]
_NODE = ("node",)


def function_problems(op: Op) -> Found:
    """What is wrong with the functions that the op names."""
    for what, function, read in _structs(op):
        yield from _returned(what, function, read)
    for what, function, parameters in _all(op):
        if function is not None and not _takes(function, len(parameters)):
            name = getattr(function, "__name__", "the function")
            given = ", ".join(parameters)
            yield (
                "OPS057",
                f"{what}{name} cannot be called with ({given})",
                f"def {name}({given}): …",
            )


def _structs(op: Op) -> Iterator[tuple[str, Function | None, Function]]:
    yield "params", op.params, params_fields
    yield "tables", op.tables, table_fields
    for kernel in op.kernels:
        yield f"params of {kernel.source}", kernel.params, params_fields
        yield f"tables of {kernel.source}", kernel.tables, table_fields


def _returned(what: str, function: Function | None, read: Function) -> Found:
    if function is None:
        return
    try:
        read(function)
        problem = (
            None if _frozen(function) else f"{returned_class(function).__name__} is not frozen"
        )
    except (TypeError, NameError) as error:
        problem = str(error)
    if problem:
        fix = "return a frozen dataclass and annotate the function with it"
        yield "OPS016", f"{what}: {problem}", fix


def _frozen(function: Function) -> bool:
    return bool(returned_class(function).__dataclass_params__.frozen)  # type: ignore[attr-defined]


def _all(op: Op) -> Iterator[tuple[str, Function | None, tuple[str, ...]]]:
    """Every function: what it is for, itself, what it is called with."""
    state = ("state",) if op.states else ()
    yield "infer=", op.infer, _NODE
    yield "params=", op.params, _NODE
    yield "tables=", op.tables, _NODE
    yield "check=", op.check, _NODE
    yield "clamp=", op.clamp, _NODE
    yield "permutation=", op.permutation, _NODE
    yield "permuted=", op.permuted, ("node", "order")
    yield "border=", op.border, _NODE
    yield "takes_border=", op.takes_border, ("node", "border")
    yield "affine=", op.affine, _NODE
    yield "takes_affine=", op.takes_affine, ("node", "affine", "exactly")
    yield "identity=", op.identity, _NODE
    yield "restores=", op.restores, _NODE
    yield "value_range=", op.value_range, ("node", "ranges")
    yield "live_channels=", op.live_channels, ("node", "live", "ranges")
    yield "keep_channels=", op.keep_channels, ("node", "live", "ranges")
    yield "macs=", op.macs, _NODE
    yield "rows=", op.rows, _NODE
    yield "evaluate=", op.evaluate, ("node", "inputs", *state)
    yield "parts=", op.parts, _NODE
    yield "part=", op.part, _NODE
    for each in op.states:
        yield f"elements of state '{each.name}': ", each.elements, _NODE
        yield f"initial of state '{each.name}': ", each.initial, _NODE
    if op.decompose is not None:
        yield "Decompose into=", op.decompose.into, ("node", "builder")
        yield "Decompose when=", op.decompose.when, _NODE
    if op.match is not None:
        yield "Match find=", op.match.find, ("node", "graph")
    for rename in op.legalize:
        yield f"Rename of {rename.source} when=", rename.when, _NODE
        yield f"Rename of {rename.source} options=", rename.options, ("data",)
        for option, target in rename.attributes.items():
            if isinstance(target, Convert):
                yield f"Convert of option '{option}': ", target.value, ("value",)
    for kernel in op.kernels:
        yield f"{kernel.source}: when=", kernel.when, _NODE
        yield f"{kernel.source}: params=", kernel.params, _NODE
        yield f"{kernel.source}: tables=", kernel.tables, _NODE
        yield f"{kernel.source}: overlap=", kernel.overlap, _NODE
        yield f"{kernel.source}: cost=", kernel.cost, _NODE
        yield f"{kernel.source}: growth=", kernel.growth, _NODE
        yield f"{kernel.source}: inexact=", kernel.inexact, _NODE
        for buffer in kernel.scratch:
            yield f"elements of scratch '{buffer.name}': ", buffer.elements, _NODE


def _takes(function: Function, count: int) -> bool:
    """Whether the function can be called with so many positional arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some of C's functions do not say
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True
