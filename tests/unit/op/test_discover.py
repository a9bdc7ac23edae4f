"""Op folders are found, loaded, checked and indexed; every mistake is one sentence."""

from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.discover.discover import discover, load_op
from opsmith.errors import ToolchainError
from opsmith.op.view import NodeView
from tests.commands import refused
from tests.refusals import refusal
from tests.unit.op.folders import GOOD, KERNEL, write


def test_a_good_folder_is_indexed_by_name_and_source(tmp_path: Path) -> None:
    write(tmp_path)
    index = discover([tmp_path])
    assert index["twice"].name == "twice"
    assert index.by_source["tflite.CUSTOM.Twice"][0].found.title == "Twice: every element doubled."


def test_a_root_may_be_the_folder_itself(tmp_path: Path) -> None:
    assert set(discover([write(tmp_path)]).by_name) == {"twice"}


def test_a_root_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"OPS001: there is no folder"):
        discover([tmp_path / "absent"])


def test_two_folders_with_one_name(tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b")
    text = str(refusal(discover, [tmp_path / "a", tmp_path / "b"]))
    assert "OPS004: op 'twice' is claimed by two folders" in text
    assert "OPS005: source op 'tflite.CUSTOM.Twice' is claimed by two folders" in text
    assert "a/twice/op.py and " in text


@pytest.mark.parametrize("keyword", ["overrides", "extends"])
def test_who_shares_a_source_names_an_op_that_claims_it(tmp_path: Path, keyword: str) -> None:
    write(tmp_path)
    said = f'"tflite.CUSTOM.Twice", {keyword}="twic"' + ', reason="a test"' * (
        keyword == "overrides"
    )
    other = GOOD.replace('name="twice"', 'name="doubled"').replace('"tflite.CUSTOM.Twice"', said)
    write(tmp_path, "doubled", other)
    what = f"OPS006: {keyword} 'twic', which does not claim tflite.CUSTOM.Twice"
    with pytest.raises(ToolchainError, match=rf"{what} \(did you mean 'twice'\?\)") as caught:
        discover([tmp_path])
    assert len(caught.value.problems) == 1
    (tmp_path / "doubled" / "op.py").write_text(other.replace('twic"', 'twice"'), encoding="utf-8")
    claims = discover([tmp_path]).by_source["tflite.CUSTOM.Twice"]
    first = ["doubled", "twice"] if keyword == "overrides" else ["twice", "doubled"]
    assert [claim.found.name for claim in claims] == first


@pytest.mark.parametrize("said", ['extends="NAME"', 'overrides="NAME", reason="a test"'])
def test_ops_that_come_before_each_other_have_no_order(tmp_path: Path, said: str) -> None:
    for name, other in (("twice", "doubled"), ("doubled", "twice")):
        claim = f'"tflite.CUSTOM.Twice", {said.replace("NAME", other)}'
        text = GOOD.replace('name="twice"', f'name="{name}"')
        write(tmp_path, name, text.replace('"tflite.CUSTOM.Twice"', claim))
    with pytest.raises(ToolchainError, match="OPS065: each of doubled, twice is to be asked"):
        discover([tmp_path])


def test_all_bad_folders_are_reported_at_once(tmp_path: Path) -> None:
    write(tmp_path, "one", "OP = 1\n")
    write(tmp_path, "two", "import nothing_of_that_name\n")
    caught = refusal(discover, [tmp_path])
    assert [problem.code for problem in caught.problems] == ["OPS003", "OPS002"]


def test_a_syntax_error_names_its_line(tmp_path: Path) -> None:
    folder = write(tmp_path, text="x = 1\ny = (\n")
    with pytest.raises(ToolchainError, match=r"op\.py:2"):
        load_op(folder)


def test_an_op_may_have_modules_of_its_own(tmp_path: Path) -> None:
    beside = GOOD.replace('name="twice"', "name=NAME").replace(
        "from opsmith.op import", "from .naming import NAME\nfrom opsmith.op import", 1
    )
    folder = write(tmp_path, text=beside)
    (folder / "naming.py").write_text('NAME = "twice"\n')
    assert load_op(folder).op.name == "twice"
    assert set(discover([tmp_path]).by_name) == {"twice"}


def with_rows(one_by_one: str) -> str:
    """Registration of the good op, with rows that go one by one to a second op."""
    hooks = f'hooks=Hooks(streaming=Streaming(lambda node: None, one_by_one="{one_by_one}"))'
    return GOOD.replace("infer=infer,", f"infer=infer, {hooks},")


@pytest.mark.slow
def test_the_op_of_rows_must_exist(tmp_path: Path) -> None:
    folder = write(tmp_path, text=with_rows("averag_rows"))
    said = refused("check", folder)
    assert "OPS076: rows go one by one to 'averag_rows', which is no known op" in said
    assert "(did you mean 'average_rows'?)" in said
    assert f"{folder}/op.py" in said
    with pytest.raises(ToolchainError, match="OPS076"):
        discover([tmp_path])
    (folder / "op.py").write_text(with_rows("average_rows"), encoding="utf-8")
    assert main(["check", str(folder)]) == 0


OWN_HOOKS = """
from dataclasses import replace
WIDE = replace(OP.variants[0], types={"T": i16}, hooks=Hooks(
    channels=Channels(live=lambda node, live, ranges: {}),
    macs=lambda node: 2,
    clamp=lambda node: "RELU",
))
OP = replace(OP, variants=(*OP.variants, WIDE), hooks=Hooks(
    channels=Channels(ranges=lambda node, ranges: [], live=lambda node, live, ranges: {"no": 1}),
    macs=lambda node: 1,
))
"""


def test_each_hook_of_a_variant_goes_before_the_op_s(tmp_path: Path) -> None:
    folder = write(tmp_path, text=GOOD + OWN_HOOKS)
    (folder / "reference.h").write_text(KERNEL.replace("int8_t", "T"), encoding="utf-8")
    found = load_op(folder)
    narrow, wide = (op.hooks for op in found.typed.values())
    assert set(narrow.given) == {"channels.ranges", "channels.live", "macs"}
    assert set(wide.given) == {*narrow.given, "clamp"}
    assert wide.channels.ranges is narrow.channels.ranges
    assert wide.channels.live is not narrow.channels.live
    seen = NodeView("n", "twice", {}, {})
    assert [hooks.macs and hooks.macs(seen) for hooks in (narrow, wide)] == [1, 2]
