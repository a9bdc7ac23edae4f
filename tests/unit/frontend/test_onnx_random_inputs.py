"""Random names of inputs of ONNX models, in what is asked for where their axes are open."""

import re
import shlex
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.refusals import refusal
from tests.unit.frontend.test_onnx_inputs import graph_of, with_inputs

pytestmark = pytest.mark.slow

HOSTILE = [
    *("in,0", "in_0", "my input", "$(touch x)", "'q'", "~", "ä:1x2", "L" * 200),
    "a\x1b[31m\nerror BLD001: X\n  fix: rm -rf",
]
NAMES = st.lists(st.text(min_size=1).filter(lambda name: name != "y"), min_size=1, unique=True)


@pytest.mark.parametrize("without", [False, True], ids=["of axes", "of no shape"])
@examples(50)
@given(names=NAMES)
@example(names=HOSTILE)
@example(names=HOSTILE[::-1])
def test_a_shape_that_is_asked_for_can_be_typed_whatever_the_input_is_called(
    without: bool, names: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        inputs = [(name, None if without else [4, f"d{i}"]) for i, name in enumerate(names)]
        path = with_inputs(Path(folder), "Concat", *inputs)
        (problem,) = refusal(graph_of, path).problems
        assert str(problem).count("\n") == 2
        assert "\x1b" not in str(problem)
        (asked,) = re.findall(r"^give (.*), a number for each n", problem.fix)
        assert shlex.split(asked) == [asked]
        assert re.fullmatch(r"[\w=.,:/-]+", asked, re.ASCII)
        shapes = asked.removeprefix("input_shape=").replace(":nxn", ":4x5").replace(":4xn", ":4x5")
        graph, _ = graph_of(path, *shapes.split(","))
        assert [graph.tensors[name].shape for name in graph.inputs] == [(4, 5)] * len(names)
        (wrong,) = refusal(graph_of, path, "z!:1", *shapes.split(",")).problems
        choices = wrong.fix.removeprefix("name one of: ").split(", ")
        assert {*choices} == {each.removesuffix(":4x5") for each in shapes.split(",")}
