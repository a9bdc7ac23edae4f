"""The .pt2 front end: ExecuTorch's integers to the byte, floats, layouts, and what it refuses."""

import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.refusals import refusal
from tests.unit.frontend.pt2_models import (
    Name,
    Pt2Writer,
    added,
    archive,
    bytes_of,
    convolved,
    requantised,
)

RNG = np.random.default_rng(2)


def answers(path: Path, x: Array) -> tuple[list[Array], Graph]:
    """Outputs of the legal graph by numpy, and the graph."""
    _, graph = read(path, "m", shipped_ops())
    values = Evaluator(graph, shipped_ops()).run([x])
    return [np.asarray(values[name]) for name in graph.outputs], graph


def single(scale: float) -> float:
    return float(np.float32(scale))


def test_quantised_layers_equal_executorch_to_the_byte(tmp_path: Path) -> None:
    sx, sy, sz, sa, so = map(single, (0.031, 0.027, 0.043, 0.05, 0.06))
    w, v = (RNG.integers(-127, 128, size).astype(np.int8) for size in ((6, 4, 3, 3), (6, 1, 3, 3)))
    ws, vs = RNG.uniform(0.002, 0.01, (2, 6)).astype(np.float32)
    u, su = RNG.integers(-127, 128, (5, 6)).astype(np.int8), single(0.013)
    bias = RNG.integers(-900, 900, 6).astype(np.int32)
    m = Pt2Writer((1, 4, 8, 8))
    x = m.through("x", sx, 3)
    biases = m.weights(bias, np.float32(sx) * ws)
    sizes = (1, 6, 8, 8)
    y = m.call("conv2d", sizes, input=x, weight=m.weights(w, ws), bias=biases, padding=[1, 1])
    y = m.through(m.call("relu", sizes, self=y), sy, -128)
    z = m.call(
        "conv2d", sizes, input=y, weight=m.weights(v, vs), bias=None, padding=[1, 1], groups=6
    )
    z = m.through(m.call("hardtanh", sizes, self=z, min_val=-99.0, max_val=99.0), sz, -5)
    a = m.through(m.call("aten.add.Tensor", sizes, self=y, other=z), sa, 4)
    a = m.through(m.call("max_pool2d", (1, 6, 1, 1), self=a, kernel_size=[8, 8]), sa, 4)
    a = m.call("aten.flatten.using_ints", (1, 6), self=a, start_dim=1)
    o = m.call("linear", (1, 5), input=a, weight=m.weights(u, [su] * 5), bias=None)
    path = m.save(tmp_path / "m.pt2", m.through(o, so, -3))

    def rescaled(sums: Array, scales: Array, *others: float) -> Array:
        ratios = [others[0] * float(scale) / others[1] for scale in scales]
        return np.stack([requantised(sums[:, i], r) for i, r in enumerate(ratios)], 1)

    for _ in range(5):
        given = RNG.integers(-128, 128, (1, 4, 8, 8)).astype(np.int8)
        sums = convolved(given.astype(int) - 3, w, 1, 1) + bias[:, None, None]
        first = bytes_of(rescaled(sums, ws, sx, sy), -128)
        sums = convolved(first.astype(int) + 128, v, 1, 6)
        second = bytes_of(rescaled(sums, vs, sy, sz), -5)
        whole = bytes_of(added((first, sy, -128), (second, sz, -5), sa), 4)
        rows = whole.reshape(1, 6, 64).max(2).astype(np.int64) - 4
        wanted = bytes_of(requantised(rows @ u.T.astype(np.int64), sa * su / so), -3)
        (found,), graph = answers(path, given.transpose(0, 2, 3, 1))
        assert found.tolist() == wanted.tolist()
    assert "transpose" not in {node.op for node in graph.nodes}
    assert {node.numerics for node in graph.nodes} <= {"tflm", "reference"}


def test_functions_of_bytes_are_tables_of_any_scale(tmp_path: Path) -> None:
    m, scales = Pt2Writer((1, 256)), (single(0.05), single(0.0034))
    y = m.call("sigmoid", (1, 256), self=m.through("x", scales[0], 7))
    path = m.save(tmp_path / "m.pt2", m.through(y, scales[1], -128))
    every = np.arange(-128, 128).astype(np.int8)
    real = 1 / (1 + np.exp(-(every.astype(float) - 7) * scales[0])) / scales[1] - 128
    wanted = np.clip(np.sign(real) * np.floor(np.abs(real) + 0.5), -128, 127)
    (found,), _ = answers(path, every.reshape(1, 256))
    assert found.tolist() == [wanted.tolist()]


