"""Tests of modules that the fast tier leaves out, as random tests, and of digests that its tests
share.
"""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from opsmith.home import HOME, RUNTIMES
from opsmith.registration import all_names
from tests.conftest import (
    FAST,
    FAST_PARAMETERS,
    SLOW_MODULE,
    _is_named,
    _tried,
    pytest_ignore_collect,
)
from tests.shipped import digest, quick_digest, quick_files

SLOW = "import pytest\n\npytestmark = [pytest.mark.system, pytest.mark.qemu]\n"
RANDOM = re.compile(r"^(?:from|import) hypothesis\b", re.MULTILINE)
FIRST_SLOW = "import pytest\n\n@pytest.mark.slow\ndef test_x(): ...\n\ndef test_y(): ...\n"


@pytest.mark.parametrize(("name", "text", "expression", "ignored"), [
    ("test_a.py", SLOW, FAST, True),
    ("test_a.py", SLOW, "", None),
    ("test_a.py", SLOW, "slow", None),
    ("test_a.py", FIRST_SLOW, FAST, None),
    ("a.py", SLOW, FAST, None),
])  # fmt: skip
def test_modules_that_are_slow_as_a_whole_are_left_out(
    name: str, text: str, expression: str, ignored: bool | None, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    config: Any = SimpleNamespace(option=SimpleNamespace(markexpr=expression))
    assert pytest_ignore_collect(tmp_path / name, config) is ignored


@pytest.mark.parametrize(("expression", "marks", "tried"), [
    ("", [], 21),
    (FAST, [], FAST_PARAMETERS),
    ("", [pytest.mark.few(2)], 2),
    (FAST, [pytest.mark.few(9)], FAST_PARAMETERS),
    ("", [pytest.mark.first(3)], 3),
    (FAST, [pytest.mark.first(3)], 3),
])  # fmt: skip
def test_a_sample_of_parameters_is_tried_in_their_order(
    expression: str, marks: list[pytest.MarkDecorator], tried: int
) -> None:
    found = {each.name: each.mark for each in marks}
    slow = [pytest.mark.slow.mark]
    calls = [SimpleNamespace(at=at, marks=[] if at else slow) for at in range(21)]
    test = SimpleNamespace(nodeid="tests/test_x.py::test_x", get_closest_marker=found.get)
    config = SimpleNamespace(option=SimpleNamespace(markexpr=expression))
    metafunc: Any = SimpleNamespace(definition=test, config=config, _calls=calls)
    taken = [each.at for each in _tried(metafunc)]
    assert len(taken) == tried
    assert taken == sorted({*taken})
    assert taken == [each.at for each in _tried(metafunc)]
    if "first" in found:
        assert max(taken) < 4
    elif expression == FAST:
        assert 0 not in taken


def test_a_node_id_with_parameters_names_its_test_alone() -> None:
    arguments = ["tests/unit", "tests/test_a.py::test_b", "tests/test_x.py::test_x[a::b]"]
    assert [_is_named(name, arguments) for name in ("test_x", "test", "test_b")] == [
        True,
        *[False] * 2,
    ]


def test_no_other_module_has_random_tests() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in HOME.glob("tests/**/test_*.py")}
    random = {path for path, text in texts.items() if RANDOM.search(text)}
    assert random
    assert [str(path) for path in random if not SLOW_MODULE.search(texts[path])] == []


def test_shipped_folders_have_their_digest_and_others_that_of_each_moment(tmp_path: Path) -> None:
    for folder in (HOME / "ops" / "add", RUNTIMES / "cmsis"):
        assert quick_digest(folder, quick_files(folder)) == digest(folder, all_names(folder))
    first = quick_digest(tmp_path, quick_files(tmp_path))
    (tmp_path / "op.py").write_text("OP = 1")
    assert quick_digest(tmp_path, quick_files(tmp_path)) != first
