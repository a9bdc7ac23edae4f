"""`opsmith check` compares what a decomposition makes with the op's `evaluate`."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from opsmith.commands.check import main
from opsmith.errors import ToolchainError
from opsmith.testing.checkout import ROOT

GATE = ROOT / "tests/data/my_ops/soft_gate"


@pytest.mark.parametrize(("old", "new"), [
    ('activation="RELU6"', 'activation="RELU"'),
    ('activation="RELU6"', 'activation="RELU6"'),
    ("np.int32(node.attributes", "np.int32(1 + node.attributes"),  # evaluate is wrong
    ("0, 6)", "-9, 6)"),  # which negative elements alone show
])  # fmt: skip
def test_parts_that_give_other_bytes_are_a_problem(old: str, new: str, tmp_path: Path) -> None:
    shutil.copytree(GATE, tmp_path / "soft_gate")
    (file := tmp_path / "soft_gate/op.py").write_text(
        (GATE / "op.py").read_text().replace(old, new)
    )
    if old == new:
        assert main([str(tmp_path)]) == 0
        return
    with pytest.raises(ToolchainError) as caught:
        main([str(tmp_path)])
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("OPS092", str(file))
    assert "decompose of 'soft_gate' makes add, mul" in problem.what


def test_parts_that_may_save_are_compared_too(tmp_path: Path) -> None:
    shutil.copytree(GATE, tmp_path / "soft_gate")
    text = (GATE / "op.py").read_text().replace('"RELU6"', '"RELU"')
    text = text.replace("Decompose(into, ", "Decompose(into, cheaper=True, ")
    (tmp_path / "soft_gate/op.py").write_text(text)
    with pytest.raises(ToolchainError, match="OPS092"):
        main([str(tmp_path)])


OP = '''"""Op whose other ops are right, or not."""

from opsmith.op import *


def into(node: NodeView, builder: GraphBuilder) -> None:
    """Other ops."""
    x, y = node["x"], node["y"]
    {into}


OP = Op(
    name="made",
    legalize=(Rename("tflite.CUSTOM.Made"),),
    inputs=(Input("x", f32), *[{more}]),
    outputs=(Output("y", f32),),
    infer=lambda node: [node["y"].type],
    evaluate=lambda node, inputs: [{evaluate}],
    decompose=Decompose(into),
    examples=(Example({{each: ExampleTensor({{"i": i32}}.get(each, f32), shape)
        for each, shape in {shapes}.items()}}),),
    variants=(Variant({{}}, ()),),
)
'''
ROOTS: dict[str, Any] = {
    "into": 'root = builder.tensor("root", f32, x.shape); builder.node("sqrt", [x], [root]);'
    ' builder.node("neg", [root], [y])',
    "more": "",
    "shapes": {"x": (8,), "y": (8,)},
}
ROWS: dict[str, Any] = {
    "into": 'builder.node("gather", [x, node["i"]], [y], axis=0)',
    "more": 'Input("i", i32)',
    "shapes": {"x": (4, 3), "i": (9,), "y": (9, 3)},
}


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(("parts", "evaluate", "wrong"), [
    (ROOTS, "np.float32(0) - np.sqrt(inputs[0])", False),  # other signs of NaN
    (ROOTS, "np.float32(1) - np.sqrt(inputs[0])", True),
    (ROWS, "inputs[0][inputs[1]]", False),  # only rows that exist
    (ROWS, "inputs[0][inputs[1] * 0]", True),
])  # fmt: skip
def test_samples_have_defined_answers(
    parts: dict[str, Any], evaluate: str, wrong: bool, tmp_path: Path
) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made/op.py").write_text(OP.format(evaluate=evaluate, **parts))
    if not wrong:
        assert main([str(tmp_path)]) == 0
        return
    with pytest.raises(ToolchainError, match="OPS092"):
        main([str(tmp_path)])