def test_a_function_that_is_not_defined_goes_on_as_at_its_end(tmp_path: Path) -> None:
    m, scales = Pt2Writer((1, 256)), (single(0.05), single(0.02))
    y = m.call("log", (1, 256), self=m.through("x", scales[0], -100))
    path = m.save(tmp_path / "m.pt2", m.through(y, scales[1], 5))
    every = np.arange(-128, 128).astype(np.int8)
    real = np.log(np.arange(1, 228) * scales[0]) / scales[1] + 5
    known = np.clip(np.sign(real) * np.floor(np.abs(real) + 0.5), -128, 127)
    (found,), _ = answers(path, every.reshape(1, 256))
    assert found.tolist() == [[*[-128] * 29, *known]]


def test_floats_are_quantised_by_a_product_and_halves_to_even(tmp_path: Path) -> None:
    m, scale = Pt2Writer((1, 64)), single(0.003)
    y = m.through(m.call("sin", (1, 64), self=Name("x")), scale, -7)
    path = m.save(tmp_path / "m.pt2", m.call("neg", (1, 64), self=y))
    x = RNG.normal(0, 0.1, (1, 64)).astype(np.float32)
    steps = np.rint(np.sin(x) * np.float32(1 / scale)) - 7
    (found,), graph = answers(path, x)
    wanted = (np.clip(steps, -128, 127) + 7) * -np.float32(scale)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert "quantize_even" in {node.op for node in graph.nodes}


def test_products_and_extremes_of_two_tensors(tmp_path: Path) -> None:
    m, scale = Pt2Writer((2, 3, 3)), single(0.1)
    x = m.through("x", scale, 4)
    y = m.through(m.call("bmm", (2, 3, 3), self=x, mat2=x), 4 * scale, -9)
    path = m.save(
        tmp_path / "m.pt2", m.through(m.call("minimum", (2, 3, 3), self=x, other=x), scale, 4), y
    )
    given = RNG.integers(-128, 128, (2, 3, 3)).astype(np.int8)
    lifted = given.astype(np.int64) - 4
    (least, product), graph = answers(path, given)
    assert least.tolist() == given.tolist()
    assert (
        product.tolist()
        == bytes_of(requantised(lifted @ lifted, scale * scale / (4 * scale)), -9).tolist()
    )
    assert [node.op for node in graph.nodes if node.op == "batch_matmul"]


def test_hard_functions_are_what_executorch_makes_of_them(tmp_path: Path) -> None:
    m, (sx, sy, sz) = Pt2Writer((1, 256)), (single(0.03), single(0.02), 1 / 256)
    x = m.through("x", sx, -30)
    weights = m.weights(np.eye(256, dtype=np.int8), np.full(256, single(0.9)))
    y = m.call("hardsigmoid", (1, 256), self=m.call("linear", (1, 256), input=x, weight=weights))
    z = m.through(m.call("hardswish", (1, 256), self=x), sy, -120)
    path = m.save(tmp_path / "m.pt2", m.through(y, sz, -128), z)
    every = np.arange(-128, 128).astype(np.int8).reshape(1, 256)
    lifted = every.astype(np.int64) + 30
    (sigmoid, swish), _ = answers(path, every)
    assert sigmoid.tolist() == bytes_of(requantised(lifted, sx * single(0.9) * 256 / 6), 0).tolist()
    least = np.minimum(lifted, 70 + 30)  # of 3: 100 steps beyond the zero point, and there at 70
    assert (
        swish.tolist()
        == bytes_of(requantised(lifted * (least + 100), sx * sx / 6 / sy), -120).tolist()
    )


def test_a_hard_sigmoid_of_floats_is_one(tmp_path: Path) -> None:
    m, u = Pt2Writer((1, 8)), RNG.normal(0, 1, (8, 8)).astype(np.float32)
    y = m.call("linear", (1, 8), input=Name("x"), weight=m.parameter(u))
    y = m.through(m.call("hardsigmoid", (1, 8), self=y), 1 / 256, -128)
    path, x = m.save(tmp_path / "m.pt2", y), RNG.normal(0, 1, (1, 8)).astype(np.float32)
    (found,), _ = answers(path, x)
    wanted = np.rint(np.clip(x @ u.T / 6 + 0.5, 0, 1) * 256) - 128
    assert np.clip(wanted, -128, 127).tolist() == found.tolist()


def test_what_is_not_quantised_is_named(tmp_path: Path) -> None:
    m = Pt2Writer((1, 4))
    y = m.call("aten.mul.Tensor", (1, 4), self=m.through("x", 0.05, 3), other=0.5)
    path = m.save(tmp_path / "m.pt2", m.call("tanh", (1, 4), self=y))
    model, _ = read(path, "m", shipped_ops())
    (line,) = (each for each in model.assumed if "operators in float" in each)
    assert line.startswith("3 operators in float: x_real (DEQUANTIZE), ")
    assert "v3 (TANH)" in line


