"""Op folders are found, loaded, checked and indexed; every mistake is one sentence."""

from pathlib import Path

import pytest

from toolchain.errors import ToolchainError
from toolchain.op.discover import discover, load_op

GOOD = '''"""Twice: every element doubled."""
from dataclasses import dataclass
from toolchain.op import Input, Kernel, Op, Output, Rename, i8

@dataclass(frozen=True)
class Shape:
    """Geometry."""
    size: int

def infer(node):
    return [node["x"].type]

def shape(node) -> Shape:
    return Shape(node["x"].elements)

OP = Op(
    name="twice",
    legalize=(Rename("tflite.CUSTOM.Twice"),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    domains={"T": (i8,)},
    infer=infer,
    shape=shape,
    kernels=(Kernel("reference.h"),),
)
'''


def write(root: Path, name: str = "twice", text: str = GOOD) -> Path:
    """An op folder with this registration."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "op.py").write_text(text)
    (folder / "reference.h").write_text("#pragma once\n")
    return folder


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
    with pytest.raises(ToolchainError) as caught:
        discover([tmp_path / "a", tmp_path / "b"])
    text = str(caught.value)
    assert "OPS004: op 'twice' is claimed by two folders" in text
    assert "OPS005: source op 'tflite.CUSTOM.Twice' is claimed by two folders" in text
    assert "a/twice/op.py and " in text


def test_all_bad_folders_are_reported_at_once(tmp_path: Path) -> None:
    write(tmp_path, "one", "OP = 1\n")
    write(tmp_path, "two", "import nothing_of_that_name\n")
    with pytest.raises(ToolchainError) as caught:
        discover([tmp_path])
    assert [problem.code for problem in caught.value.problems] == ["OPS003", "OPS002"]


# (text in GOOD, what replaces it, code, sentence)
MISTAKES = [
    ('OP = Op(', 'NOT = Op(', "OPS003", "no value OP of type Op"),
    ("import dataclass", "import dataklass", "OPS002", "op.py does not load: ImportError"),
    ("def infer(node):", "def infer(node:", "OPS002", "op.py does not load: SyntaxError"),
    ('name="twice"', 'name="thrice"', "OPS010", "the op is named 'thrice' but its folder 'twice'"),
    ('Output("y", "T"),', 'Output("x", "T"),', "OPS011", "the name 'x' is declared twice"),
    ('Input("x", "T"),', 'Input("X", "T"),', "OPS012", "'X' is no lower-case identifier"),
    ('Input("x", "T"),', 'Input("x-y", "T"),', "OPS012", "'x-y' is no lower-case identifier"),
    ('Output("y", "T")', 'Output("y", "U")', "OPS013", "'y' has unknown domain 'U'"),
    ('{"T": (i8,)}', '{"T": (i8,), "U": (i8,)}', "OPS014", "domain 'U' types no input or output"),
    ('{"T": (i8,)}', '{"T": ()}', "OPS015", "domain 'T' is empty"),
    ("-> Shape:", ":", "OPS016", "shape: shape does not say which dataclass it returns"),
    ("size: int", "size: list", "OPS016", "field 'size' must be int, bool, float or a tuple"),
    ("infer=infer,", 'infer=infer, traits={"vew"},', "OPS017", "unknown trait 'vew' (did you mean"),
    ("infer=infer,", 'infer=infer, traits={"clamps"},', "OPS018", "trait 'clamps' and hook clamp="),
    ("infer=infer,", "infer=infer, keep_channels=infer,", "OPS018", "needs live_channels="),
    ("infer=infer,", 'infer=infer, traits={"fuses_activation"},', "OPS019", "'activation'"),
    ('Kernel("reference.h")', 'Kernel("referenc.h")', "KRN001", "there is no kernel file"),
    ('Kernel("reference.h"),', "", "KRN002", "the last kernel is not a reference"),
    ('Kernel("reference.h"', 'Kernel("reference.h", requires={"dsp"}', "KRN002", "the last kernel"),
    ('"reference.h"),', '"reference.h", dtypes=(i8,)), Kernel("reference.h"),', None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "code", "sentence"), MISTAKES)
def test_mistakes(tmp_path: Path, old: str, new: str, code: str | None, sentence: str) -> None:
    assert old in GOOD
    folder = write(tmp_path, text=GOOD.replace(old, new))
    if code is None:  # not a mistake
        assert load_op(folder).op.name == "twice"
        return
    with pytest.raises(ToolchainError) as caught:
        load_op(folder)
    first = caught.value.problems[0]
    assert first.code == code
    assert sentence in first.what
    assert str(folder / "op.py") in first.where
    assert first.fix


def test_a_syntax_error_names_its_line(tmp_path: Path) -> None:
    folder = write(tmp_path, text="x = 1\ny = (\n")
    with pytest.raises(ToolchainError, match=r"op\.py:2"):
        load_op(folder)


def test_a_kernel_for_a_type_outside_the_domain(tmp_path: Path) -> None:
    rows = 'Kernel("reference.h", dtypes=(i16,)), Kernel("reference.h"),'
    text = GOOD.replace('Kernel("reference.h"),', rows).replace("Rename, i8", "Rename, i8, i16")
    with pytest.raises(ToolchainError, match=r"KRN003: kernel reference\.h lists i16"):
        load_op(write(tmp_path, text=text))
