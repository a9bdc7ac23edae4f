"""Rules for results of plans, their tables and `evaluate=`, compared with the declarations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

import numpy as np

from opsmith.errors import shown
from opsmith.ir import DType, Tensor
from opsmith.ir.types import boolean, f64
from opsmith.op.describe import Op
from opsmith.op.fields import Member, TableField, members, table_fields
from opsmith.op.hook_results import MOST_ELEMENTS, HookCall, Rule, integer, number, numeric, whole
from opsmith.op.kernel import MOST_SLOWDOWN, Code, Kernel, Plan, Refused, Work


def plan_rule(kernel: Kernel) -> Rule:
    """Rule for the result of a kernel's `plan`."""
    rules = {
        f"one with{'out' if kernel.tables is None else ''} tables, as its kernel": _has_tables,
        "one whose growth is an integer": lambda _, plan: integer(plan.growth, -MOST_ELEMENTS),
        "one whose code is a Code, or None": lambda _, plan: _is_code(plan.code),
        "one whose work is a Work, or None": lambda _, plan: _is_work(plan.work),
        "one whose inexact is a line of text": lambda _, plan: _sentence(plan.inexact),
        "one that is exact and grows nothing, as its annotation says": _is_promised,
        "one whose overlap is a function": lambda _, plan: _lazy(plan.overlap),
    }
    also = (
        _params_rule(kernel),
        _scratch_rule(kernel),
        *(Rule(wanted, _of_plan(kernel, holds)) for wanted, holds in rules.items()),
    )
    if kernel.takes_every_node:
        return Rule("a Plan", lambda call: isinstance(call.result, Plan), also=also)
    return Rule("a Plan, or Refused with a reason of one line", _is_answer, also=also, when=Plan)


def _is_answer(call: HookCall) -> bool:
    answer = call.result
    if isinstance(answer, Refused):
        return _sentence(answer.reason) and answer.reason != ""
    return isinstance(answer, Plan)


def _is_promised(kernel: Kernel, plan: Plan) -> bool:
    """True if a plan keeps the promise of the annotation `-> Plan`: no node or build is refused."""
    return not kernel.takes_every_node or (plan.growth <= 0 and not plan.inexact)


def _is_code(code: Any) -> bool:
    """True if the result is None, or a Code with sizes and a slowdown that a kernel can have."""
    if not isinstance(code, Code):
        return code is None
    named = isinstance(code.shared, Mapping) and all(map(_sentence, code.shared))
    sizes = (code.instance, code.general, *(code.shared.values() if named else ()))
    sized = all(integer(size, 0, MOST_ELEMENTS) for size in sizes)
    return named and sized and number(code.slowdown) and 1 <= code.slowdown < MOST_SLOWDOWN


def _is_work(work: Any) -> bool:
    """True if the result is None or a Work, whose fields its emitter checks."""
    return work is None or isinstance(work, Work)


def _sentence(text: Any) -> bool:
    return isinstance(text, str) and (text == "" or text.isprintable())


def _of_plan(kernel: Kernel, holds: Callable[[Kernel, Plan], bool]) -> Callable[[HookCall], bool]:
    return lambda call: holds(kernel, call.result)


def _params_rule(kernel: Kernel) -> Rule:
    def wrong(call: HookCall) -> str:
        return _wrong_struct("params", call.result.params, kernel.params)

    return whole(
        f"one whose params are {kernel.params.__name__} of 32-bit or finite numbers", wrong
    )


def _scratch_rule(kernel: Kernel) -> Rule:
    names = ", ".join(f"'{name}'" for name in kernel.scratch)
    counted = f"one whose scratch has an integer for {names}"
    wanted = counted if names else "one without scratch, as its kernel"
    return whole(wanted, lambda call: _wrong_scratch(kernel, call.result.scratch))


def _wrong_scratch(kernel: Kernel, given: Any) -> str:
    """Problem with the sizes of a plan's scratch buffers, or ""."""
    if not isinstance(given, Mapping):
        return f"scratch is {shown(given)}, no dict"
    for name in dict.fromkeys((*given, *kernel.scratch)):
        if name not in kernel.scratch:
            return f"{shown(name)} is not in scratch= of the kernel"
        if name not in given:
            return f"'{name}' is missing"
        if not integer(given[name]):
            return f"'{name}' is {shown(given[name])}, not 0 to {MOST_ELEMENTS:,} elements"
    return ""


def _has_tables(kernel: Kernel, plan: Plan) -> bool:
    return (plan.tables is None) == (kernel.tables is None) and _lazy(plan.tables)


def _lazy(part: Any) -> bool:
    return part is None or callable(part)


def tables_rule(owner: type) -> Rule:
    """Rule for the tables of a plan."""

    def wrong(call: HookCall) -> str:
        if not isinstance(call.result, owner):
            return f"it is of type {type(call.result).__name__}"
        tables = ((field, getattr(call.result, field.name)) for field in table_fields(owner))
        return _first(_wrong_table(field, value) for field, value in tables)

    return whole(f"a {owner.__name__} of arrays and structs of its types", wrong)


