"""Wrappers around the functions of an op, which turn exceptions and bad results into errors.

The compiler calls forty kinds of functions that an op's author writes. Each is wrapped here, once,
when the op is loaded, so that no caller has to check a result.
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import Problem, ToolchainError
from opsmith.ir import DType
from opsmith.op.declare import Convert, Input, OpError, Rename, State
from opsmith.op.departure import Departure
from opsmith.op.describe import Op, Variant
from opsmith.op.hook_results import (
    CHECK,
    COST,
    COUNT,
    INFER,
    INTO,
    LIMITS,
    MATCHED,
    OPTIONS,
    OVERLAP,
    SENTENCE,
    YES,
    HookCall,
    Rule,
    shown_result,
)
from opsmith.op.hook_rules import HOOK_RULES
from opsmith.op.hook_structs import evaluated, fits, of_node, plan_rule, tables_rule, unchangeable
from opsmith.op.kernel import Kernel, Plan, Refused
from opsmith.op.rank import with_ranks
from opsmith.op.traces import failure

Function = Callable[..., Any]
_ANY = Rule("anything", lambda call: True)
_REFUSED_OPTION = (OpError, ValueError, TypeError)


def wrapped(op: Op, folder: Path) -> Op:
    """Op with all its functions wrapped: each keeps to its rule or raises OPS061 or OPS070."""
    hooks = _Hooks(op, folder / "op.py")
    changed: dict[str, Any] = {
        "infer": hooks.wrap(with_ranks(op), "infer", INFER, OpError),
        "check": hooks.wrap(op.check, "check", CHECK, OpError),
        "evaluate": hooks.evaluate(op.evaluate),
        "departs": hooks.departure(op.departs),
        "hooks": hooks.group(op.hooks),
    }
    changed["inputs"] = tuple(map(hooks.input, op.inputs))
    changed["variants"] = tuple(map(hooks.variant, op.variants))
    changed["states"] = tuple(map(hooks.state, op.states))
    changed["legalize"] = tuple(map(hooks.rename, op.legalize))
    if op.decompose is not None:
        into = hooks.wrap(op.decompose.into, "into of decompose", INTO, OpError)
        when = hooks.wrap(op.decompose.when, "when", YES)
        changed["decompose"] = replace(op.decompose, into=into, when=when)
    if op.match is not None:
        changed["match"] = replace(op.match, find=hooks.wrap(op.match.find, "find", MATCHED))
    return replace(op, **changed)


def wrapped_kernel(kernel: Kernel, op: Op, file: Path) -> Kernel:
    """Kernel that a backend's file brings for an op, with its functions wrapped."""
    return _Hooks(op, file).kernel(kernel)


