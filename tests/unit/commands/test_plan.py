"""`opsmith plan` says what fills RAM, as the firmware of a build would have it."""

import json
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.cli import main
from opsmith.commands.plan import planned
from opsmith.conversion import Conversion
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import Floats, ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import INT8
from tests.commands import printed
from tests.unit.commands.test_show import HOSTILE, written

DIGITS = ROOT / "tests/models/digits_int8.tflite"


@pytest.mark.slow
def test_a_plan_is_text_json_and_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    text = printed("plan", DIGITS, "--board=stm32", f"--svg={picture}")
    found = json.loads(printed("plan", DIGITS, "--board=stm32", "--json", "--opt=speed"))
    assert "arena in ram: 960 bytes" in text  # as README.md's build has it
    assert "most while conv_3 (conv_2d) runs, by\n        384  conv_2\n" in text
    assert (found["opt"], found["arena"]["ram"]["bytes"]) == ("speed", 960)
    (peak,) = found["peaks"]
    assert max(peak["used"]) == found["arena"]["ram"]["lower_bound"]
    assert len(peak["used"]) == len(found["nodes"])
    assert picture.read_text().startswith("<svg")


def test_names_stay_on_their_lines(tmp_path: Path) -> None:
    model = written(tmp_path / "m.tflite", "RELU", "ABS", name=HOSTILE)
    said = printed("plan", model, "--board=microbit")
    assert all(line.isprintable() for line in said.splitlines())


def test_what_a_build_would_refuse_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = written(tmp_path / "m.tflite", "CUSTOM.Peak")
    picture = tmp_path / "plan.svg"
    for board, code in (("stm32", "MDL010"), ("stm33", "BRD007")):
        assert main(["plan", str(model), f"--board={board}", f"--svg={picture}"]) == 2
        shown = capsys.readouterr()
        assert code in shown.err
        assert not shown.out
    assert not picture.exists()


@pytest.mark.slow
def test_floats_could_be_integers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scales: dict[str, Floats] = {"float32": (), "int8": 0.5}
    for dtype, scale in scales.items():
        m = ModelWriter()
        x, y = m.input("x", (1, 64), dtype, scale), m.tensor("y", (1, 64), dtype, scale)
        m.node("RELU", [x], [y])
        m.output(y)
        (tmp_path / f"{dtype}.tflite").write_bytes(m.bytes())
        assert main(["plan", str(tmp_path / f"{dtype}.tflite"), "--board=microbit"]) == 0
        assert ("calibrate=SET.npz" in capsys.readouterr().out) == (dtype == "float32")


def test_a_node_that_the_plan_leaves_in_place_takes_no_code(tmp_path: Path) -> None:
    board = load_board("mps2_an386", [ROOT / "boards"])
    runtime = load_runtime(board.runtime, SHIPPED)
    conversion = Conversion(BuildOptions(), board, runtime, shipped_ops())
    sizes = set()
    for reshaped in (False, True):
        n = Layers(m := ModelWriter(), INT8)
        y = n.unary("ABS", n.input(1, 64))
        n.output(n.reshape(y, 8, 8) if reshaped else y)
        (tmp_path / "m.tflite").write_bytes(m.bytes())
        found = planned(conversion, tmp_path / "m.tflite")
        sizes.add(found["estimated_code_bytes"])
    assert found["nodes"][-1]["kernel"] == "in place"
    assert len(sizes) == 1