def _wrong_table(field: TableField, value: Any) -> str:
    name = f"tables.{field.name}"
    if isinstance(field.element, DType):
        right = fits(value, field.element)
        return "" if right else f"{name} is no array of values of {field.element.name}"
    if field.single:
        return _wrong_struct(name, value, field.element)
    if not isinstance(value, tuple) or not value:
        return f"{name} is {shown(value)}, no tuple of {field.element.__name__}"
    each = ((f"{name}[{i}]", struct) for i, struct in enumerate(value))
    return _first(_wrong_struct(place, struct, field.element) for place, struct in each)


def _wrong_struct(name: str, value: Any, struct: type) -> str:
    """Problem with the first member that C++ cannot have, or "": "params.half is nan, no ..."."""
    if value.__class__ is not struct:  # subclasses may have more members
        return f"{name} is {shown(value)}, no {struct.__name__}"
    for member, least, most in _bounded(struct):
        given = getattr(value, member.name)
        if type(given) is int and least <= given <= most:
            continue  # the usual case
        if wrong := _wrong_member(f"{name}.{member.name}", member, given):
            return wrong
    return ""


@lru_cache(maxsize=1024)
def _bounded(struct: type) -> tuple[tuple[Member, int, int], ...]:
    """Members of a struct, each with the limits of an integer scalar, else with (1, 0)."""
    return tuple(
        (each, *(each.dtype.limits if each.length is None and each.dtype.is_integer else (1, 0)))
        for each in members(struct)
    )


def _first(problems: Iterable[str]) -> str:
    return next(filter(None, problems), "")


def fits(array: Any, dtype: DType) -> bool:
    """True if a value is an array whose elements keep their values in the element type."""
    if not numeric(array) and not isinstance(array, np.number):
        return False
    given = np.asarray(array)
    if given.dtype == dtype.numpy:
        return True
    with np.errstate(all="ignore"):
        made = given.astype(dtype.numpy)
        if dtype.numpy.kind == "f":  # floats are rounded; infinities must be given as such
            return bool(np.all(np.isfinite(made) | ~np.isfinite(given)))
        return bool(np.all(made == given))


def unchangeable(op: Op, node: Any, inputs: Sequence[Any], *state: Any) -> tuple[Any, ...]:
    """Arguments for `evaluate=`, with read-only views of its inputs, since other nodes read them,
    too. Variables of the model, which the node writes, are passed as they are.
    """
    own = [value.state for value in op.inputs for _ in _parts(node.tensors.get(value.name))]
    pairs = zip(inputs, chain(own, repeat(False)), strict=False)  # tables are made of the first
    return node, [array if written else _read_only(array) for array, written in pairs], *state


def _parts(tensor: Tensor | tuple[Tensor, ...] | None) -> tuple[Tensor, ...]:
    return tensor if isinstance(tensor, tuple) else (tensor,) if tensor else ()


def _read_only(array: Any) -> Any:
    seen = np.asarray(array).view()
    seen.flags.writeable = False
    return seen


def evaluated(outputs: list[Tensor], results: Any, shaped: bool) -> str:
    """Problem with the results of `evaluate=` for these outputs, or "".

    `shaped` is false where tables of elements are made, with arrays of other shapes than the
    node's.
    """
    if not isinstance(results, list | tuple) or len(results) != len(outputs):
        several = isinstance(results, list | tuple)
        count = f" of {len(results)}" if several else ", no list or tuple of arrays"
        return f"it gave {type(results).__name__}{count}, for {len(outputs)} outputs"
    for result, tensor in zip(results, outputs, strict=True):
        if not isinstance(result, np.ndarray | np.generic):
            return f"it gave {type(result).__name__} for {tensor.id}, no array"
        same = result.shape == tensor.shape or not shaped
        if result.dtype != tensor.dtype.numpy or not same:
            made = f"{result.dtype.name}{list(result.shape)}"
            said = f"{tensor.dtype.name}{list(tensor.shape)}"
            return f"it gave {made} for {tensor.id}, which is {said}"
    return ""


def _wrong_member(name: str, member: Member, value: Any) -> str:
    if member.length is None:
        return _wrong_scalar(name, member.dtype, value)
    if not isinstance(value, tuple) or len(value) != member.length:
        return f"{name} is {shown(value)}, no tuple of {member.length}"
    each = enumerate(value)
    return _first(_wrong_scalar(f"{name}[{i}]", member.dtype, item) for i, item in each)


def _wrong_scalar(name: str, dtype: DType, value: Any) -> str:
    return "" if _is_scalar(dtype, value) else f"{name} is {shown(value)}, no {dtype.name}"


def _is_scalar(dtype: DType, value: Any) -> bool:
    if dtype == boolean:
        return isinstance(value, bool | np.bool_)
    return number(value) if dtype == f64 else integer(value, *dtype.limits)


def of_node(call: HookCall) -> bool:
    """True if the arrays that `evaluate` received have the shapes of the node's inputs."""
    return [tensor.shape for tensor in call.read] == [np.shape(array) for array in call.given[1]]
