"""`opsmith check` calls `find` of a match on examples of the ops that it looks for."""

import shutil
from pathlib import Path

import pytest

from opsmith.commands.check import main
from opsmith.errors import ToolchainError
from opsmith.testing.checkout import ROOT

BOUNDED = ROOT / "tests/data/my_ops/bounded"
FIRST = "    if (outer := _variable_and_constant(node)) is None:\n"


def checked(folder: Path, first: str) -> None:
    """Check the op with other lines at the start of its `find`."""
    text = (BOUNDED / "op.py").read_text()
    assert FIRST in text
    shutil.copytree(BOUNDED, folder / "bounded")
    (folder / "bounded/op.py").write_text(text.replace(FIRST, f"    {first}\n{FIRST}"))
    assert main([str(folder)]) == 0


@pytest.mark.parametrize(("first", "code", "what"), [
    ('node["c"]', "OPS061", "KeyError"),
    ('graph.producer(node["a"], "minimum")["y"]', "OPS061", "TypeError"),  # nothing before it
    ('(inner := graph.producer(node["a"], "minimum")) and inner["z"]', "OPS061", "KeyError"),
    ('return Matched((node.name,), {}, {"y": node["y"].id}, {})', "OPS070", "lacks x"),
])  # fmt: skip
def test_a_find_that_fails_on_an_example_is_a_problem(
    first: str, code: str, what: str, tmp_path: Path
) -> None:
    with pytest.raises(ToolchainError, match=f"{code}: find of op 'bounded'.*{what}"):
        checked(tmp_path, first)


def test_a_find_that_walks_along_a_chain_ends(tmp_path: Path) -> None:
    checked(tmp_path, 'while inner := graph.producer(node["a"], "minimum"): node = inner')
