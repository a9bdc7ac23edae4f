"""Bad registrations: every mistake has its code and its sentence, and all are reported at once."""

import re
from pathlib import Path

import pytest

from opsmith.discover.discover import load_op
from opsmith.errors import Problem
from tests.commands import refused
from tests.refusals import refusal
from tests.unit.op.folders import GOOD, KERNEL, write
from tests.unit.op.mistakes import MISTAKES
from tests.unit.op.mistakes.texts import TAIL, TWICE, TYPES, VARIANT, X, Y

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("alone")


def problems(folder: Path) -> tuple[Problem, ...]:
    """Problems that are reported when the folder is loaded."""
    return refusal(load_op, folder).problems


def test_the_good_one_has_none(tmp_path: Path) -> None:
    assert load_op(write(tmp_path)).op.name == "twice"


@pytest.mark.parametrize(("old", "new", "code", "sentence"), MISTAKES)
def test_a_mistake_is_reported(
    tmp_path: Path, old: str, new: str, code: str, sentence: str
) -> None:
    assert old in GOOD
    folder = write(tmp_path, text=GOOD.replace(old, new, 1))
    told = problems(folder)
    assert (code, sentence) in [(problem.code, problem.what) for problem in told]
    for problem in told:
        assert problem.where.startswith(str(folder / "op.py"))
        assert problem.fix


@pytest.mark.parametrize(("old", "new", "fix"), [
    (TYPES, '{"T": "int8"}', "i8 for 'int8', without quotes, from opsmith.op"),
    (X, 'Input("x", "int8")', "write i8, the element type, without quotes, from opsmith.op"),
    (TWICE, 'Rename("tflite.ABSS")', 'an operator of your own is "tflite.CUSTOM.Name"'),
])  # fmt: skip
def test_the_fix_is_what_was_meant(tmp_path: Path, old: str, new: str, fix: str) -> None:
    told = problems(write(tmp_path, text=GOOD.replace(old, new, 1)))
    assert any(fix in problem.fix for problem in told)


def test_no_two_mistakes_are_one() -> None:
    assert len({(old, new) for old, new, _, _ in MISTAKES}) == len(MISTAKES)
    assert len({(code, sentence) for _, _, code, sentence in MISTAKES}) >= 40


def test_all_mistakes_of_a_folder_are_reported_at_once(tmp_path: Path) -> None:
    text = GOOD.replace(Y, 'Output("x", "U")').replace("size: int", "size: list")
    text = text.replace(TWICE, 'Rename("Twice")').replace('Kernel("reference"', 'Kernel("r"')
    codes = {problem.code for problem in problems(write(tmp_path, text=text))}
    assert codes >= {"OPS011", "OPS013", "OPS016", "OPS050", "KRN001"}


@pytest.mark.parametrize(("old", "new", "code"), [
    ('Kernel("reference"', 'Kernel("referenc"', "KRN001"),
    ('Kernel("reference"', 'Kernel("/etc/passwd"', "OPS074"),
    ('Variant({"T": i8}', 'Variant({"T": i8}, folder="int"', "OPS012"),
    ('"T"', '"class"', "OPS012"),
    ('{"T": i8}', '{"Type": i8}', "OPS013"),
    ("REFERENCE,)", ")", "KRN002"),
    ("every_node(params)", "lambda node, more: params(node)", "OPS057"),
    ("kernels=(", 'kernels=(Kernel("reference", Params, every_node(params)), ', "KRN011"),
])  # fmt: skip
def test_one_mistake_is_one_problem(tmp_path: Path, old: str, new: str, code: str) -> None:
    assert old in GOOD
    told = problems(write(tmp_path, text=GOOD.replace(old, new, 1)))
    assert [problem.code for problem in told] == [code]


def of_optional(*types: str) -> str:
    """Registration of the good op, with an optional input and a variant for each of its types."""
    text = GOOD.replace(X, f'{X}, Input("b", "U", optional=True)')
    each = (VARIANT.replace("i8", f'i8, "U": {name}') for name in types)
    return text.replace(VARIANT, ", ".join(each))


