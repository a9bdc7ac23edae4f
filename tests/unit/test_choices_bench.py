"""Tests of the benchmark of choices."""

from random import Random

import pytest

from opsmith.ir import Candidate, KernelChoice, Node
from opsmith.tflite.cases import Case, merged_model
from tests.bench import usual_layers
from tests.bench.choices import ratios, rivals_of


def test_a_layer_is_held_against_its_fastest_kernel() -> None:
    chosen = {"a": "dsp", "b": "dsp", "alone": "reference"}
    measured = {"a": {"dsp": 120, "few": 110, "fours": 100}, "b": {"dsp": 50, "fours": 90}}
    assert ratios(chosen, measured) == pytest.approx({"a": 1.2, "b": 1.0, "alone": 1.0})


def test_each_kernel_is_measured_once() -> None:
    costs = {"fours": 20.0, "few": 10.0, "dear": 70.0, "unknown": None}
    candidates = tuple(
        Candidate(name, i, cost=cost) for i, (name, cost) in enumerate(costs.items())
    )
    choice = KernelChoice("few", "few", 1, (), "", candidates)
    assert rivals_of(Node("n", "op", (), (), kernel=choice)) == ["few", "fours", "unknown"]


def test_usual_layers_of_each_kind_make_a_model() -> None:
    chance = Random(1)
    layers = [Case(kind.__name__, kind(chance)) for kind in usual_layers.KINDS]
    assert merged_model(layers)
