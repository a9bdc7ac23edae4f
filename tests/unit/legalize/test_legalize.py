"""Source operators become ops; whatever cannot is reported at once, in sentences."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import DType, Graph, Tensor
from opsmith.ir.types import f32, i8
from opsmith.legalize.legalize import legalize
from opsmith.op.declare import Attribute, Convert, ListOf, OpError, Rename
from opsmith.op.index import OpIndex
from opsmith.op.view import NodeView
from tests.refusals import refusal
from tests.unit.graphs import graph, node, op, ops, tensor


def refuse(node: NodeView) -> Iterator[str]:
    if node.attributes["mode"] == "BAD":
        yield "mode is bad"
    if node.attributes["mode"] == "WORSE":
        raise OpError("mode is worse")


def positive(value: int) -> bool:
    if value < 0:
        raise OpError(f"alpha {value} is negative")
    return value > 0


MIX = op(
    "mix",
    ("x", "b?"),
    types=(i8, f32),
    check=refuse,
    attributes=(
        Attribute("mode", str, choices=("GOOD", "BAD", "WORSE")),
        Attribute("sizes", ListOf(int), default=()),
        Attribute("rate", float, default=1.0),
        Attribute("positive", bool, default=False),
    ),
    legalize=(
        Rename(
            "tflite.MIX",
            versions=range(2, 4),
            attributes={"kind": "mode", "alpha": Convert("positive", positive)},
            ignore=("hint",),
        ),
        Rename("tflite.CUSTOM.Mix", attributes={"kind": "mode"}, options=lambda data: {}),
        Rename("tflite.SWAPPED_MIX", attributes={"kind": "mode"}, inputs=(1, 0)),
    ),
)
OPS = ops(MIX)


def mix(**options: object) -> Graph:
    """Model graph of y = MIX(x, b), version 2."""
    given = {"kind": "GOOD", **options}
    made = replace(node("tflite.MIX", ["x", "b"], "y", **given), version=2)
    return graph([tensor("x"), tensor("b"), tensor("y")], [made], ["x", "b"], ["y"])


def test_names_inputs_and_attributes_become_the_op_s() -> None:
    (only,) = legalize(mix(sizes=(1, 2), alpha=3, hint=9), OPS, "m.tflite").nodes
    assert (only.op, only.inputs, only.outputs) == ("mix", ("x", "b"), ("y",))
    assert only.attributes == {"mode": "GOOD", "sizes": (1, 2), "rate": 1.0, "positive": True}


def test_absent_inputs_are_none() -> None:
    g = mix()
    g = replace(g, nodes=(replace(g.nodes[0], inputs=("x",)),))
    assert legalize(g, OPS, "m").nodes[0].inputs == ("x", None)


def test_inputs_may_come_in_another_order() -> None:
    g = mix()
    g = replace(g, nodes=(replace(g.nodes[0], op="tflite.SWAPPED_MIX", version=1),))
    assert legalize(g, OPS, "m").nodes[0].inputs == ("b", "x")


def test_an_int_serves_as_float() -> None:
    assert legalize(mix(rate=2), OPS, "m").nodes[0].attributes["rate"] == 2.0


def test_an_unknown_option_at_its_default_changes_nothing() -> None:
    legalize(mix(new_flag=False, new_size=0), OPS, "m")


def changed(**changes: object) -> Callable[[], Graph]:
    """Graph whose node has changed fields."""

    def make() -> Graph:
        g = mix()
        return replace(g, nodes=(replace(g.nodes[0], **changes),))  # type: ignore[arg-type]

    return make


def with_tensor(made: Tensor) -> Callable[[], Graph]:
    """Graph in which a tensor replaces the one of the same name."""
    return lambda: replace(mix(), tensors={**mix().tensors, made.id: made})


F16 = DType("float16", "float16", "", 0)


@pytest.mark.parametrize(("make", "code", "sentence"), [
    (changed(op="tflite.MIXX"), "MDL010", "no op claims MIXX"),
    (changed(op="tflite.CUSTOM.Mixx"), "MDL010", "claims CUSTOM.Mixx (did you mean 'Mix'?)"),
    (changed(version=1), "MDL011", "version 1 of MIX is not known (known: 2 to 3)"),
    (changed(version=4), "MDL011", "version 4 of MIX is not known"),
    (with_tensor(tensor("x", dtype=F16)), "MDL012", "x has type float16"),
    (with_tensor(tensor("b", dtype=f32)), "MDL012", "'b' is float32 where other tensors are"),
    (changed(inputs=("x", "b", "x")), "MDL013", "3 inputs and 1 outputs, where mix has 2"),
    (changed(inputs=(None, "b")), "MDL013", "input 'x' of mix is absent"),
    (changed(inputs=()), "MDL013", "input 'x' of mix is absent"),
    (changed(attributes={}), "MDL013", "option for attribute 'mode' of mix is missing"),
    (lambda: mix(kind="OTHER"), "MDL013", "attribute 'mode' is 'OTHER'; known are GOOD, BAD"),
    (lambda: mix(kind=3), "MDL013", "attribute 'mode' is 3, no str"),
    (lambda: mix(sizes=(1, "a")), "MDL013", "attribute 'sizes'"),
    (lambda: mix(alpha=-1), "MDL013", "alpha -1 is negative"),
    (lambda: mix(unheard_of=3), "MDL013", "option unheard_of=3 is not known to mix"),
    (lambda: mix(**{"\x1b\n": 3}), "MDL013", "option ??=3 is not known to mix"),
    (lambda: mix(kind="BAD"), "MDL014", "mix: mode is bad"),
    (lambda: mix(kind="WORSE"), "MDL014", "mix: mode is worse"),
])  # fmt: skip
def test_what_cannot_be_is_reported(make: Callable[[], Graph], code: str, sentence: str) -> None:
    (problem,) = refusal(legalize, make(), OPS, "m.tflite").problems
    assert problem.code == code
    assert sentence in problem.what
    assert problem.where == "m.tflite: operator y"


def test_an_op_that_decodes_no_options_is_told_how() -> None:
    plain = replace(MIX, legalize=(Rename("tflite.CUSTOM.Plain"),))
    g = changed(op="tflite.CUSTOM.Plain", version=1, attributes={"custom_options": b"1"})()
    (problem,) = refusal(legalize, g, ops(plain), "m.tflite").problems
    assert (problem.code, problem.fix.split(",")[0]) == ("MDL015", "give it one")


def test_the_shape_that_follows_takes_the_place_of_the_stored_one() -> None:
    g = legalize(with_tensor(tensor("y", 5))(), OPS, "m.tflite")
    assert g.tensors["y"].shape == (4,)
    remark = "'y' is i8[4], as follows from the inputs; the model stores i8[5]"
    assert g.nodes[0].remarks == (remark,)


def test_a_rename_may_hold_to_stored_shapes() -> None:
    stored = replace(MIX, legalize=tuple(replace(each, as_stored=True) for each in MIX.legalize))
    with pytest.raises(ToolchainError, match=r"MDL014: mix: 'y' is i8\[5\] where i8\[4\] follows"):
        legalize(with_tensor(tensor("y", 5))(), ops(stored), "m.tflite")


def extended() -> OpIndex:
    """Three ops: one that takes `b` as a constant, an override for float32, and one for what both
    refuse.
    """
    fixed = replace(MIX, inputs=(MIX.inputs[0], replace(MIX.inputs[1], constant=True)))
    (rename, *_), attributes = MIX.legalize, MIX.attributes
    rest = replace(rename, extends="mix")
    real = replace(rename, overrides="mix", reason="a test")
    inputs = ("x", "b?")
    return ops(
        op("any_mix", inputs, types=(i8, f32), attributes=attributes, legalize=(rest,)),
        fixed,
        op("real_mix", inputs, types=(f32,), attributes=attributes, legalize=(real,)),
    )


def test_an_op_takes_what_the_op_that_it_extends_does_not() -> None:
    known = replace(mix(), tensors={**mix().tensors, "b": tensor("b", value=1)}, inputs=("x",))
    real = {name: tensor(name, dtype=f32) for name in "xby"}
    graphs = (mix(), known, replace(mix(), tensors=real))
    legal = [legalize(each, extended(), "m").nodes[0] for each in graphs]
    assert [each.op for each in legal] == ["any_mix", "mix", "real_mix"]
    refused = "real_mix does not take it: 'x' is int8; real_mix takes float32"
    assert [each.remarks for each in legal] == [
        (refused,),
        (refused,),
        ("real_mix overrides mix: a test",),
    ]


def test_an_op_that_is_not_asked_for_is_named() -> None:
    never = replace(MIX.legalize[0], overrides="mix", reason="a test", when=lambda node: False)
    known = ops(MIX, op("other", ("x", "b?"), attributes=MIX.attributes, legalize=(never,)))
    (legal,) = legalize(mix(), known, "m").nodes
    assert (legal.op, legal.remarks) == (
        "mix",
        ("other does not take it: when= of its Rename does not hold",),
    )


def test_the_op_that_is_extended_says_what_is_wrong() -> None:
    with pytest.raises(ToolchainError, match="MDL013: option unheard_of=3 is not known to mix "):
        legalize(mix(unheard_of=3), extended(), "m")


def test_all_problems_are_reported_at_once_and_each_once() -> None:
    nodes = [
        replace(node("tflite.FOO", ["x"], "a"), source="operator 0 (FOO)"),
        replace(node("tflite.BAR", ["a"], "b"), source="operator 1 (BAR)"),
        replace(node("tflite.MIX", ["b"], "y", kind=1), version=9, source="operator 2 (MIX)"),
    ]
    g = graph([tensor(name) for name in "xaby"], nodes, "x", "y")
    caught = refusal(legalize, g, OPS, "m")
    assert [problem.code for problem in caught.problems] == ["MDL010", "MDL010", "MDL011"]


def test_a_constant_input_must_be_constant() -> None:
    fixed = replace(MIX, inputs=(MIX.inputs[0], replace(MIX.inputs[1], constant=True)))
    with pytest.raises(ToolchainError, match="'b' must be a constant"):
        legalize(mix(), ops(fixed), "m")
    with_constant = replace(mix(), tensors={**mix().tensors, "b": tensor("b", value=1)})
    legalize(replace(with_constant, inputs=("x",)), ops(fixed), "m")
