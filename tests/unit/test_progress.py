"""A line of progress: on a terminal alone, of long commands alone, with what is left."""

import sys
from argparse import Namespace
from pathlib import Path

import pytest

from opsmith.oracle.deadline import Deadline
from opsmith.progress import Progress, progress
from opsmith.rig import tune


@pytest.mark.parametrize(("terminal", "seconds"), [(True, 4.0), (False, 4.0), (True, 0.5)])
def test_a_terminal_sees_how_long_it_will_take(
    terminal: bool,
    seconds: float,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    times = iter((0.0, seconds))
    with progress(100, 20, lambda: next(times)) as shown:
        shown.show(60)
    said = capsys.readouterr().err
    if terminal and seconds > 1:
        assert said == f"\r[{18 * '#'}{12 * '.'}] 60/100 100.0 ms each, 4 s left\033[K\n"
    else:
        assert said == ""


def test_tune_shows_how_many_builds_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []
    monkeypatch.setattr(Progress, "show", lambda self, done: shown.append(done))
    monkeypatch.setattr(tune, "_profile", lambda options, folder, deadline: folder)
    options = Namespace(builds=[Path("a"), Path("b"), Path("c")])
    assert tune.measured(options, Deadline(1, 3)) == options.builds
    assert shown == [1, 2, 3]
