"""Code of dataclasses that is kept: classes of equal texts stay classes of their own."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from opsmith.testing import dataclass_code


def of_default(value: int) -> type[Any]:
    @dataclass(frozen=True, order=True)
    class Kept:
        a_field_of_no_other_class: int = value
        more: list[int] = field(default_factory=lambda: [value])

    return Kept


def test_nothing_is_compiled_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    first = of_default(1)
    monkeypatch.setattr(dataclass_code, "compile", None, raising=False)
    second = of_default(2)
    assert (repr(first()), repr(second())) == tuple(
        f"of_default.<locals>.Kept(a_field_of_no_other_class={n}, more=[{n}])" for n in (1, 2)
    )
    assert second(1, [1]) != first() == first(1) < first(2)
    with pytest.raises(FrozenInstanceError):
        second().more = []


def test_another_process_knows_what_it_borrows(monkeypatch: pytest.MonkeyPatch) -> None:
    of_default(1)
    known = dict(dataclass_code._known)
    file = Path(dataclass_code.lent())
    monkeypatch.setattr(dataclass_code, "_known", {})
    dataclass_code.borrow(str(file))
    assert dataclass_code._known == known
    assert not file.exists()
