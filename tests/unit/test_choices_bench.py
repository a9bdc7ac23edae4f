"""Tests of the benchmark of choices."""

from tests.bench.choices import slow


def test_a_layer_is_told_where_a_rival_takes_less() -> None:
    chosen = {"a": ("dsp", 120), "b": ("dsp", 105), "c": ("dsp", 50)}
    rivals = [{"a": ("few", 110), "b": ("few", 100), "c": ("dsp", 50)},
              {"a": ("fours", 100), "b": ("dsp", 105), "c": ("fours", 90)}]  # fmt: skip
    assert dict(slow(chosen, rivals)) == {"a": ("fours", 1.2)}
    assert not [*slow(chosen, [])]
