"""Tests of the benchmark of choices."""

from random import Random

from opsmith.tflite.cases import merged_model
from tests.bench import usual_layers
from tests.bench.choices import slow


def test_a_layer_is_told_where_a_rival_takes_less() -> None:
    chosen = {"a": "dsp", "b": "dsp", "c": "dsp", "alone": "reference"}
    measured = {
        "a": {"dsp": 120, "few": 110, "fours": 100},
        "b": {"dsp": 105, "few": 100},
        "c": {"dsp": 50, "fours": 90},
    }
    assert dict(slow(chosen, measured)) == {"a": ("fours", 1.2)}


def test_usual_layers_make_a_model() -> None:
    layers = usual_layers.drawn(Random(1), 20)
    assert len({type(each.build) for each in layers}) > 4
    assert merged_model(layers)
