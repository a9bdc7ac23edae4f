"""Layers of float32 in .pt2 files: sequences, functions, groups and attention."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.refusals import refusal
from tests.unit.frontend.pt2_models import Name, Pt2Writer
from tests.unit.frontend.test_pt2 import answers

RNG = np.random.default_rng(8)


def test_sequences_have_the_layers_of_images(tmp_path: Path) -> None:
    weights = [RNG.normal(0, 0.4, size).astype(np.float32) for size in ((4, 3, 3), (4, 2, 4))]
    x, found = RNG.normal(0, 1, (1, 16, 3)).astype(np.float32), []
    for more in ((), (1,)):  # images of one column
        m, kind = Pt2Writer((1, 3, 16, *more)), f"{1 + len(more)}d"
        first, last = (m.parameter(each.reshape(*each.shape, *more)) for each in weights)
        ones, twos, zeros = [1, *more], [2, *more], [1, *(0 for _ in more)]
        steps = {"stride": twos, "padding": zeros, "dilation": ones, "bias": None}
        y = m.call(f"conv{kind}", (1, 4, 8, *more), input=Name("x"), weight=first, **steps)
        y = m.call(f"max_pool{kind}", (1, 4, 4, *more), self=y, kernel_size=twos, stride=twos)
        y = m.call(f"conv_transpose{kind}", (1, 2, 8, *more), input=y, weight=last, **steps)
        y = m.call(f"avg_pool{kind}", (1, 2, 4, *more), self=y, kernel_size=twos, stride=twos)
        sizes = {"output_size": [2, *more]}
        y = m.call(f"adaptive_avg_pool{kind}", (1, 2, 2, *more), self=y, **sizes)
        (made,), _ = answers(m.save(tmp_path / f"{kind}.pt2", y), x.reshape(1, 16, *more, 3))
        found.append(made.reshape(-1).tolist())
    assert found[0] == found[1]
    assert np.std(found[0]) > 0


def test_functions_of_each_element(tmp_path: Path) -> None:
    m, slopes = Pt2Writer((1, 6)), np.linspace(0.1, 0.6, 6, dtype=np.float32)
    given: dict[str, dict[str, object]] = {
        "elu": {"alpha": 0.5}, "prelu": {"weight": m.parameter(slopes)}, "mish": {},
    }  # fmt: skip
    outputs = [m.call(name, (1, 6), self=Name("x"), **each) for name, each in given.items()]
    x = np.array([[-3, -1, -0.2, 0, 0.7, 2]], np.float32)
    found, _ = answers(m.save(tmp_path / "m.pt2", *outputs), x)
    wanted = [
        np.where(x > 0, x, 0.5 * np.expm1(x)),
        np.where(x > 0, x, x * slopes),
        x * np.tanh(np.log1p(np.exp(x))),
    ]
    for one, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, right, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_normalised_groups(causal: bool, tmp_path: Path) -> None:
    m = Pt2Writer((1, 4, 6))
    y = m.call("group_norm", (1, 4, 6), input=Name("x"), num_groups=2, weight=None, bias=None)
    y = m.call("aten.unflatten.int", (1, 2, 2, 6), self=y, dim=1, sizes=[2, 2])
    given = {"query": y, "key": y, "value": y, "is_causal": causal, "scale": 0.5}
    y = m.call("scaled_dot_product_attention", (1, 2, 2, 6), **given)
    x = RNG.normal(0, 1, (1, 4, 6)).astype(np.float32)
    (found,), _ = answers(m.save(tmp_path / "m.pt2", y), x)
    heads = x.reshape(1, 2, 2, 6)
    heads = heads - heads.mean((2, 3), keepdims=True)
    heads /= np.sqrt(np.square(heads).mean((2, 3), keepdims=True) + 1e-5)
    scores = np.exp(heads @ heads.swapaxes(2, 3) * 0.5) * (np.tri(2) if causal else 1)
    wanted = scores / scores.sum(-1, keepdims=True) @ heads
    np.testing.assert_allclose(found.reshape(-1), wanted.reshape(-1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("name", "given", "what"), [
    ("conv1d", {"input": Name("x"), "weight": Name("x")}, "only images and sequences are read"),
    ("elu", {"self": Name("x"), "input_scale": 2}, "scale and input_scale are not read but as 1"),
    ("scaled_dot_product_attention", {n: Name("x") for n in ("query", "key", "value")},
     "only batches of heads are read"),
])  # fmt: skip
def test_what_is_not_read_is_refused(
    name: str, given: dict[str, object], what: str, tmp_path: Path
) -> None:
    m = Pt2Writer((1, 4))
    path = m.save(tmp_path / "m.pt2", m.call(name, (1, 4), **given))
    (problem,) = refusal(read, path, "m", shipped_ops()).problems
    assert (problem.code, what in problem.what) == ("MDL013", True)
