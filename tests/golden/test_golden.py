"""The emitted C++ is what was reviewed. To change it: `python -m tests.golden.update`."""

import difflib

import pytest

from tests.golden.golden_models import FOLDER, MODELS, emitted

UPDATE = "if the change is wanted: python -m tests.golden.update, and review the diff"


@pytest.mark.parametrize("name", MODELS)
def test_emitted_code_is_what_was_reviewed(name: str) -> None:
    found = emitted(name)
    kept = {p.name: p.read_text(encoding="utf-8") for p in sorted((FOLDER / name).iterdir())}
    lines: list[str] = []
    for file in sorted({*found, *kept}):
        old, new = kept.get(file, "").splitlines(), found.get(file, "").splitlines()
        lines += difflib.unified_diff(old, new, f"golden/{file}", f"emitted/{file}", lineterm="")
    assert not lines, "\n".join([UPDATE, *lines])
    assert set(found) == set(kept), UPDATE


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_emitting_twice_gives_the_same_bytes(name: str) -> None:
    assert emitted(name) == emitted(name)
