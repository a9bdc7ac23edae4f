"""opt=size takes what opt=balanced makes of a model where that takes less flash."""

from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.conversion import Conversion, convert
from opsmith.home import HOME
from opsmith.ir import Graph
from opsmith.testing.known_ops import shipped_ops
from tests.unit.transform.test_tabulate import Drawn


def test_a_table_in_place_of_floats_is_taken(tmp_path: Path) -> None:
    """The code of a function of bytes by floats takes more flash than its table."""
    drawn, model = Drawn(), tmp_path / "m.tflite"
    drawn.legal(model, drawn.by_floats(drawn.bytes[0]))
    steps: list[tuple[str, Graph]] = []
    board, ours = load_board("mps2_an386", [HOME / "boards"]), load_runtime("cmsis", SHIPPED)
    conversion = Conversion(BuildOptions(opt="size"), board, ours, shipped_ops())
    graph = convert(conversion, model, "m", lambda *step: steps.append(step)).program.graph
    assert [node.op for node in graph.nodes] == ["table"]
    assert [node.op for node in dict(steps)["select_kernels"].nodes] == ["table"]