def test_a_type_needs_an_input_that_is_there_to_tell_variants_apart(tmp_path: Path) -> None:
    told = problems(write(tmp_path / "two", text=of_optional("i8", "i16")))
    assert [each.what for each in told] == [
        "type 'U' types optional inputs only, so it may stay open"
    ]
    assert load_op(write(tmp_path / "one", text=of_optional("i16"))).op.name == "twice"
    first = of_optional("i8", "i16").replace("optional=True", "optional=True, first=True")
    assert load_op(write(tmp_path / "first", text=first)).op.name == "twice"


def test_variants_name_types_in_one_order(tmp_path: Path) -> None:
    text = GOOD.replace(Y, 'Output("y", "U")').replace(TYPES, '{"T": i8, "U": i8}')
    other = VARIANT.replace(TYPES, '{"U": i16, "T": i8}')
    told = problems(
        write(tmp_path, text=text.replace("(REFERENCE,)),", f"(REFERENCE,)), {other},"))
    )
    assert ("OPS014", "variant 1 has the types of variant 0 in another order") in [
        (each.code, each.what) for each in told
    ]


def test_a_kernel_may_be_in_a_file_that_its_file_includes(tmp_path: Path) -> None:
    folder = write(tmp_path, kernel='#include "twice/inner.h"\n')
    assert problems(folder)[0].code == "KRN004"
    (folder / "inner.h").write_text(KERNEL, encoding="utf-8")
    assert load_op(folder).op.name == "twice"


def test_every_code_that_can_be_told_is_in_the_table() -> None:
    rules = [*ROOT.glob("toolchain/opsmith/contract/check*.py")]
    assert rules
    told = {
        code for path in rules for code in re.findall(r'"((?:OPS|KRN)\d{3})"', path.read_text())
    }
    elsewhere = {"KRN010", "KRN017"}  # test_backends.py, tests/system/test_build.py
    assert told - {code for _, _, code, _ in MISTAKES} == elsewhere


@pytest.mark.parametrize(("old", "new", "told"), [
    ('[node["x"].type]', '[node["z"].type]', "infer of op 'twice' ended with KeyError: 'z'"),
    ('node["x"].elements', "1 // 0", "params of op 'twice' ended with ZeroDivisionError"),
    ('[node["x"].type]', "[]", "example 0: twice: infer gives 0 types for 1 outputs"),
    (X, 'Input("x", "T", rank=range(2, 3))', "must have 2 dimensions"),
    ('Rename, i8', 'Rename, i8', "example 0: tensor 'q' is not declared"),
])  # fmt: skip
def test_a_function_that_fails_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    name = "q" if old == new else "x"
    tensors = f'{{"{name}": ExampleTensor(i8, (4,)), "y": ExampleTensor(i8, (4,))}}'
    text = GOOD.replace(TAIL, f"{TAIL} examples=(Example({tensors}),),").replace(old, new)
    folder = write(tmp_path, text=text)
    said = refused("check", folder)
    assert told in said
    assert str(folder / "op.py") in said


@pytest.mark.parametrize(("name", "signature"), [
    ("fast.cl", "void fast(const Params p, const In in, const Out out)"),
    ("fast.h", "inline void fast(const Params& p, const In<int8_t>& in, const Out& out)"),
    ("wide/fast.h", "template <class P>\nvoid fast(const P& p, const In& in, const Out& out)"),
])  # fmt: skip
def test_a_kernel_that_nobody_lists_is_a_mistake(tmp_path: Path, name: str, signature: str) -> None:
    folder = write(tmp_path)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(f"{signature} {{}}\n", encoding="utf-8")
    told = [(problem.code, problem.what) for problem in problems(folder)]
    assert told == [("KRN015", f"no variant lists the kernel of {name}")]


def test_a_helper_that_takes_inputs_and_no_outputs_is_no_kernel(tmp_path: Path) -> None:
    folder = write(tmp_path)
    text = "inline void fill(const Params& p, const In<int8_t>& in, int8_t* row) {}\n"
    (folder / "fill.h").write_text(text, encoding="utf-8")
    assert load_op(folder).name == folder.name
