"""LSTM, GRU, RNN, Attention and products of computed tensors, beside onnx.reference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.recurrent import GATES
from opsmith.ir import Array
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_cases import normal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx, requantised
from tests.unit.frontend.test_onnx_operators import found, near, saved, wanted

STEPS, BATCH, WIDTH, HIDDEN = 5, 2, 3, 4


def network(
    kind: str, which: int, given: Sequence[int] = (3,), **options: Any
) -> tuple[OnnxWriter, str, Sequence[int]]:
    """Model of a layer with the weights and further operands by number, and one of its outputs."""
    m, gates = OnnxWriter(), GATES[kind]
    count = 2 if options.get("direction") == "bidirectional" else 1
    first = (BATCH, count, HIDDEN) if options.get("layout") else (count, BATCH, HIDDEN)
    shapes = [(count, gates * HIDDEN, WIDTH), (count, gates * HIDDEN, HIDDEN)]
    further = {3: (count, 2 * gates * HIDDEN), 5: first, 6: first}
    names = ["x", *(m.constant(normal(*shape)) for shape in shapes)]
    names += [
        m.constant(normal(*further[i])) if i in given else ""
        for i in range(3, 7 if kind == "LSTM" else 6)
    ]
    outputs = ["a", "b", "c"][: 3 if kind == "LSTM" else 2]
    node = onnx.helper.make_node(kind, names, outputs, hidden_size=HIDDEN, **options)
    m.nodes.append(node)
    shape = (BATCH, STEPS, WIDTH) if options.get("layout") else (STEPS, BATCH, WIDTH)
    return m, outputs[which], shape


def agrees(m: OnnxWriter, y: str, shape: Sequence[int], folder: Path, opset: int = 20) -> None:
    """Raise where the model's floats are not near those of onnx.reference."""
    path = folder / "m.onnx"
    path.write_bytes(m.model(shape, y, opset).SerializeToString())
    x = np.random.default_rng(5).normal(0, 1, shape).astype(np.float32)
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=1e-5)


NETWORKS: list[tuple[str, int, Sequence[int], dict[str, Any]]] = [
    ("LSTM", 0, (), {}),
    ("LSTM", 0, (3, 5, 6), {"direction": "bidirectional"}),
    ("LSTM", 1, (3, 5), {"direction": "reverse"}),
    ("LSTM", 2, (3, 6), {}),
    ("GRU", 0, (), {}),
    ("GRU", 0, (3, 5), {"linear_before_reset": 1, "direction": "bidirectional"}),
    ("GRU", 0, (3,), {"direction": "reverse"}),
    ("GRU", 1, (3,), {"linear_before_reset": 1}),
    ("RNN", 0, (3, 5), {"direction": "bidirectional"}),
]


@pytest.mark.parametrize("case", NETWORKS, ids=str)
def test_recurrent_layers_are_near_the_reference(
    tmp_path: Path, case: tuple[str, int, Sequence[int], dict[str, Any]]
) -> None:
    kind, which, given, options = case
    agrees(*network(kind, which, given, **options), tmp_path)


def test_an_rnn_has_the_activation_that_it_names(tmp_path: Path) -> None:
    m, y, shape = network("RNN", 1, (), activations=["Relu"])
    w, r = (onnx.numpy_helper.to_array(each)[0] for each in m.constants[:2])
    x, h = normal(*shape), np.zeros((BATCH, HIDDEN), np.float32)
    for row in x:
        h = np.maximum(row @ w.T + h @ r.T, 0)
    near(found(saved(m, y, tmp_path, shape), x), h[None], rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("which", [0, 1])
def test_batches_may_come_first(tmp_path: Path, kind: str, which: int) -> None:
    plain, batched = (
        network(kind, which, layout=layout, direction="bidirectional") for layout in (0, 1)
    )
    batched[0].constants[:] = plain[0].constants
    x, made = normal(*plain[2]), []
    for (m, y, shape), given in ((plain, x), (batched, x.transpose(1, 0, 2))):
        made.append(found(saved(m, y, tmp_path, shape), given))
    near(made[0].transpose((2, 0, 1, 3) if which == 0 else (1, 0, 2)), made[1], 0, 0)


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("clip, input_forget", {"clip": 3.0}),
    ("only the activations", {"activations": ["Relu", "Tanh", "Tanh"]}),
    ("its direction is none", {"direction": "sideways"}),
    ("MDL003.*has 900 steps", {}),
]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case[0])
def test_what_is_not_read_says_why(tmp_path: Path, case: tuple[str, dict[str, Any]]) -> None:
    what, options = case
    m, y, shape = network("LSTM", 0, **options)
    path = saved(m, y, tmp_path, (900, *shape[1:]) if "steps" in what else shape)
    with pytest.raises(ToolchainError, match=what):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("flat", [False, True])
def test_attention_is_near_the_reference(tmp_path: Path, causal: int, flat: bool) -> None:
    m, options = OnnxWriter(), {"is_causal": causal}
    shape, mask = ((2, 6, 8), (6, 6)) if flat else ((2, 2, 6, 4), (2, 1, 6, 6))
    if flat:
        options |= {"q_num_heads": 2, "kv_num_heads": 2}
    k, v = (m.node("Mul", ["x", m.constant(normal(shape[-1]))]) for _ in range(2))
    given = ["x", k, v] if causal else ["x", k, v, m.constant(normal(*mask))]
    y = m.node("Attention", given, **options)
    if not flat:
        y = m.node("Reshape", [y, m.constant(np.array([2, -1]))])
    turned = (0, 2, 3, 1) if not flat else (0, 1, 2)
    path = tmp_path / "m.onnx"
    path.write_bytes(m.model(shape, y, 23).SerializeToString())
    x = np.random.default_rng(5).normal(0, 1, shape).astype(np.float32)
    _, graph = read(path, "m", shipped_ops())
    values = Evaluator(graph, shipped_ops()).run([x.transpose(turned)])
    near(np.asarray(values[graph.outputs[0]]), wanted(path, x), rtol=1e-5, atol=1e-5)


def test_products_of_computed_integers_equal_onnx_to_the_byte(tmp_path: Path) -> None:
    m, sx, sy = OnnxWriter(), np.float32(0.05), np.float32(0.3)
    x = m.through("x", 0.05, 3)
    turned = m.node("Transpose", [x], perm=[0, 2, 1])
    path = saved(m, m.through(m.node("MatMul", [x, turned]), 0.3, -9), tmp_path, (2, 6, 8))
    given = np.random.default_rng(5).integers(-128, 128, (2, 6, 8), np.int8)
    lifted: Array = given.astype(np.int64) - 3
    sums = lifted @ lifted.transpose(0, 2, 1)
    assert found(path, given).tolist() == requantised(sums, np.asarray(sx * sx / sy), -9).tolist()
