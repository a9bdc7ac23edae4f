"""Rules about the functions of an op: their parameters and return annotations."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from opsmith.contract.annotations import GivenField, fields_of, parameters_of, plain_name
from opsmith.contract.check_values import name_problem
from opsmith.contract.struct_names import struct_name_problem
from opsmith.ir.types import boolean
from opsmith.op.describe import Op
from opsmith.op.fields import Member, layout, members, table_fields, table_structs

Found = Iterator[tuple[str, str, str]]
Function = Callable[..., Any]


def function_problems(op: Op) -> Found:
    """Problems with the functions and structs that the op registers."""
    for what, owner, read in _structs(op):
        yield from _struct(what, owner, read)
    for field in fields_of(op):
        parameters = _parameters(op, field)
        if field.value is None or parameters is None or _takes(field.value, len(parameters)):
            continue
        name = getattr(field.value, "__name__", "the function")
        given, count = ", ".join(parameters), len(parameters)
        yield (
            "OPS057",
            f"{field.owner}: {field.name}={name} cannot be called with ({given})",
            f"let {name} take {count} parameter{'s' if count != 1 else ''}",
        )


def _structs(op: Op) -> Iterator[tuple[str, type, Function]]:
    for variant in op.variants:
        for kernel in variant.kernels:
            yield f"params of {kernel.name}", kernel.params, members
            if kernel.tables is not None:
                yield f"tables of {kernel.name}", kernel.tables, table_fields


def _struct(what: str, owner: type, read: Function) -> Found:
    try:
        read(owner)
        frozen = owner.__dataclass_params__.frozen  # type: ignore[attr-defined] # also inherited
        names = [name_problem(each.name) for each in fields(owner)]
        found = [struct_name_problem(owner.__name__), *names]
        found += [_direction(owner)] if read is members else []
        problem = next(filter(None, found), "") if frozen else f"{owner.__name__} is not frozen"
    except (TypeError, NameError) as error:
        problem = str(error)
    if problem:
        yield "OPS016", f"{what}: {problem}", "write a frozen dataclass with annotated fields"
    elif read is table_fields:
        for struct in table_structs(owner):
            yield from _struct(f"{struct.__name__} in {what}", struct, layout)


def _direction(params: type) -> str:
    """Problem with a params member `reversed`, which only the memory plan sets; "" if none."""
    flag = Member("reversed", boolean)
    for member, field in zip(members(params), fields(params), strict=True):
        if member.name == flag.name and (member != flag or field.default is not False):
            return "'reversed' is not `reversed: bool = False`"
    return ""


def _parameters(op: Op, field: GivenField) -> tuple[str, ...] | None:
    """Parameters of the function in a field, in words; None for a field without a function."""
    if field.name == "evaluate":  # the only field whose annotation does not say so
        return ("node", "inputs", "state") if op.states else ("node", "inputs")
    hints = parameters_of(field.hint)
    return None if hints is None else tuple(map(plain_name, hints))


def _takes(function: Function, count: int) -> bool:
    """True if the function can be called with `count` positional arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have no signature
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True
