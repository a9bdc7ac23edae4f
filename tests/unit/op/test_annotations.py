"""Every field of a registration is held to its annotation, those that come tomorrow included."""

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import pytest

from opsmith.contract.annotations import fields_of, kind_of, parameters_of, plain_name
from opsmith.contract.check_functions import function_problems
from opsmith.contract.check_kinds import kind_problems
from opsmith.ir import DType
from opsmith.ir.types import f32, i8
from opsmith.op import declare, describe, hooks, kernel
from opsmith.op.declare import (
    Attribute,
    Convert,
    Decompose,
    Example,
    ExampleTensor,
    Input,
    ListOf,
    Match,
    Output,
    Rename,
    State,
)
from opsmith.op.describe import Op, Variant
from opsmith.op.kernel import Code, Kernel, every_node
from opsmith.op.view import NodeView
from tests.each import for_each


def hook(node: NodeView) -> Any:
    """Function of one parameter, as most fields want one."""


@dataclass(frozen=True)
class Params:
    """Params without fields."""


KERNEL = Kernel("k", Params, hook, tables=Params, scratch={"s": i8}, code=Code())
EXAMPLE = Example({"x": ExampleTensor(i8, (2,)), "y": [ExampleTensor(i8, (2,), data=np.ones(2))]})
# At least one value of each class that a registration may hold.
EVERYTHING = Op(
    name="everything",
    inputs=(Input("x", "T"),),
    outputs=(Output("y", i8),),
    infer=hook,
    variants=(Variant({"T": i8}, (KERNEL,)), Variant({"T": f32}, (KERNEL,), examples=(EXAMPLE,))),
    legalize=(Rename("tflite.ABS", attributes={"a": Convert("k", hook), "b": "l"}),),
    attributes=(Attribute("k", ListOf(int)), Attribute("l", i8)),
    states=(State("h", i8, hook),),
    decompose=Decompose(lambda node, builder: None),
    match=Match("abs", lambda node, graph: None),
    examples=(EXAMPLE,),
)
OF_RESULTS = {
    "Matched",
    "Plan",
    "Refused",
    "TypedOp",
    "Work",
}  # what functions return is held to rules of its own: hook_results.py
OF_BACKENDS = {"KernelsFor", "Kind"}  # whose mistakes are in test_backends.py


def parts(value: Any) -> Iterator[Any]:
    """Dataclasses within a value, the value first, found without annotations."""
    if dataclasses.is_dataclass(value) and not isinstance(value, DType):
        yield value
        for each in dataclasses.fields(value):
            yield from parts(getattr(value, each.name))
    elif isinstance(value, Mapping | tuple | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from parts(item)


FIELDS = sorted(
    {(type(part).__name__, each.name) for part in parts(EVERYTHING)
     for each in dataclasses.fields(part)}
)  # fmt: skip
ANY = [("Attribute", "default")]  # typed by another field of its value
# containers whose items may be anything
OPEN = {("Attribute", "choices"): tuple, ("Example", "attributes"): dict}


def broken(owner: str, name: str, value: object) -> Op:
    """Op with values of all classes, those of one class with a wrong value in one field."""
    op = copy.deepcopy(EVERYTHING)
    for part in parts(op):
        if type(part).__name__ == owner:
            object.__setattr__(part, name, value)
    return op


def test_everything_holds_a_value_of_every_class() -> None:
    modules = (declare, describe, hooks, kernel)
    classes = {
        name
        for module in modules
        for name, value in vars(module).items()
        if dataclasses.is_dataclass(value) and value.__module__ == module.__name__
    }
    assert classes - OF_RESULTS - OF_BACKENDS == {owner for owner, _ in FIELDS}
    assert not [*kind_problems(EVERYTHING)]


class Wrong:
    """Value of a type that no field wants."""


@pytest.mark.slow
@for_each(*(each for each in FIELDS if each not in ANY))
def test_no_field_takes_a_wrong_value(field: tuple[str, str]) -> None:
    owner, name = field
    for value in (Wrong(), (Wrong(),), {"a": Wrong()}, {Wrong()}):
        if isinstance(value, OPEN.get((owner, name), ())):
            continue
        told = [(code, what) for code, what, _ in kind_problems(broken(owner, name, value))]
        assert told
        assert all(code == "OPS021" and f": {name}= must be " in what for code, what in told)


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "name", "value"), [
    ("Streaming", "rows", "oops"),
    ("Streaming", "one_by_one", hook),
    ("Hooks", "channels", hook),
    ("Variant", "types", {"T": [i8]}),
    ("Variant", "types", {1: i8}),
    ("Variant", "kernels", [KERNEL]),
    ("Kernel", "params", Params()),
    ("Kernel", "scratch", {"s": "i8"}),
    ("Kernel", "requires", "dsp"),
    ("Kernel", "defines", {"A": 1}),
    ("Input", "optional", 1),
    ("Code", "instance", True),
    ("Code", "instance", 4.0),
    ("Rename", "attributes", {"a": 1}),
    ("ExampleTensor", "scale", "1"),
    ("ExampleTensor", "shape", (True,)),
    ("Example", "tensors", {1: ExampleTensor(i8, ())}),
])  # fmt: skip
def test_what_is_almost_right_is_wrong(owner: str, name: str, value: object) -> None:
    told = [what for _, what, _ in kind_problems(broken(owner, name, value))]
    assert told
    assert all(f"{name}= must be " in what for what in told)


