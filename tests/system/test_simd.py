"""Vector kernels of Linux boards: each rule of numerics, whole vectors and tails, is exact."""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.board.manifest import load_board
from opsmith.emit.pack_weights import pack_weights
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration
from opsmith.select.choice import Preferences
from opsmith.testing.batch_firmware import answers
from opsmith.testing.board_cases import features_of
from opsmith.testing.board_programs import process_answers
from opsmith.testing.checkout import ROOT
from opsmith.testing.differences import assert_equal
from opsmith.testing.host_programs import in_both_forms
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import known_beside, shipped_ops
from opsmith.testing.legal import legal, oracle_of
from opsmith.testing.op_cases import BOARD_SETS
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.one_node import one_node
from opsmith.tflite.writer import ModelWriter
from runtimes.families.binary_cases import Binary
from runtimes.families.convolution_cases import Conv, ConvF32, ConvU8, TransposeConv
from runtimes.families.depthwise_cases import Depthwise, DepthwiseF32, DepthwiseU8
from runtimes.families.matmul_cases import BatchMatMul, DynamicMatMul, MatMul, RealMatMul
from runtimes.families.pooling_cases import Pool
from runtimes.families.resize_cases import resized
from runtimes.families.trained_cases import CONVOLUTIONS, DEPTHWISES, MATMULS
from runtimes.families.unary_cases import Unary, of_float
from tests.conftest import NO_PACKAGES
from tests.programs import compiled
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.slow]
FOLDER = ROOT / "ops" / "conv_2d"
CPU = Path("/proc/cpuinfo")
FLAGS = CPU.read_text(encoding="utf-8").split() if CPU.is_file() else []
X86 = {"x86_64": "avx2", "x86_64_vnni": "avx512_vnni"}  # kernels
NEEDED = {"avx2": "avx2", "avx512_vnni": "avx512vbmi"}  # flag that processors with all of them have
ARM = {"raspberry_pi_5": "neon_dot"}  # in QEMU
BOARDS = ARM | {board: name for board, name in X86.items() if NEEDED[name] in FLAGS}
REALS = ("float32", "float32")
ROWS = ((3, 21), "float32")
TALL = ((11, 21), "float32")
UNARY = ("RSQRT", "LOGISTIC", "TANH", "LOG", "FLOOR", "SIN", "COS", "EXP")
IMAGE: dict[str, Any] = {"x": ((2, 4, 3, 85), "float32"), "axes": np.array([1, 2], np.int32)}
RUNS: dict[str, Any] = {"x": ((7, 3, 22), "float32"), "axes": np.array([2], np.int32)}
WHOLE = {"SUM": -0.0, "REDUCE_MAX": np.nan, "REDUCE_MIN": np.nan}  # folded from the first element
TURN = np.array([2, 3, 1, 0], np.int32)
SAME = {"padding": "SAME"}
REAL_TURNED = TransposeConv(
    x_type="float32", filter_type="float32", bias_type="float32", strides=(3, 2)
)
POWERS = Binary("POW", (3, 19), (3, 19), dtype="float32", version=1)
RELU6 = {"padding": "SAME", "fused_activation_function": "RELU6"}


def pointwise(rows: int, inputs: int, outputs: int) -> Conv:
    """Case of a 1x1 convolution."""
    return Conv((1, 1, rows, inputs), (outputs, 1, 1, inputs), (1, 1, rows, outputs))


