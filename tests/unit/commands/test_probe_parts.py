"""`opsmith check` compares what a decomposition makes with the op's `evaluate`."""

import shutil
from pathlib import Path

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
