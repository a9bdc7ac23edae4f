"""Which of two forms of a program opt=size ships, and `tune` measures."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from opsmith import conversion
from opsmith.build_options import BuildOptions
from opsmith.conversion import program_of
from opsmith.pipeline import Configuration, unseen
from opsmith.schedule.ram_trade import RamBudget
from opsmith.select.choice import Preferences
from opsmith.select.flash_budget import FlashBudget

BYTES = {"size": (100, 50), "balanced": (120, 10)}  # flash and RAM of each form


@pytest.fixture(autouse=True)
def _forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs be the names of their forms, of the sizes in BYTES."""

    def made(graph: Any, ops: Any, configuration: Configuration, *_: Any) -> Any:
        return SimpleNamespace(graph=configuration.options.opt)

    monkeypatch.setattr(conversion, "compile_graph", made)
    monkeypatch.setattr(conversion, "flash_bytes", lambda form, *_: BYTES[form][0])
    monkeypatch.setattr(conversion, "ram", lambda form, *_: BYTES[form][1])


def form(shipped: Configuration, *, measures: bool = False) -> Any:
    """Form of the program that is shipped, or measured for it."""
    if not measures:
        return program_of(None, None, shipped, "m", unseen).graph  # type: ignore[arg-type]
    own = replace(shipped, preferences=Preferences(candidate=1), flash=FlashBudget())
    return program_of(None, None, own, "m", unseen, shipped).graph  # type: ignore[arg-type]


@pytest.mark.parametrize(("flash", "ram", "taken"), [
    (None, None, "balanced"),  # less of both together
    (120, None, "balanced"),
    (119, None, "size"),  # the board's flash is too small for the other
    (119, 49, "balanced"),  # each lacks a byte
    (99, 9, "balanced"),  # 22 bytes too many, of the other 42
])  # fmt: skip
@pytest.mark.parametrize("measures", [False, True])
def test_the_form_that_fits_is_shipped_and_measured(
    flash: int | None, ram: int | None, taken: str, measures: bool
) -> None:
    room = FlashBudget(0, room=flash, weighs=True)
    shipped = Configuration(
        frozenset(), BuildOptions(opt="size"), flash=room, ram=RamBudget(ram, "ram")
    )
    assert form(shipped, measures=measures) == taken


def test_other_options_have_one_form() -> None:
    shipped = Configuration(frozenset(), BuildOptions(opt="balanced"))
    assert form(shipped) == form(shipped, measures=True) == "balanced"
