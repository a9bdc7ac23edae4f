"""`run` and `crosscheck` name each node whose oracle is another than LiteRT's reference kernel."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.run import main as run
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter
from tests.system import broken_ops
from tests.system.again import again

pytestmark = pytest.mark.system
ROUND = "operator 1 (ROUND): by LiteRT's default kernels, since it has no reference kernel"
SUM = "operator 3 (SUM): by numpy (int8 and int16: LiteRT reads the elements as uint8; "


def sentence() -> bytes:
    """Model that embeds tokens, rounds, quantises and sums up, and gives the sum twice."""
    m, random = ModelWriter(), np.random.default_rng(0)
    table = m.constant("table", random.normal(0, 9, (50, 4)).astype(np.float32))
    tokens, rows = m.input("tokens", (8,), "int32"), m.tensor("rows", (8, 4), "float32")
    whole, small = m.tensor("whole", (8, 4), "float32"), m.tensor("small", (8, 4), "int8", 0.5, 0)
    total, y = (m.tensor(name, (4,), "int8", 2.0, 0) for name in ("total", "y"))
    m.node("GATHER", [table, tokens], [rows], {"axis": 0, "batch_dims": 0})
    m.node("ROUND", [rows], [whole])
    m.node("QUANTIZE", [whole], [small])
    m.node("SUM", [small, m.constant("axis", np.array([0], np.int32))], [total])
    m.node("ABS", [total], [y])
    m.output(y)
    return bytes(m.bytes())


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Settings of a build of the model, which is written to the folder."""
    path = tmp_path_factory.mktemp("oracles") / "oracles_sentence.tflite"
    path.write_bytes(sentence())
    settings = ["board=host", f"model={path}"]
    assert scons(*settings).returncode == 0
    return settings


def test_every_node_has_an_oracle_and_the_odd_ones_are_named(settings: list[str]) -> None:
    done = scons(*settings, "run", "crosscheck")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "equal to LiteRT and numpy: yes\n" in done.stdout
    assert "every node is within atol=0 rtol=0: yes\n" in done.stdout
    assert done.stdout.count(ROUND) == done.stdout.count(SUM) == 2
    assert "GATHER" not in done.stdout.partition("yes")[2].partition("CROSSCHECK")[0]


def test_positions_that_do_not_exist_are_a_departure(settings: list[str], tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", tokens=np.array([0, 1, 2, 3, 4, 5, 49, 50], np.int32))
    given = f"--input={tmp_path / 'x.npz'}"
    status, said = again(run, products(*settings), settings, given)
    assert status == 0, said
    assert "operator 0 (GATHER): by numpy (an index that is no position: LiteRT fails; here" in said
    status, said = again(run, products(*settings), settings, given, "--atol=1e-3", "--rtol=0.5")
    assert "within atol=0.001 rtol=0.5 of LiteRT and numpy: yes" in said
    assert "bit-exact" not in said


def test_inputs_that_cannot_be_seeded_are_asked_for(
    settings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opsmith.rig.seeds.found_inputs", lambda *_: None)
    with pytest.raises(ToolchainError, match="RIG057: no seeded values of 'tokens' lead to"):
        again(run, products(*settings), settings)


def test_floats_that_may_differ_are_held_to_their_bound(tmp_path: Path) -> None:
    broken_ops.write_op(
        tmp_path / "my_ops",
        "near",
        rename='Rename("tflite.NEG", overrides="neg", reason="a test")',
        numpy="inputs[0] * np.float32(-1.0000002)",
        kernel="in.x[i] * -1.0000002f",
        dtype="f32",
    )
    file = tmp_path / "my_ops" / "near" / "op.py"
    text = file.read_text().replace("every_node(params)),)", "every_node(params)),), ulps=4")
    file.write_text(text)
    m = ModelWriter()
    x, near, y = m.input("x", (6,), "float32"), *(m.tensor(n, (6,), "float32") for n in ("n", "y"))
    m.node("NEG", [x], [near])
    m.node("EXP", [near], [y])
    m.output(y)
    (tmp_path / "oracles_near.tflite").write_bytes(m.bytes())
    settings = ["board=host", f"model={tmp_path}/oracles_near.tflite", f"ops={tmp_path}/my_ops"]
    done = scons(*settings, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "equal to LiteRT and numpy: yes\n" in done.stdout
    assert "operator 0 (NEG): by numpy, within 3 ulps of LiteRT (allowed 4)\n" in done.stdout
    file.write_text(text.replace("ulps=4", "ulps=1"))
    status, said = again(run, products(*settings), settings)
    assert status == 1
    assert "equal to LiteRT and numpy: no\n" in said
    assert "within 3 ulps of LiteRT (allowed 1), which is wrong\n" in said
