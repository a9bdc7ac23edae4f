"""opt=size takes what opt=balanced makes of a model where that takes less flash."""

from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.conversion import Conversion, convert
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.ir import Graph
from opsmith.testing.known_ops import shipped_ops
from tests.unit.transform.test_tabulate import Drawn


def converted(model: Path, ram_budget: int | None = None) -> list[tuple[str, Graph]]:
    """Graphs of a model for opt=size: after each step, and in the end."""
    steps: list[tuple[str, Graph]] = []
    board, ours = load_board("mps2_an386", [HOME / "boards"]), load_runtime("cmsis", SHIPPED)
    conversion = Conversion(
        BuildOptions(opt="size", ram_budget=ram_budget), board, ours, shipped_ops()
    )
    found = convert(conversion, model, "m", lambda *step: steps.append(step))
    return [*steps, ("", found.program.graph)]


def names(graph: Graph) -> list[str]:
    return [node.op for node in graph.nodes]


def test_a_table_in_place_of_floats_is_taken(tmp_path: Path) -> None:
    """The code of a function of bytes by floats takes more flash than its table."""
    drawn, model = Drawn(), tmp_path / "m.tflite"
    drawn.legal(model, drawn.by_floats(drawn.bytes[0]))
    *steps, (_, graph) = converted(model)
    assert names(graph) == names(dict(steps)["select_kernels"]) == ["table"]


def test_a_form_that_fits_is_taken_where_the_other_is_refused(tmp_path: Path) -> None:
    """The floats of opt=size take 1,024 bytes of RAM, the table of opt=balanced 256."""
    drawn, model = Drawn(), tmp_path / "m.tflite"
    drawn.legal(model, drawn.by_floats(drawn.bytes[0]))
    assert names(converted(model, ram_budget=512)[-1][1]) == ["table"]
    with pytest.raises(ToolchainError, match="BLD048"):
        converted(model, ram_budget=255)
