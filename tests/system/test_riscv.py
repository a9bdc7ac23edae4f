"""RISC-V: firmware is exact, by kernels for RV32M and by others; its instructions are counted."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from opsmith.testing.op_cases import check_coverage, check_on_board
from opsmith.tflite.cases import cases
from opsmith.tflite.writer import ModelWriter
from runtimes.families.convolution_cases import Conv
from runtimes.families.depthwise_cases import Depthwise
from runtimes.families.matmul_cases import MatMul
from runtimes.families.trained_cases import (
    CONVOLUTIONS,
    DEPTHWISES,
    MATMULS,
    TrainedConv,
    TrainedDepthwise,
)
from tests.copies import copied
from tests.system.project import convolutions, tables
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
BOARD = load_board("qemu_riscv32", [ROOT / "boards"])
LAYERS: dict[str, dict[str, Callable[[ModelWriter], None]]] = {
    "conv_2d": CONVOLUTIONS
    | {
        # Two products of -128 by -128 in each sum, beside one pixel, and a rest of four.
        "least": Conv((1, 5, 1, 7), (9, 1, 1, 7), (1, 5, 1, 9), weights=(-128,), y_scale=20.0),
        "groups": Conv((1, 4, 5, 8), (6, 3, 3, 4), (1, 2, 3, 6), y_zero_point=-128),
    },
    "depthwise_conv_2d": DEPTHWISES
    | {
        "down": Depthwise((1, 9, 7, 3), stride=(2, 1)),
        "5x5": Depthwise((1, 6, 5, 3), (5, 5)),
        "7x7": Depthwise((1, 8, 9, 2), (7, 7)),
        "5x5_stride_2": Depthwise((1, 9, 8, 3), (5, 5), stride=(2, 2)),
    },
    "fully_connected": {**MATMULS},
}

# Channels in several vectors or fewer than one, rests of pixels, borders, and images of a batch.
VECTOR_LAYERS: dict[str, dict[str, Callable[[ModelWriter], None]]] = {
    "conv_2d": LAYERS["conv_2d"]
    | {
        "wide": TrainedConv((2, 3, 5, 33), (70, 1, 1, 33), (2, 3, 5, 70), y_zero_point=-128),
        "above_one": TrainedConv((1, 4, 4, 2), (33, 2, 2, 2), (1, 3, 3, 33), kind="above_one"),
        "dilated": Conv(
            (1, 7, 8, 3),
            (5, 3, 2, 3),
            (1, 7, 8, 5),
            {"padding": "SAME", "dilation_h_factor": 2, "dilation_w_factor": 3},
            x_zero_point=127,
        ),
    },
    "depthwise_conv_2d": LAYERS["depthwise_conv_2d"]
    | {
        "wide": TrainedDepthwise((2, 4, 9, 70), x_zero_point=-128),
        "dilated": TrainedDepthwise((1, 8, 9, 33), dilation=(2, 3), kind="above_one"),
        "outside": Depthwise((1, 2, 2, 5), (7, 7), dilation=(3, 3), x_zero_point=127),
        "valid": TrainedDepthwise((1, 5, 12, 31), (3, 2), padding="VALID", kind="powers"),
    },
    "fully_connected": {
        **MATMULS,
        "wide": MatMul((3, 129), 70, weights_value=-128, y_scale=20.0),
        "relu": MatMul((1, 12), 32, activation="RELU"),
        "one": MatMul((1, 1), 1),
    },
}

GROUPED = [("conv_2d", f"rv32_grouped{own}") for own in ("", "_own")]


@pytest.fixture
def tools() -> None:
    """Skip the test where packages for RISC-V are absent."""
    require_tools(BOARD)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Settings of a model of two convolutions, for which other cores have fast kernels."""
    model = tmp_path_factory.mktemp("riscv") / "riscv.tflite"
    model.write_bytes(convolutions())
    return "board=qemu_riscv32", f"model={model}"


@pytest.mark.usefixtures("tools")
def test_a_model_is_exact_by_portable_kernels(
    tiny: tuple[str, str], request: pytest.FixtureRequest
) -> None:
    """A model is exact by portable kernels, which a runtime for Arm leaves, as the build says; with
    --examples=2, node by node.
    """
    settings = *tiny, "runtime=cmsis"
    more = ["crosscheck"] if request.config.getoption("--examples") > 1 else []
    done = scons(*settings, "run", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout
    assert "runtime=riscv has kernels for rv32m" in done.stdout
    assert not more or "every node is within atol=0 rtol=0: yes" in done.stdout
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    assert not any(node["requires"] for node in report["nodes"])


@pytest.mark.few(1)
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(("op", "kernel"), [*((op, "rv32") for op in LAYERS), *GROUPED])
def test_layers_are_exact_by_registers(op: str, kernel: str) -> None:
    """Layers of thresholds, double rounding, and channels that round once are exact by register
    kernels.
    """
    layers, prefer = cases(**LAYERS[op]), {"prefer": kernel}
    check_on_board(ROOT / "ops" / op, layers, BOARD.name, options=prefer)


@pytest.mark.few(1)
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("op", VECTOR_LAYERS)
def test_layers_are_exact_by_vectors(op: str) -> None:
    """Layers whose multipliers are small, large or powers of two are exact by vector kernels."""
    layers, prefer = cases(**VECTOR_LAYERS[op]), {"prefer": "rvv"}
    check_coverage(ROOT / "ops" / op, layers, ROOT / "runtimes" / "riscv")
    check_on_board(ROOT / "ops" / op, layers, f"{BOARD.name}_v", options=prefer)


@pytest.mark.usefixtures("tools")
def test_instructions_are_counted_and_always_the_same(tiny: tuple[str, str]) -> None:
    counted = []
    for _ in range(2):
        done = scons(*tiny, "profile")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "No cycles are modelled for this core" in done.stdout
        counted.append(json.loads((products(*tiny) / "profile.json").read_text("utf-8")))
    assert counted[0] == counted[1]
    assert list(counted[0]["meaning"]) == ["instructions"]
    assert "modelled_cycles" not in counted[0]
    assert counted[0]["instructions"] > 1_000


@pytest.mark.few(1)
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("core", ["rv32imafc", "hazard3"])
def test_a_core_may_have_an_fpu_or_more_instructions(
    tiny: tuple[str, str], tmp_path: Path, core: str
) -> None:
    """A core may have an FPU or more instructions; the first of the cores is from a folder of the
    test.
    """
    cores, board = tmp_path / "arch" / "riscv" / "cores", tmp_path / "boards" / "another"
    cores.mkdir(parents=True)
    (cores / "rv32imafc.toml").write_text('flags = ["-march=rv32imafc", "-mabi=ilp32f"]\n', "utf-8")
    copied(ROOT / "boards" / BOARD.name, board)
    manifest = board / "board.toml"
    text = manifest.read_text(encoding="utf-8").replace('"rv32imac"', f'"{core}"')
    manifest.write_text(text, encoding="utf-8")
    places = (f"boards={board.parent}", f"platforms={tmp_path}")
    done = scons("board=another", *places, tiny[1], "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout


@pytest.mark.few(1)
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("elements", [1, 1000])  # one, and whole vectors with a tail
def test_tables_are_looked_up_by_vectors(elements: int, tmp_path: Path) -> None:
    model = tmp_path / "tables.tflite"
    model.write_bytes(tables(elements))
    settings = "board=qemu_riscv32_v", f"model={model}"
    done = scons(*settings, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    assert [node["kernel"] for node in report["nodes"]] == ["rvv", "rvv"]