@pytest.mark.parametrize(("owner", "name", "value"), [
    ("ExampleTensor", "shape", (np.int64(2),)),
    ("ExampleTensor", "scale", np.float32(0.5)),
    ("ExampleTensor", "scale", (0.5, 1)),
    ("Op", "traits", {"view"}),
    ("Streaming", "rows", None),
    ("Code", "slowdown", 2),
    ("Kernel", "cost", np.cos),
    ("Kernel", "plan", every_node(hook)),
])  # fmt: skip
def test_what_serves_as_well_is_right(owner: str, name: str, value: object) -> None:
    assert not [*kind_problems(broken(owner, name, value))]


@dataclass(frozen=True)
class Bound:
    """Class that describe.py does not know."""

    least: int
    mode: Literal["round", "floor"] = "round"


@dataclass(frozen=True)
class Extended(Kernel):
    """Kernel with a field that a later version could add."""

    bounds: tuple[Bound, ...] = ()
    pair: tuple[int, str] | None = None
    base: type[Bound] | None = None
    estimate: Callable[[NodeView, Sequence[int]], int] | None = None


def told_of(kernel: Kernel) -> list[str]:
    """Problems of an op with the given kernel."""
    op = dataclasses.replace(EVERYTHING, variants=(Variant({"T": i8}, (kernel,)),))
    return [what for rule in (kind_problems, function_problems) for _, what, _ in rule(op)
            if "'new'" in what]  # fmt: skip


def test_a_new_field_is_checked_by_itself() -> None:
    right = Extended("new", Params, hook, bounds=(Bound(1),), pair=(1, "a"), base=Bound)
    assert told_of(right) == []
    wrong: Any = {
        "bounds": (1, "a tuple of Bound, not tuple of int"),
        "pair": ((1, 2, 3), "a tuple of an integer, a string, not tuple of int"),
        "base": (int, "a subclass of Bound, not type <class 'int'>"),
        "estimate": ("f", "a function, not str 'f'"),
    }
    for name, (value, words) in wrong.items():
        value = (value,) if name == "bounds" else value
        changed: Any = {name: value}
        said = told_of(dataclasses.replace(right, **changed))
        assert said == [f"Extended 'new' of Variant 0: {name}= must be {words}"]
    mode: Any = "ceil"
    assert told_of(dataclasses.replace(right, bounds=(Bound(1, mode),))) == [
        "Bound 0 of Extended 'new': mode= must be one of 'round', 'floor', not str 'ceil'"
    ]


def test_a_new_function_is_called_with_what_its_annotation_says() -> None:
    assert told_of(Extended("new", Params, hook, estimate=lambda node, sizes: 1)) == []
    lonely: Any = lambda node: 1  # noqa: E731 mypy is not to see that it lacks a parameter
    assert told_of(Extended("new", Params, hook, estimate=lonely)) == [
        "Extended 'new' of Variant 0: estimate=<lambda> cannot be called with"
        " (NodeView, Sequence[int])"
    ]


def test_an_annotation_without_a_rule_is_a_bug_that_shows() -> None:
    with pytest.raises(TypeError, match="no rule for the annotation ~T"):
        kind_of(TypeVar("T"))


def test_every_function_but_evaluate_has_parameters_that_are_known() -> None:
    unknown = {
        each.name for each in fields_of(EVERYTHING)
        if kind_of(each.hint).one == "a function" and parameters_of(each.hint) is None
    }  # fmt: skip
    assert unknown == {"evaluate"}


def test_names_of_annotations_are_plain() -> None:
    assert plain_name(Mapping[str, Bound]) == "Mapping[str, Bound]"
    assert plain_name(NodeView) == "NodeView"
    assert plain_name(tuple[int, ...]) == "tuple[int, ...]"


def test_the_fix_for_a_type_is_one_that_check_takes() -> None:
    extended: Any = Extended  # whose params= is no class here
    wrong = extended("new", 3, hook)
    op = dataclasses.replace(EVERYTHING, variants=(Variant({"T": i8}, (wrong,)),))
    assert "write params=Params" in [fix for _, _, fix in kind_problems(op)]
