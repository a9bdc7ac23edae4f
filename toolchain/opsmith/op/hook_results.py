"""Rules for results of the functions of an op, one for each function, checked at every call."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from opsmith.errors import shown
from opsmith.ir import DType, Tensor, TensorType
from opsmith.op.attributes import typed
from opsmith.op.declare import Matched, OpError
from opsmith.op.describe import Op
from opsmith.op.overlap import Distance
from opsmith.op.view import GraphBuilder

MOST_ELEMENTS = 1 << 32


class HookCall(NamedTuple):
    """Call of a function of an op: its arguments and its result."""

    op: Op
    given: Sequence[Any]  # the node first
    result: Any

    @property
    def inputs(self) -> set[str]:
        """Names of the op's declared inputs."""
        return {value.name for value in self.op.inputs}

    @property
    def attributes(self) -> set[str]:
        """Names of the op's declared attributes."""
        return {attribute.name for attribute in self.op.attributes}

    @property
    def outputs(self) -> list[Tensor]:
        """Tensors that the node writes."""
        found: list[Tensor] = []
        for value in self.op.outputs:
            tensor = self.given[0].tensors.get(value.name)
            found += tensor if isinstance(tensor, tuple) else [tensor]
        return found

    @property
    def read(self) -> list[Tensor]:
        """Tensors that the node reads."""
        found: list[Tensor] = []
        for value in self.op.inputs:
            tensor = self.given[0].tensors.get(value.name)
            found += tensor if isinstance(tensor, tuple) else [tensor] if tensor else []
        return found

    def tensors(self) -> dict[str, Tensor]:
        """Every tensor of the node, by id."""
        every = self.given[0].tensors.values()
        parts = [part for each in every for part in (each if isinstance(each, tuple) else (each,))]
        return {part.id: part for part in parts if isinstance(part, Tensor)}


@dataclass(frozen=True)
class Rule:
    """Rule for the result of a function: a description of valid results, and a test."""

    wanted: str
    holds: Callable[[HookCall], bool]
    collected: bool = False  # it may be a generator, whose items are asked for at once
    also: tuple[Rule, ...] = ()  # what else holds of such a result, in the order of asking
    when: type = object  # of which results the others hold
    wrong: Callable[[HookCall], str] | None = None  # which part of a result breaks it, in words

    def broken(self, call: HookCall) -> str | None:
        """Description of the requirement that a call violates; None where it meets all."""
        if not self.holds(call):
            return self._said(call)
        if isinstance(call.result, self.when):
            for rule in self.also:
                if not rule.holds(call):
                    return rule._said(call)
        return None

    def _said(self, call: HookCall) -> str:
        return self.wanted if self.wrong is None else f"{self.wanted}: {self.wrong(call)}"


def whole(wanted: str, wrong: Callable[[HookCall], str]) -> Rule:
    """Rule for results that are checked as a whole: `wrong` returns the problem, or ""."""
    return Rule(wanted, lambda call: not wrong(call), wrong=wrong)


def or_none(rule: Rule) -> Rule:
    """Rule that also accepts None."""
    also = tuple(map(or_none, rule.also))
    return Rule(
        f"{rule.wanted} or None", lambda call: call.result is None or rule.holds(call), also=also
    )


def integer(value: Any, least: int = 0, most: int = MOST_ELEMENTS) -> bool:
    """True if a value is an integer within bounds, and no bool."""
    if type(value) is int:  # the usual case
        return least <= value <= most
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and least <= int(value) <= most


def number(value: Any) -> bool:
    """True if a value is a finite real number."""
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return real and not isinstance(value, np.complexfloating) and math.isfinite(value)


def numeric(value: Any) -> bool:
    """True if a value is an array of numbers or booleans."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _types(call: HookCall) -> bool:
    return all(
        isinstance(each, TensorType)
        and isinstance(each.dtype, DType)
        and isinstance(each.shape, tuple)
        and all(isinstance(size, int | np.integer) for size in each.shape)
        for each in call.result
    )


def _constants(call: HookCall) -> bool:
    """True if the result maps declared inputs to constants that can replace the node's inputs."""
    return isinstance(call.result, Mapping) and all(
        name in call.inputs and isinstance(tensor, Tensor) and _whole_constant(tensor)
        for name, tensor in call.result.items()
    )


def _whole_constant(tensor: Tensor) -> bool:
    if tensor.constant is None or not isinstance(tensor.dtype, DType):
        return False
    array = tensor.constant.array
    return numeric(array) and array.shape == tensor.shape and array.dtype == tensor.dtype.numpy


