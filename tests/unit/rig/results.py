"""Results of runs without runs, for tests of what is made of them."""

from pathlib import Path
from typing import Any

from opsmith.board.manifest import load_board
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, PortTensor
from opsmith.rig.outcome import FAIL, PASS
from opsmith.rig.phases import Phases
from opsmith.rig.report import EXACT, Tolerance
from opsmith.rig.result import Result, add_arrays, add_comparison, finish, new_result, result_text

BOARDS = Path(__file__).resolve().parents[3] / "boards"
LITERT = {"title": "LiteRT", "remark": "", "sound": True}


def compared(
    tensor: PortTensor,
    ours: Array,
    theirs: Array,
    oracle: dict[str, Any] = LITERT,
    tolerance: Tolerance = EXACT,
) -> Result:
    """Result of a run with one output."""
    result = new_result(load_board("host", [BOARDS]), Path("m.tflite"))
    result["place"] = {"title": "host", "probe": ""}
    build = Build(Path(), Path(), "host", "", (), (tensor,))
    add_arrays(result, "outputs", build, [ours])
    add_comparison(result, build, [ours], [theirs], oracle, tolerance)
    passed = oracle["sound"] and result["outputs"][0]["right"]
    finish(result, PASS if passed else FAIL, int(not passed), Phases())
    return result


def comparison(tensor: PortTensor, ours: Array, theirs: Array, **of: Any) -> tuple[bool, str]:
    """Comparison of an output: whether it is right, and the lines that say so."""
    result = compared(tensor, ours, theirs, **of)
    lines = result_text(result).splitlines()
    return result["status"] == 0, "\n".join(lines[3:])
