"""A command that compares says how far the outputs of other rules are."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Array, Numerics
from opsmith.oracle import rules
from opsmith.oracle.question import Question
from opsmith.oracle.rules import other_answers

FLOATS = np.array([1.0, np.nan, np.inf, -0.0], np.float32)
SAME = "the same outputs: LiteRT's default interpreter"
DIFFER, NAN = "outputs differ", "where one or both are NaN"
BYTES = np.array([1, 127], np.int8)
WORDS = np.array([0, 6172839], np.int32)


@pytest.mark.parametrize(("ours", "theirs", "said"), [
    (FLOATS, FLOATS.copy(), SAME),  # NaN does not differ from NaN
    (FLOATS, np.array([0.75, *FLOATS[1:]], np.float32), "1 of 4 outputs differ, by up to 0.25"),
    (FLOATS, np.ones(4, np.float32), f"3 of 4 {DIFFER}, by up to inf and {NAN}"),
    (FLOATS[1:2], np.ones(1, np.float32), f"1 of 1 {DIFFER}, {NAN}"),
    (BYTES, BYTES + np.int8(1), "2 of 2 outputs differ, by up to 255"),
    (WORDS, -WORDS, "1 of 2 outputs differ, by up to 12345678"),
])  # fmt: skip
def test_other_rules_say_by_how_much_they_differ(
    ours: Array, theirs: Array, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "cannot_answer", lambda rule: rule != Numerics.NOTEBOOK)
    monkeypatch.setattr(rules, "answers", lambda *_: {"y": theirs})
    asked = Question(Path("m"), Path(), [], [])
    found = other_answers(Numerics.REFERENCE, asked, {"y": ours})
    assert [*found] == [said if said is SAME else f"LiteRT's default interpreter: {said}"]
