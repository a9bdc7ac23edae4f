"""A seeded part of what `python -m tests.fuzz.ops` tries."""

from pathlib import Path
from random import Random

import pytest

from tests.fuzz import judged
from tests.fuzz.judged import LIMITS, Failed, apart, look_at
from tests.fuzz.ops import agreed, judge
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow

COUNT = 14


def test_a_broken_op_is_refused_alike_by_check_and_build() -> None:
    tally = run_trials("ops", apart(judge), range(COUNT), 11, LIMITS)
    assert not tally.failures, tally.failures[0][1]
    assert tally.outcomes.total() == COUNT
    assert len(tally.outcomes) >= 5, f"the changes reach too little: {tally.outcomes}"


def test_a_case_that_fails_or_hangs_or_dies_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "DEADLINE", 0.3)

    def odd(chance: Random, folder: Path) -> str:
        match chance.randrange(4):
            case 0:
                raise Failed("seen")
            case 1:
                while True:
                    pass
            case 2:
                raise SystemExit(0)
        return "good"

    tally = run_trials("odd", apart(odd), range(12), 1, LIMITS)
    assert set(tally.outcomes) == {"FAILED", "good"}
    for why in ("Failed: seen", "no end within 0.3 s", "SystemExit: 0"):
        assert any(why in text for _, text in tally.failures)


@pytest.mark.parametrize(
    "text", ["Traceback (most recent call last):", "error BLD099: x", "\x1b[31m", "a\rb"]
)
def test_what_no_command_may_print_is_seen(text: str) -> None:
    with pytest.raises(Failed):
        look_at(f"some {text}")


def test_a_build_that_refuses_what_check_accepts_is_seen() -> None:
    assert agreed({"OPS002"}, [{"OPS002"}, set()], of_node=False) == "OPS002"
    with pytest.raises(Failed, match="a build refuses"):
        agreed(set(), [{"OPS002"}], of_node=True)
    with pytest.raises(Failed, match="a build refuses"):
        agreed(set(), [set(), set(), {"OPS070"}], of_node=False)
    excused = agreed({"OPS020"}, [{"OPS020"}, {"OPS020"}, {"OPS070"}], of_node=True)
    assert excused == "refused for the model's node"
    with pytest.raises(Failed, match="a build ends with"):
        agreed(set(), [{"BLD091"}], of_node=False)