LARGE_BIAS = replace(pointwise(9, 20, 20), bias=5 << 28, x_scale=1.0, y_scale=1.0)
# Rows, inputs and channels that fill tiles, groups and vectors, and that leave each kind of rest.
TAILS: dict[str, Callable[[ModelWriter], None]] = {
    **{f"conv_{r}_{i}_{o}": pointwise(r, i, o) for r, i, o in (
        (1, 1, 1), (5, 7, 9), (6, 16, 16), (7, 17, 17), (6, 66, 80), (3, 130, 95), (12, 31, 130),
    )},
    "same": Conv((2, 7, 5, 3), (17, 3, 3, 3), (2, 7, 5, 17), SAME),
    "dilated": Conv((1, 9, 9, 5), (9, 3, 3, 5), (1, 9, 9, 9), SAME | {"dilation_w_factor": 3}),
    "saturates": replace(pointwise(9, 20, 20), y_scale=0.001),
    "large_bias": replace(pointwise(9, 20, 20), bias=2**30),
    "vanishing": replace(pointwise(9, 20, 20), filter_scale=(1e-9,), x_scale=1e-3),
    **{f"longest_shift_{n}": replace(LARGE_BIAS, filter_scale=(n,)) for n in (2.6e-10, 4.2e-10)},
    "halves": replace(pointwise(9, 20, 20), filter_scale=(0.5,), x_scale=1.0, y_scale=64.0),
    "least_weights": replace(pointwise(9, 64, 20), weights=(-128,), y_scale=20.0),
    **{f"depthwise_{c}": Depthwise((1, 5, 6, c)) for c in (1, 3, 8, 15, 17, 32, 72)},
    "depthwise_even": Depthwise((2, 9, 8, 20), (2, 4), stride=(2, 1), activation="RELU6"),
    "depthwise_filters": Depthwise((2, 7, 6, 1), (3, 2), multiplier=17),
    "real_filters": DepthwiseF32((1, 7, 6, 1), (1, 3, 2, 9), (1, 7, 6, 9), SAME),
    "depthwise_dilated": Depthwise((1, 9, 9, 16), dilation=(2, 3)),
    "rows": MatMul((7, 33), 19),
    "row": MatMul((1, 130), 70, weights_scales=70),
    **{f"add_{n}": Binary("ADD", (2, n), (2, n), activation="RELU") for n in (7, 37)},
    "sub": Binary("SUB", (3, 24), (24,)),
    "add_uint8": Binary("ADD", (3, 17), (3, 1), dtype="uint8", zero_points=(120, 130, 140)),
    "mul": Binary("MUL", (2, 21), (2, 21), activation="RELU"),
    "mul_row": Binary("MUL", (3, 17), (3, 1), dtype="uint8", zero_points=(120, 130, 140)),
    "mul_saturates": Binary("MUL", (40,), (1,), scales=(1.0, 1.0, 0.01)),
    "sub_general": Binary("SUB", (3, 24), (24,), scales=(1e-4, 3.0, 2.9)),
    "add_int16": Binary("ADD", (37,), (37,), dtype="int16", zero_points=(0, 0, 0)),
    "square": Binary("SQUARED_DIFFERENCE", (3, 21), (21,), scales=(0.05, 0.03, 0.4)),
    "batch": BatchMatMul((2, 9, 22), (2, 22, 21)),
    "batch_turned": BatchMatMul((1, 2, 7, 3), (2, 1, 5, 7), True, True, scales=(1.0, 1.0, 0.5)),
    "real_batch": BatchMatMul((2, 7, 3), (33, 7), True, True, types=REALS),
    **{f"max_{n}": Pool("MAX_POOL_2D", (1, 5, 4, n), (3, 3)) for n in (3, 37)},
    "mean": Pool("AVERAGE_POOL_2D", (2, 5, 4, 37), (3, 3), "VALID", activation="RELU"),
    "mean_uint8": Pool("AVERAGE_POOL_2D", (1, 12, 11, 18), (11, 11), "VALID", dtype="uint8"),
    "table": Unary("HARD_SWISH", 0.05, -3, 0.05, 4, (301,)),
    "values": Unary("DEQUANTIZE", 0.0123, -5, shape=(300,), y_type="float32", version=2),
    "max_relu6": Pool("MAX_POOL_2D", (1, 5, 4, 32), activation="RELU6", scale=0.03),
    "real_same": ConvF32((2, 7, 5, 3), (17, 3, 3, 3), (2, 7, 5, 17), SAME),
    "real_pixels": ConvF32((1, 1, 15, 5), (66, 1, 1, 5), (1, 1, 15, 66), RELU6),
    "real_depthwise": DepthwiseF32((1, 4, 5, 67), (1, 3, 3, 67), (1, 4, 5, 67), SAME),
    "real_rows": RealMatMul((7, 33), 37),
    "turned": TransposeConv((2, 3, 4, 5), (19, 3, 4, 5), (2, 6, 8, 19), scales=19),
    "real_turned": replace(REAL_TURNED, x=(2, 2, 2, 5), filter=(18, 2, 4, 5), y=(2, 6, 3, 18)),
    "resized": resized("RESIZE_BILINEAR", (2, 3, 4, 37), (6, 8), half=True),
    "real_sums": Binary("ADD", (3, 19), (3, 19), dtype="float32", activation="RELU6"),
    "real_products": Binary("MUL", (3, 1), (3, 37), dtype="float32"),
    **{f"real_{op.lower()}": of_float(op) for op in UNARY},
    "real_gelu": of_float("GELU"),
    "real_softmax": one_node("SOFTMAX", {"x": TALL}, {"y": TALL}, {"beta": 0.7}),
    "real_powers": POWERS,
    "real_squares": replace(POWERS, b=(1,), constant="b", values=2),
    "real_floors": replace(POWERS, op="FLOOR_DIV", b=(19,), constant="b", values=0.3, version=2),
    "real_log_softmax": one_node("LOG_SOFTMAX", {"x": ROWS}, {"y": ROWS}),
    "real_norms": one_node("L2_NORMALIZATION", {"x": ROWS}, {"y": ROWS}, version=2),
    **{f"real_{kind.lower()}_pool": Pool(
        f"{kind}_POOL_2D", (2, 5, 4, 85), (3, 3), activation="RELU6", dtype="float32", nan_at=7
    ) for kind in ("MAX", "AVERAGE")},
    "real_root_pool": Pool("L2_POOL_2D", (2, 5, 4, 37), (3, 3), dtype="float32", version=1),
    **{f"nearest_{y}": one_node("QUANTIZE", {"x": TALL}, {"y": (TALL[0], y, 0.013, zero)})
       for y, zero in (("int8", -5), ("uint8", 130), ("int16", 0))},
    **{f"real_{op.lower()}": one_node(op, IMAGE, {"y": ((2, 85), "float32")}, version=2)
       for op in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN")},
    **{f"run_{op.lower()}": one_node(op, RUNS, {"y": ((7, 3), "float32")}, version=2)
       for op in ("MEAN", "REDUCE_MAX")},
    **{f"{op.lower()}_of_{t}": one_node(op, IMAGE | {"x": (IMAGE["x"][0], t, 0.05, z)},
                                        {"y": ((2, 85), t, 0.03, z)}, version=2)
       for op, t, z in (("MEAN", "int8", -5), ("MEAN", "uint8", 130), ("SUM", "uint8", 130))},
    "real_leaky": of_float("LEAKY_RELU", options={"alpha": 0.3}),
    **{f"quantised_{n}": ConvF32((2, 5, 5, 3), (17, 3, 3, 3), (2, 5, 5, 17), SAME, filter_scales=n)
       for n in (1, 17)},
    "quantised_pixels": ConvF32((2, 1, 7, 16), (66, 1, 1, 16), (2, 1, 7, 66), filter_scales=1),
    **{f"quantised_rows_{a.lower()}": DynamicMatMul((7, 37), 21, activation=a, asymmetric=a < "O")
       for a in ("NONE", "RELU6")},
    **{f"quantised_taps_{c}": DepthwiseF32(
        (2, 4, 5, c), (1, 3, 3, c), (2, 4, 5, c), SAME, filter_scales=c
    ) for c in (3, 24, 67)},
    **{f"turned_{t}": one_node("TRANSPOSE", {"x": ((2, 19, 3, 37), t), "axes": TURN},
                               {"y": ((3, 37, 19, 2), t)})
       for t in ("int32", "int64", "float32")},
    **{f"whole_{op.lower()}": one_node(
        op, {"x": ((9,), "float32"), "axes": np.array([0], np.int32)}, {"y": ((), "float32")},
        version=2,
    ) for op in WHOLE},
    "turned_int8": one_node("TRANSPOSE", {"x": ((33, 18), "int8", 0.1, 3), "axes": TURN[2:]},
                            {"y": ((18, 33), "int8", 0.1, 3)}),
    **{f"{op.lower()}_{t}_{axis}": one_node(
        op, {"x": ((3, 70, 37), t, 0.1, z), "axes": np.array([axis], np.int32)},
        {"y": ((3, (37, 70)[axis - 1]), t, 0.1, z)}, version=3
    ) for op, t, z in (("REDUCE_MAX", "int8", -3), ("REDUCE_MIN", "uint8", 130),
                       ("REDUCE_MAX", "int16", 0)) for axis in (1, 2)},
    **{f"place_{t}": one_node(
        "ARG_MAX" if t < "int" else "ARG_MIN",
        {"x": ((5, 83), t, *s), "axis": np.array([1], np.int32)}, {"y": ((5,), "int32")},
        {"output_type": "INT32"},
    ) for t, s in (("float32", ()), ("int8", (0.1, -3)), ("uint8", (0.1, 130)), ("int32", ()))},
    **{f"groups_{n}": Conv((2, 5, 6, 3 * n), (19 * n, 3, 2, 3), (2, 3, 6, 19 * n),
                           SAME | {"stride_h": 2}) for n in (2, 3)},
    "real_groups": ConvF32((2, 5, 6, 10), (46, 2, 3, 5), (2, 5, 6, 46), RELU6),
    **{f"chosen_{t}": one_node(
        "SELECT_V2", {"if": ((2, 67), "bool"), "a": ((2, 67), t, *s), "b": (b, t, *s)},
        {"y": ((2, 67), t, *s)},
    ) for t, s, b in (("int8", (0.1, -3), ()), ("int16", (0.1, 0), (67,)), ("float32", (), (67,)),
                    ("int64", (), (67,)))},
    **{f"unsigned_{r}_{i}_{o}": ConvU8(
        (1, 1, r, i), (o, 1, 1, i), (1, 1, r, o), filter_zero_point=z
    ) for r, i, o, z in ((1, 1, 1, 0), (7, 17, 17, 255), (6, 66, 80, 128), (3, 130, 95, 1))},
    "unsigned_same": ConvU8((2, 7, 5, 3), (17, 3, 3, 3), (2, 7, 5, 17), RELU6),
    **{f"unsigned_depthwise_{c}": DepthwiseU8((2, 9, 8, c), (1, 3, 3, c), (2, 9, 8, c), SAME)
       for c in (3, 20, 72)},
    **{f"unsigned_rows_{n}": MatMul((n, 33), 19, dtype="uint8", x_zero_point=120, y_zero_point=110,
                                    weights_zero_point=36 * n) for n in (1, 7)},
    "real_few": DepthwiseF32((1, 5, 6, 3), (1, 3, 3, 3), (1, 5, 6, 3), SAME),
}  # fmt: skip
TRAINED: dict[str, Callable[[ModelWriter], None]] = {
    f"{kind}_{name}": each
    for kind, some in (("conv", CONVOLUTIONS), ("depthwise", DEPTHWISES), ("matmul", MATMULS))
    for name, each in some.items()
}
CASES = tuple(Case(name, build) for name, build in (TAILS | TRAINED).items())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by board and rule; with --examples=2, by every board and every rule."""
    every = metafunc.config.getoption("--examples") > 1
    names = list(BOARDS)
    if metafunc.definition.get_closest_marker("parametrize"):
        return
    metafunc.parametrize("board", names if every else dict.fromkeys((names[0], names[-1])))
    if "rule" in metafunc.fixturenames:
        metafunc.parametrize("rule", ["notebook", "tflm"])


def usable(board: str) -> None:
    """Skip the test where the compiler is absent."""
    require_tools(load_board(board, [ROOT / "boards"]))


def test_kernels_are_exact(board: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Kernels are exact for every fourth case, or all with --examples=2; where Params may be
    compile-time constants, the first case's are, as in ops' tests.
    """
    usable(board)
    every = pytestconfig.getoption("--examples") > 1
    cases = CASES if every else CASES[3 - 2 * (board in ARM) :: 4]
    ops, content = shipped_ops(), merged_model(cases)
    chosen = compiled(
        replace(legal(content, ops), name="cases"),
        features=features_of(board),
        configuration=Configuration(preferences=Preferences(prefer=BOARDS[board])),
    )
    kernels = [node.kernel.name for node in chosen.graph.nodes if node.kernel]
    slow = [name for name in kernels if not name.startswith((*X86.values(), *ARM.values()))]
    assert len(slow) < len(kernels) / 16
    reference = Reference(content)
    sets = seeded_inputs(reference.inputs, BOARD_SETS)
    for tensor, x in zip(reference.inputs, sets[0], strict=True):
        if (case := tensor.name.partition("/")[0]).startswith("whole_"):
            x[...] = WHOLE[case.removeprefix("whole_").upper()]
        if case == "place_float32":
            x[0] = x[1:, ::3] = np.nan
        if case.startswith("nearest_"):  # floats beside multiples and halves of the scale
            near = np.float32(0.0065) * np.arange(1, x.size + 1).astype("f4")
            x.reshape(-1).view(np.int32)[...] = near.view(np.int32) + np.arange(x.size) % 5 - 2
    program = pack_weights(in_both_forms(chosen.graph), ops)
    results = process_answers(board, program, ops, tmp_path, sets)
    assert_equal(board, reference.outputs, results, [reference.run(each) for each in sets])


@pytest.mark.few(0)  # they take minutes
def test_kernels_follow_the_rule(board: str, rule: str, tmp_path: Path) -> None:
    """Vector kernels give the bytes of the portable ones, which ops' tests compare with LiteRT."""
    usable(board)
    content = merged_model(CASES)
    model = tmp_path / "cases.tflite"
    model.write_bytes(content)
    reference = oracle_of(content, known_beside(FOLDER), "litert")
    sets = seeded_inputs(reference.inputs, 2)
    ours, wanted = (
        answers(board, model, tmp_path / name, sets, reference.outputs, runtime=name, numerics=rule)
        for name in ("simd", "reference")
    )
    assert_equal(f"{board}, numerics={rule}", reference.outputs, ours, wanted)
    report = json.loads((tmp_path / "simd" / f"{board}-cases" / "report.json").read_text("utf-8"))
    taken = [node["kernel"].startswith((*X86.values(), *ARM.values())) for node in report["nodes"]]
    assert taken.count(False) < len(CASES) / 16


@pytest.mark.parametrize(
    ("board", "processor", "lacks"),
    [("x86_64", "Nehalem", "AVX2"), ("x86_64_vnni", "Haswell", "AVX-512 VNNI or VBMI")],
)
def test_a_processor_without_the_vectors_is_told(
    board: str, processor: str, lacks: str, tmp_path: Path
) -> None:
    core = load_board(board, [ROOT / "boards"]).core
    compiler, emulator = f"{core.architecture.tools}g++", shutil.which("qemu-x86_64")
    if shutil.which(compiler) is None or emulator is None:
        pytest.skip(f"{NO_PACKAGES}: no {compiler}, or no qemu-x86_64")
    (tmp_path / "main.cc").write_text("int main() {}\n", encoding="utf-8")
    program, sources = tmp_path / "program", [tmp_path / "main.cc", *core.architecture.sources]
    build = [compiler, "-Os", *core.flags, *map(str, sources), "-o", str(program)]
    subprocess.run(build, check=True)
    command = [emulator, "-cpu", processor, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 126
    assert f"this processor lacks {lacks}, for which the program was compiled" in done.stderr
