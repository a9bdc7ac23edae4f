"""Tests that a kernel which writes beside its tensors ends the program on a board, which names the
node.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.discover.discover import discover
from opsmith.ir import MemoryPlan, Placement
from opsmith.op.examples import example_graphs
from opsmith.testing import board_programs
from opsmith.testing.board_cases import features_of
from opsmith.testing.board_programs import program_answers
from opsmith.testing.host_sources import write_sources
from opsmith.testing.painted_firmware import gaps_beside
from tests.programs import compiled

ROOT = Path(__file__).resolve().parents[3]
BOARD = "mps2_an386"


def test_bytes_beside_a_tensor_are_painted_unless_another_has_them() -> None:
    placements = {
        "x": Placement("ram", 16, 20, -1, 0),
        "y": Placement("ram", 64, 30, 0, 2),
        "y.scratch": Placement("ram", 96, 4, 0, 0),
        "in_y": Placement("ram", 80, 2, 0, 0),
        "later": Placement("ram", 40, 8, 1, 2),
        "far": Placement("sram", 0, 8, 0, 0),
    }
    plan = MemoryPlan(placements, {"ram": 128, "sram": 16}, 16, {"ram": 0, "sram": 0})
    assert gaps_beside(plan, ["x", "y", "y.scratch"], 0) == [
        *(("ram", 0, 16), ("ram", 36, 52)),  # x
        *(("ram", 48, 64), ("ram", 94, 96)),  # y
        *(("ram", 94, 96), ("ram", 100, 116)),  # its scratch
    ]
    assert gaps_beside(plan, ["in_y"], 0) == []
    assert gaps_beside(plan, ["far"], 0) == [("sram", 8, 16)]
    assert gaps_beside(plan, ["y"], 1) == [("ram", 48, 64), ("ram", 94, 110)]


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.parametrize("place", ["-1", "ELEMENTS", "ELEMENTS + 15"])
def test_a_program_with_such_a_kernel_ends(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ops = discover([ROOT / "ops" / "relu"])
    graph = example_graphs(ops["relu"])[0]
    program = compiled(graph, ops, features=features_of(BOARD), guards=True)
    program = replace(program, guards=False)
    x, y = (program.graph.tensors[name] for name in (graph.inputs[0], graph.outputs[0]))
    wrong = f"out.y[{place}] = 0;".replace("ELEMENTS", str(y.elements))

    def write_wrong(*given: Any, **options: Any) -> None:
        write_sources(*given, **options)
        source = tmp_path / graph.name / "nodes_relu.cc"
        text, count = re.subn(
            r"(void relu_0\([^{]*\) \{\n)", rf"\1  {wrong}\n", source.read_text(encoding="utf-8")
        )
        assert count == 1
        source.write_text(text, encoding="utf-8")

    monkeypatch.setattr(board_programs, "write_sources", write_wrong)
    sets = [[np.ones(x.shape, x.dtype.numpy)]]
    with pytest.raises(AssertionError, match=f"{graph.nodes[0].name} writes outside"):
        program_answers(BOARD, [(program, ops)], tmp_path, sets, ())