class _Hooks:
    def __init__(self, op: Op, registered: Path) -> None:
        self._op = op
        self._registered = registered
        self._file = str(registered)
        # by identity: a callable object need not be hashable; the registration keeps it alive
        self._made: dict[tuple[int, str, str], Function] = {}

    def wrap(self, function: Function | None, name: str, rule: Rule, *passing: Any) -> Any:
        """A function with checks by its rule, or None for None. Exceptions of the types `passing`
        are left to callers.
        """
        if function is None:
            return None
        key = (id(function), name, rule.wanted)
        if key not in self._made:
            self._made[key] = self._wrapped(function, name, rule, passing)
        return self._made[key]

    def variant(self, variant: Variant) -> Variant:
        """A variant and its kernels with wrapped functions; kernels get the variant's folder."""
        return replace(
            variant,
            inexact=self.wrap(variant.inexact, "inexact", SENTENCE),
            check=self.wrap(variant.check, "check", CHECK, OpError),
            evaluate=self.evaluate(variant.evaluate),
            departs=self.departure(variant.departs),
            hooks=self.group(variant.hooks),
            kernels=tuple(
                self.kernel(replace(each, folder=variant.folder)) for each in variant.kernels
            ),
        )

    def input(self, value: Input) -> Input:
        """An input with its `limits` function wrapped."""
        return replace(value, limits=self.wrap(value.limits, "limits", LIMITS))

    def departure(self, departure: Departure | None) -> Departure | None:
        """A departure with its `when` function wrapped; None for None."""
        if departure is None:
            return None
        return replace(departure, when=self.wrap(departure.when, "when of departs", YES))

    def group(self, group: Any, path: str = "") -> Any:
        """A group of hooks, wrapped, with the groups inside it; HOOK_RULES has each path's rule."""
        changed = {}
        for field in fields(group):
            value, name = getattr(group, field.name), path + field.name
            if is_dataclass(value):
                changed[field.name] = self.group(value, f"{name}.")
            elif callable(value):
                changed[field.name] = self.wrap(value, name, HOOK_RULES[name])
        same = all(each is getattr(group, name) for name, each in changed.items())
        return group if same else replace(group, **changed)

    def kernel(self, kernel: Kernel) -> Kernel:
        """A kernel with its functions wrapped."""
        of, rule = f" of kernel '{kernel.path}'", plan_rule(kernel)
        # not by `wrap`: kernels of one name and one function, in two variants, have two rules
        plan = self._wrapped(kernel.plan, f"plan{of}", rule, (OpError,))
        overlap, tables = OVERLAP, _ANY if kernel.tables is None else tables_rule(kernel.tables)

        def lazily(function: Function | None, name: str, rule: Rule, node: Any) -> Any:
            """Part of a plan, computed on demand, with its result checked for the plan's node."""
            if function is None:
                return None
            return functools.partial(self._asked, lambda _: function(), name, rule, (), node)

        @functools.wraps(plan)
        def planned(node: Any) -> Plan | Refused:
            found: Plan | Refused = plan(node)
            if isinstance(found, Refused):
                return found
            return replace(
                found,
                tables=lazily(found.tables, f"tables{of}", tables, node),
                overlap=found.overlap
                and _once(lazily(found.overlap, f"overlap{of}", overlap, node)),
            )

        cost = self.wrap(kernel.cost, f"cost{of}", COST)
        return replace(kernel, plan=planned, cost=cost)

    def state(self, state: State) -> State:
        """A state with its functions `elements` and `initial` wrapped."""
        elements = self.wrap(state.elements, f"elements of state '{state.name}'", COUNT)

        types = self._types(state.type)

        def holds(call: HookCall) -> bool:
            size = elements(*call.given)
            fitting = any(fits(call.result, dtype) for dtype in types)
            return fitting and np.size(call.result) == size

        names = " or ".join(dtype.name for dtype in types)
        rule = Rule(f"an array of {names}, of as many elements as it has", holds)
        initial = self.wrap(state.initial, f"initial of state '{state.name}'", rule)
        return replace(state, elements=elements, initial=initial)

    def _types(self, named: DType | str) -> list[DType]:
        """An element type, or all element types of a type variable in the variants."""
        if not isinstance(named, str):
            return [named]
        return [types[named] for types in (v.types for v in self._op.variants) if named in types]

    def rename(self, rename: Rename) -> Rename:
        """A claim on a source op with its functions wrapped."""
        attributes = {
            option: replace(
                target,
                value=self.wrap(target.value, f"Convert of '{option}'", _ANY, *_REFUSED_OPTION),
            )
            if isinstance(target, Convert)
            else target
            for option, target in rename.attributes.items()
        }
        options = self.wrap(rename.options, f"options of {rename.source}", OPTIONS, OpError)
        when = self.wrap(rename.when, f"when of {rename.source}", YES)
        return replace(rename, attributes=attributes, options=options, when=when)

    def evaluate(self, function: Function | None) -> Any:
        """Function that evaluates the op in numpy, with its results checked; its exceptions are
        left to callers.
        """
        if function is None:
            return None

        @functools.wraps(function)
        def call(*given: Any) -> Any:
            results = self._run(function, "evaluate", unchangeable(self._op, *given), (Exception,))
            made = HookCall(self._op, given, results)
            wrong = evaluated(made.outputs, results, of_node(made))
            if wrong:
                what = f"evaluate of '{self._op.name}' fails: ValueError: {wrong}"
                fix = "return one array for each output, of the type and shape that infer= says"
                raise ToolchainError.of("OPS041", what, where=self._file, fix=fix)
            return results

        return call

    def _wrapped(
        self, function: Function, name: str, rule: Rule, passing: tuple[Any, ...]
    ) -> Function:
        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            return self._asked(function, name, rule, passing, *given, **named)

        return call

    def _asked(
        self,
        function: Function,
        name: str,
        rule: Rule,
        passing: tuple[Any, ...],
        /,
        *given: Any,
        **named: Any,
    ) -> Any:
        """Result of a function of the op, checked against its rule."""
        result = self._run(function, name, given, passing, named, rule.collected)
        single = isinstance(result, _Single)
        wanted = rule.wanted if single else rule.broken(HookCall(self._op, given, result))
        if wanted is not None:
            raise ToolchainError(self._wrong(name, wanted, result))
        return result

    def _run(
        self,
        function: Function,
        name: str,
        given: tuple[Any, ...],
        passing: tuple[Any, ...],
        named: Mapping[str, Any] | None = None,
        collected: bool = False,
    ) -> Any:
        who = f"{name} of op '{self._op.name}'"
        try:
            result = function(*given, **(named or {}))
            return _collected(result) if collected else result
        except (*passing, ToolchainError):
            raise
        except Exception as error:
            owner, op = f"op '{self._op.name}'", self._op
            groups = (op.inputs, op.outputs, op.attributes, op.states)
            names = [value.name for group in groups for value in group]
            raise failure(error, self._registered, owner, who, names=names) from error

    def _wrong(self, name: str, wanted: str, result: Any) -> Problem:
        given = shown_result(result.value if isinstance(result, _Single) else result)
        return Problem(
            "OPS070",
            f"{name} of op '{self._op.name}' gives {given}, not {wanted}",
            self._file,
            "correct what this function returns",
        )


@dataclass(frozen=True)
class _Single:
    """A result that is a single value, where a sequence is required."""

    value: Any


def _once(function: Callable[[], Any]) -> Callable[[], Any]:
    """Function that keeps its first result; cheaper to make than `functools.cache`."""
    found: list[Any] = []

    def call() -> Any:
        if not found:
            found.append(function())
        return found[0]

    return call


def _collected(result: Any) -> Any:
    text = isinstance(result, str | bytes | Mapping)
    several = isinstance(result, Iterable) and not text
    return tuple(result) if several else _Single(result)