def _distances(call: HookCall) -> bool:
    return isinstance(call.result, Mapping) and all(
        name in _labels(call) and isinstance(each, Distance) and all(map(_distance, _ways(each)))
        for name, each in call.result.items()
    )


def _labels(call: HookCall) -> set[str]:
    """Names of the declared inputs, with `x[0]`, `x[1]` … for a variadic input."""
    found = set()
    for name in call.inputs:
        tensor = call.given[0].tensors.get(name)
        each = range(len(tensor)) if isinstance(tensor, tuple) else ()
        found |= {f"{name}[{i}]" for i in each} or {name}
    return found


def _ways(each: Distance) -> tuple[object, object]:
    return each.forward, each.backward


def _distance(value: object) -> bool:
    return value is None or integer(value, -MOST_ELEMENTS)


def _built(call: HookCall) -> bool:
    """True if a decomposition writes each output of the node, and reads only tensors that exist."""
    builder: GraphBuilder = call.given[1]
    known = {*call.tensors(), *builder.tensors}
    for name, tensor in builder.tensors.items():
        shaped = isinstance(tensor.shape, tuple) and all(integer(size) for size in tensor.shape)
        constant = tensor.constant
        if not (name.isidentifier() and shaped and isinstance(tensor.dtype, DType)):
            return False
        if constant is not None and not _whole_constant(tensor):
            return False
    written = [name for node in builder.nodes for name in node.outputs]
    read = {name for node in builder.nodes for name in node.inputs if name is not None}
    mine = {tensor.id for tensor in call.outputs if tensor.elements}
    return mine <= set(written) and {*read, *written} <= known and len(written) == len(set(written))


def _mismatched(call: HookCall) -> str:
    """Part of a Matched that does not fit the op or its root, in words; "" where all fits."""
    found, root = call.result, call.given[0].name
    if found is None:
        return ""
    if not isinstance(found, Matched) or not isinstance(found.nodes, tuple):
        return "it is another value"
    if root not in found.nodes:
        return f"nodes= lacks the root, {root}"
    outputs = {value.name for value in call.op.outputs}
    needed = {value.name for value in call.op.inputs if not value.optional}
    sides: tuple[tuple[str, Any, set[str], set[str]], ...] = (
        ("inputs", found.inputs, needed, call.inputs),
        ("outputs", found.outputs, outputs, outputs),
        ("attributes", found.attributes, set(), call.attributes),
    )
    for name, given, least, most in sides:
        if not isinstance(given, Mapping):
            return f"{name}= is no mapping"
        if wrong := sorted(map(str, {*given} - most)):
            return f"{name}= has {shown(wrong[0])}, which the op does not declare"
        if wrong := sorted(least - {*given}):
            return f"{name}= lacks {wrong[0]}"
    return _untyped(call.op, found)


def _untyped(op: Op, found: Matched) -> str:
    """Attribute of a Matched that is none of its type, in words; "" if all are."""
    try:
        for each in op.attributes:
            typed(each, found.attributes.get(each.name, each.default))
    except OpError as error:
        return str(error)
    return ""


def _pair(call: HookCall) -> bool:
    pair = call.result
    return isinstance(pair, tuple) and len(pair) == 2 and all(integer(n, -LONG, LONG) for n in pair)


def shown_result(result: Any) -> str:
    """Value of a short result, else its type, for messages."""
    kind = type(result).__name__
    if not isinstance(result, int | float | str | bool | np.generic | None):
        return f"a {kind}"
    text = shown(result)
    return text if len(text) < 60 else f"a {kind}"


LONG = 1 << 63
LIMITS = Rule("the least and the greatest element, a tuple of two integers", _pair)
YES = Rule("True or False", lambda call: isinstance(call.result, bool | np.bool_))
COUNT = Rule("an integer, not negative", lambda call: integer(call.result))
CONSTANTS = Rule("constant tensors by declared input, of the shapes of their data", _constants)
INFER = Rule("a list with a TensorType for each output", _types, collected=True)
CHECK = Rule(
    "sentences", lambda call: all(isinstance(each, str) for each in call.result), collected=True
)
SENTENCE = Rule(
    "a line of text",
    lambda call: isinstance(call.result, str) and call.result.isprintable(),
)
OVERLAP = Rule("a Distance by declared input, `x[0]` for a variadic one", _distances)
COST = Rule("a number, not negative", lambda call: number(call.result) and call.result >= 0)
INTO = Rule("nodes that write every output of the node from known tensors", _built)
MATCHED = whole("a Matched with every declared output and needed input, or None", _mismatched)
OPTIONS = Rule(
    "options by name",
    lambda call: isinstance(call.result, Mapping) and all(isinstance(n, str) for n in call.result),
)
