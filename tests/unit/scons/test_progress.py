"""The line of progress of a build: steps that are done, of those that SCons knows by then."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest
from SCons.Node import executed, no_state

from opsmith.scons.progress import BuildProgress
from opsmith.steps.programs import say


class Product:
    """Node of SCons; without a step that makes it, a source."""

    def __init__(self, *sources: Product, made: bool = True) -> None:
        self.sources, self.depends = [*sources], list[Any]()
        self.implicit: list[Any] | None = None
        self.executor: Any = self if made else None
        self.state = no_state

    def get_state(self) -> Any:
        return self.state

    def get_all_targets(self) -> Sequence[Product]:
        return [self]

    def build(self) -> None:
        """Mark the node as made; SCons then forgets its sources."""
        self.state, self.executor, self.implicit = executed, None, None


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_alone_sees_how_many_steps_are_left(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: terminal)
    now = 0.0
    source = Product(made=False)
    first, second = Product(source), Product(source)
    firmware = Product(first, second)
    progress = BuildProgress(lambda: now)
    progress.show([firmware])
    first.build()
    now = 2.0
    progress.show([firmware])
    firmware.implicit = [Product(source)]  # that a step has listed
    now = 3.0
    progress.show([firmware])
    progress.end()
    say("CC main.cc")
    out, err = capsys.readouterr()
    if terminal:
        lines = [each.removesuffix("\033[K").partition("] ")[2] for each in err.split("\r")[1:]]
        assert lines == ["1/3 2000.0 ms each, 4 s left", "1/4 3000.0 ms each, 9 s left", ""]
        assert out == "\r\033[KCC main.cc\n"
    else:
        assert (out, err) == ("CC main.cc\n", "")
