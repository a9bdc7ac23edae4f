"""The list of used ops: an op that changes between `resolve` and `convert` is no silent input."""

from pathlib import Path
from typing import Any

import pytest

from opsmith import conversion
from opsmith.commands import convert
from opsmith.commands.used_ops import load_used, read_used, used_text
from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.pipeline import compile_graph
from tests.copies import copied
from tests.unit.op.folders import GOOD, write

ROOT = Path(__file__).parents[3]
OPS = (
    "add", "average_pool_2d", "average_rows", "conv_2d", "depthwise_conv_2d", "fully_connected",
    "reshape", "softmax",
)  # fmt: skip


def listed(ops: Path) -> Path:
    """Path of the list of all ops of a folder, as `resolve` writes it."""
    used = ops.parent / "used_ops.json"
    used.write_text(used_text(discover([ops]).by_name.values()))
    return used


@pytest.mark.slow
def test_an_op_that_stays_is_loaded(tmp_path: Path) -> None:
    write(tmp_path / "ops")
    assert list(load_used(read_used(listed(tmp_path / "ops"))).by_name) == ["twice"]


def test_an_op_edited_before_it_is_loaded_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "ops")
    used = read_used(listed(tmp_path / "ops"))
    (folder / "op.py").write_text(GOOD.replace("Twice: every", "Double: every"))
    with pytest.raises(ToolchainError, match="BLD023") as error:
        load_used(used)
    assert error.value.problems[0].where == str(folder / "op.py")


@pytest.mark.slow
def test_an_op_edited_while_the_model_is_converted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in OPS:
        copied(ROOT / "ops" / name, tmp_path / "ops" / name)
    used, edited = listed(tmp_path / "ops"), tmp_path / "ops" / "softmax" / "op.py"

    def compile_and_edit(*arguments: Any) -> Any:
        edited.write_text(edited.read_text() + "\n")
        return compile_graph(*arguments)

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(conversion, "compile_graph", compile_and_edit)
    options = {"model": "tests/models/digits_int8.tflite", "used": used, "boards": "boards"}
    options |= {"board": "host", "runtime": "reference", "name": "m", "out": tmp_path / "out"}
    with pytest.raises(ToolchainError, match="BLD023"):
        convert.main([f"--{name}={value}" for name, value in options.items()])
    assert not (tmp_path / "out" / "model.h").exists()
