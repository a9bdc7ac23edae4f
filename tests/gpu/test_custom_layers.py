"""Imported layers on devices: what their kernels get and give, in a model with channels last."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from opsmith.cli import main
from opsmith.ir import Array
from opsmith.testing.firmware import scons
from opsmith.tflite.writer import ModelWriter
from runtimes.gpu import simulator
from tests.commands import printed
from tests.conftest import NO_PACKAGES
from tests.gpu import pocl
from tests.gpu.custom_layers import FORMATS, write_layers
from tests.gpu.opencl_board import build, run
from tests.programs import stored

pytestmark = [pytest.mark.system, pytest.mark.slow]
SHAPE = (2, 4, 3, 5)  # B, Y, X, F
SLOPES = (0.1, 0.3)
TAPS, SHARES = (2, -1), (0.7, 0.01)
DEVICES = ("Oclgrind", "PoCL")  # the first one sees more: races, and what nothing wrote


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of ops that `import-layer` made of custom layers."""
    folder = tmp_path_factory.mktemp("layers")
    write_layers(folder / "given")
    for name, types in (("leaky", []), ("places", []), ("blend", ["i32", "f32", "i32", "f32"])):
        flags = ["--types", *types] if types else []
        layer = str(folder / "given" / f"{name}.xml")
        assert main(["import-layer", layer, "--into", str(folder / "ops"), *flags]) == 0
    text = (folder / "given" / "leaky.xml").read_text("utf-8")
    text = text.replace("BFYX", "ANY").replace("LeakyLayer", "LeakyAsItLies")
    (folder / "given" / "any.xml").write_text(text, encoding="utf-8")
    assert main(["import-layer", str(folder / "given/any.xml"), "--into", str(folder / "ops")]) == 0
    return folder / "ops"


def model() -> bytes:
    """Model of all custom layers, two of which follow one another."""
    m = ModelWriter()
    x = m.input("x", SHAPE, "float32")
    for name in ("LeakyLayer", "LeakyAsItLies"):
        between, y = (m.tensor(f"{name}_{n}", SHAPE, "float32") for n in range(2))
        for tensors, slope in zip(((x, between), (between, y)), SLOPES, strict=True):
            options = {"negative_slope": slope}
            m.node("CUSTOM", tensors[:1], tensors[1:], custom=name, custom_options=options)
        m.output(y)
    for each in FORMATS:
        y = m.tensor(f"places_{each}", SHAPE, "float32")
        m.node("CUSTOM", [x], [y], custom=f"Places{each}")
        m.output(y)
    taps = m.input("taps", (SHAPE[0], SHAPE[3]), "int32")
    weights = m.constant("weights", np.arange(SHAPE[3]).astype(np.int32))
    y = m.tensor("blended", SHAPE, "float32")
    lists = {"Taps": list(TAPS), "shares": list(SHARES)}
    m.node("CUSTOM", [taps, x, weights], [y], custom="Blend", custom_options=lists)
    m.output(y)
    return m.bytes()


def wanted(x: Array, taps: Array) -> list[Array]:
    """Wanted outputs of the layers, computed in numpy."""
    single = np.float32
    leaky = x
    for slope in SLOPES:
        leaky = np.where(leaky < 0, leaky * single(slope), leaky)
    b, y, x_, f = np.meshgrid(*map(np.arange, SHAPE), indexing="ij")
    places = x + (1000 * b + 100 * f + 10 * y + x_).astype(single)
    weights = np.arange(SHAPE[3], dtype=np.int32)
    sums = np.minimum(taps * TAPS[0] + weights * TAPS[1], 7) + 5
    shares = [single(share) for share in SHARES]
    blended = sums.astype(single)[:, None, None, :] + shares[0] * x + shares[1] * single(6 + 3)
    return [leaky, leaky, *[places] * len(FORMATS), blended]


def sets() -> list[Sequence[Array]]:
    """Three sets of inputs."""
    random = np.random.default_rng(14)
    taps = (SHAPE[0], SHAPE[3])
    return [
        (random.normal(size=SHAPE).astype(np.float32), random.integers(-9, 9, taps, np.int32))
        for _ in range(3)
    ]


@pytest.fixture
def device(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """Device of OpenCL on which programs of the tests run."""
    if request.param == "Oclgrind":
        if absent := simulator.absent():
            pytest.skip(absent)
        with simulator.simulated(thorough=True):
            yield
        return
    if missing := pocl.absent():
        pytest.skip(f"{NO_PACKAGES}: {missing}")
    with pocl.on_pocl(tmp_path, optimised=False):
        yield


@pytest.mark.first(1)
@pytest.mark.parametrize("device", DEVICES, indirect=True)
def test_layers_compute_what_numpy_does(device: None, ops: Path, tmp_path: Path) -> None:
    path = tmp_path / "custom_layers.tflite"
    path.write_bytes(model())
    firmware = build(path, tmp_path, ops=str(ops), affinity="*:gpu")
    for given, outputs in zip(sets(), run(firmware, sets()), strict=True):
        for right, got in zip(wanted(*given), outputs, strict=True):
            np.testing.assert_array_equal(got, right)


def test_two_layers_after_each_other_are_transposed_once(ops: Path, tmp_path: Path) -> None:
    if absent := simulator.absent():
        pytest.skip(absent)
    m = ModelWriter()
    tensors = [m.input("x", SHAPE, "float32"), *(m.tensor(n, SHAPE, "float32") for n in "ab")]
    for before, after in pairwise(tensors):
        m.node("CUSTOM", [before], [after], custom="LeakyLayer")
    m.output(tensors[-1])
    firmware = build(stored(m, tmp_path, "leaky_twice"), tmp_path, ops=str(ops))
    text = (firmware / "report.json").read_text("utf-8")
    assert (text.count('"op": "transpose"'), text.count('"op": "leaky_layer"')) == (2, 2)


def test_only_a_board_with_a_gpu_computes_a_layer(ops: Path, tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", SHAPE, "float32")
    m.output(m.value("CUSTOM", [x], m.tensor("y", SHAPE, "float32"), custom="LeakyAsItLies"))
    path = stored(m, tmp_path, "leaky_here")
    done = scons("board=host", f"model={path}", f"ops={ops}")
    assert done.returncode != 0
    assert "error KRN029" in done.stdout + done.stderr
    assert "kernels for runtime=gpu alone" in done.stdout + done.stderr


def test_the_folders_are_right_as_they_are(ops: Path) -> None:
    assert "7 op folders, no problems" in printed("check", ops)