def test_floats_and_layouts(tmp_path: Path) -> None:
    m = Pt2Writer((1, 3, 6, 6))
    w, u = (RNG.normal(0, 0.4, size).astype(np.float32) for size in ((4, 3, 1, 1), (4, 4)))
    mean, variance = RNG.uniform(0.5, 2, (2, 4)).astype(np.float32)
    y = m.call("conv2d", (1, 4, 6, 6), input=Name("x"), weight=m.parameter(w), bias=None)
    y = m.call(
        "batch_norm", (1, 4, 6, 6), input=y, weight=None, bias=None, training=False, eps=1e-5,
        running_mean=m.parameter(mean), running_var=m.parameter(variance), momentum=0.1,
    )  # fmt: skip
    y = m.call("clamp", (1, 4, 6, 6), self=y, min=-1, max=0.5)
    z = m.call("aten.cat.default", (1, 8, 6, 6), tensors=[y, y], dim=1)
    z = m.call("aten.slice.Tensor", (1, 4, 6, 6), self=z, dim=1, start=2, end=6)
    z = m.call("clone", (1, 4, 6, 6), self=z)
    z = m.call("aten.mean.dim", (1, 4), self=z, dim=[2, 3])
    t = m.call("permute", (4, 4), self=m.parameter(u), dims=[1, 0])
    bias = m.parameter(np.arange(4, dtype=np.float32))
    z = m.call("addmm", (1, 4), self=bias, mat1=z, mat2=t)
    path = m.save(tmp_path / "m.pt2", m.call("_softmax", (1, 4), self=z, dim=-1), y)
    x = RNG.normal(0, 1, (1, 6, 6, 3)).astype(np.float32)
    images = np.einsum("nhwc,mc->nmhw", x, w[:, :, 0, 0])
    images = np.clip(
        (images - mean[:, None, None]) / np.sqrt(variance + 1e-5)[:, None, None], -1, 0.5
    )
    rows = images[:, [2, 3, 0, 1]].mean((2, 3)) @ u.T + np.arange(4)
    wanted = np.exp(rows) / np.exp(rows).sum()
    (found, image), graph = answers(path, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    np.testing.assert_allclose(image.transpose(0, 3, 1, 2), images, rtol=1e-4, atol=1e-6)
    assert "transpose" not in {node.op for node in graph.nodes}


def small() -> dict[str, bytes]:
    """Files of a program of one convolution."""
    m = Pt2Writer((1, 2, 4, 4))
    w = m.parameter(np.ones((3, 2, 1, 1), np.float32))
    y = m.call("conv2d", (1, 3, 4, 4), input=Name("x"), weight=w, bias=None)
    return m.members(m.call("relu", (1, 3, 4, 4), self=y))


def of(name: str, edit: Callable[[Any], object]) -> Callable[[dict[str, bytes]], object]:
    """Edit of a file of JSON in the archive."""

    def edited(members: dict[str, bytes]) -> None:
        found = json.loads(members[name])
        edit(found)
        members[name] = json.dumps(found).encode()

    return edited


def graph(edit: Callable[[Any], object]) -> Callable[[dict[str, bytes]], object]:
    return of("models/model.json", lambda found: edit(found["graph_module"]["graph"]))


def weight(edit: Callable[[Any], object]) -> Callable[[dict[str, bytes]], object]:
    return of("data/weights/model_weights_config.json", lambda f: edit(f["config"]["p.0"]))


def older(members: dict[str, bytes]) -> None:
    members.clear()
    members |= {"serialized_exported_program.json": b"{}", "serialized_state_dict.pt": b"\x80"}


MORE = {"name": "out", "arg": {"as_int": 1}}
WEIGHTS = "data/weights/weight_0"
CONFIG = "data/weights/model_weights_config.json"
EDITS: list[tuple[str, Callable[[dict[str, bytes]], object]]] = [
    ("MDL042", older),
    ("MDL042", lambda m: m.update({"data/weights/model.pt": m.pop(CONFIG)})),
    ("MDL042", weight(lambda w: w.update(use_pickle=True))),
    ("MDL042", lambda m: [m.pop("archive_format"), m.update({"data.pkl": b"\x80"})]),
    ("MDL043", lambda m: m.update(archive_version=b"1")),
    ("MDL043", of("models/model.json", lambda p: p["schema_version"].update(major=9))),
    ("MDL001", lambda m: m.update({"../x": b""})),
    ("MDL001", lambda m: m.update({"models/other.json": m["models/model.json"]})),
    ("MDL001", lambda m: m.update({"models/model.json": b"[" * 100_000})),
    ("MDL001", lambda m: m.update({"models/model.json": b"{}"})),
    ("MDL001", lambda m: m.pop(WEIGHTS)),
    ("MDL001", weight(lambda w: w.update(path_name="../../etc/passwd"))),
    ("MDL006", lambda m: m.update({WEIGHTS: m[WEIGHTS][:-4]})),
    ("MDL006", weight(lambda w: w["tensor_meta"]["strides"][0].update(as_int=1 << 62))),
    ("MDL006", weight(lambda w: w["tensor_meta"]["sizes"][0].update(as_int=-1))),
    ("MDL006", weight(lambda w: w["tensor_meta"]["sizes"][1].update(as_int=1 << 40))),
    ("MDL006", lambda m: m.update(byteorder=b"big")),
    ("MDL006", graph(lambda g: g["tensor_values"]["v1"]["sizes"][1].update(as_int=9))),
    ("MDL012", weight(lambda w: w["tensor_meta"].update(dtype=6))),
    ("MDL012", graph(lambda g: g["tensor_values"]["x"].update(dtype=5))),
    ("MDL003", graph(lambda g: g["tensor_values"]["x"]["sizes"].__setitem__(0, {"as_expr": {}}))),
    ("MDL007", graph(lambda g: g["nodes"].reverse())),
    ("MDL007", graph(lambda g: g["nodes"].append(g["nodes"][0]))),
    ("MDL010", graph(lambda g: g["nodes"][1].update(target="torch.ops.aten.magic.default"))),
    ("MDL010", graph(lambda g: g["nodes"][1].update(target="torch.ops.mine.relu.default"))),
    ("MDL013", graph(lambda g: g["nodes"][1]["inputs"].append(MORE))),
    ("MDL013", graph(lambda g: g["nodes"][0]["inputs"].pop(0))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edit"), EDITS)
def test_wrong_files_get_one_error(
    tmp_path: Path, code: str, edit: Callable[[dict[str, bytes]], object]
) -> None:
    members = small()
    edit(members)
    caught = refusal(read, archive(tmp_path / "m.pt2", members), "m", shipped_ops())
    assert code in {problem.code for problem in caught.problems}


def test_an_unknown_operator_is_named_once_with_its_calls(tmp_path: Path) -> None:
    members, magic = small(), {"target": "torch.ops.aten.magic.default"}
    graph(lambda g: [call.update(magic) for call in g["nodes"]])(members)
    caught = refusal(read, archive(tmp_path / "m.pt2", members), "m", shipped_ops())
    (problem,) = caught.problems
    assert [problem.where.count(f"operator {call} (") for call in range(2)] == [1, 1]


def test_tensors_of_float16_are_refused_at_once(tmp_path: Path) -> None:
    members = small()
    graph(lambda g: [value.update(dtype=6) for value in g["tensor_values"].values()])(members)
    caught = refusal(read, archive(tmp_path / "m.pt2", members), "m", shipped_ops())
    (problem,) = caught.problems
    assert (problem.code, problem.what[:31]) == ("MDL012", "float16 is not supported: 'x' a")
    assert "MODEL.float()" in problem.fix
    assert all(str(tmp_path / "m.pt2") in problem.where for problem in caught.problems)


def _twice(path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as file:
        file.writestr("m/byteorder", b"little")


def _link(path: Path) -> None:
    info = zipfile.ZipInfo("m/data/weights/link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(info, "/etc/passwd")


def _bomb(path: Path) -> None:
    """Archive with a file of which its directory says that it has 3 GiB."""
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("m/bomb", b"\0" * 1000, zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = (3 << 30).to_bytes(4, "little")
    path.write_bytes(data)


def _dense(path: Path) -> None:
    """Archive with a file that unpacks to 80 MiB from 80 KB."""
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("m/data/weights/zeros", bytes(80 << 20), zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize(("what", "edit"), [
    ("one name", _twice),
    ("is a link", _link),
    ("more than 2048 MiB", _bomb),
    pytest.param("80 MiB, more than 100 times its size", _dense, marks=pytest.mark.slow),
])  # fmt: skip
def test_wrong_archives_get_one_error(
    tmp_path: Path, what: str, edit: Callable[[Path], None]
) -> None:
    path = archive(tmp_path / "m.pt2", small())
    edit(path)
    with pytest.raises(ToolchainError, match=f"MDL001.*{what}"):
        read(path, "m", shipped_ops())


def test_a_program_of_another_suffix_is_told_which_to_take(tmp_path: Path) -> None:
    path = archive(tmp_path / "m.tflite", small())
    with pytest.raises(ToolchainError, match=r"MDL034.*\n.*\n.*ends with \.pt2"):
        read(path, "m", shipped_ops())
