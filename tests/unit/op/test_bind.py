"""The generated C++ contract of an op, and the file that compiles all its kernels."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from opsmith.contract.bind import bind
from opsmith.contract.field_comments import field_comments
from opsmith.contract.kernel_check import kernel_check
from opsmith.discover.discover import load_op
from tests.unit.op.folders import BOUND, GOOD, IN_FOLDER, KERNEL, MINE, write, write_in_folder

ROOT = Path(__file__).parents[3]


def compile_all(tmp_path: Path, kernel: str, text: str = GOOD) -> subprocess.CompletedProcess[str]:
    """Result of g++ for the check file of an op with the given kernel."""
    place = write_in_folder if text == IN_FOLDER else write
    folder = place(tmp_path, text=text, kernel=kernel)
    (folder / "more.cc").write_text("int more() { return FACTOR; }\n", encoding="utf-8")
    found = load_op(folder)
    (tmp_path / "twice.op.h").write_text(bind(found))
    (tmp_path / "twice.check.cc").write_text(kernel_check(found, frozenset()))
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    command += [f"-I{tmp_path}", f"-I{ROOT}", str(tmp_path / "twice.check.cc")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_contract_of_a_small_op(tmp_path: Path) -> None:
    text = bind(load_op(write(tmp_path)))
    assert "struct Params {\n  int32_t size;\n};" in text
    assert "template <const Params& kParams>\nstruct Static {" in text
    assert "  static constexpr int32_t size = kParams.size;" in text
    assert "template <class T>\nstruct In {\n  const T* x;\n};" in text
    assert "template <class T>\nstruct Out {\n  T* y;\n};" in text


@pytest.mark.slow
def test_a_kernel_that_matches_compiles(tmp_path: Path) -> None:
    done = compile_all(tmp_path, KERNEL)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), [
    ("reference", "thrice /* reference( */"),
    ("In<int8_t>", "In<int16_t>"),
    (", const Out<int8_t>& out", ""),
    ("& out)", "& out, const Tables& tables)"),
])  # fmt: skip
def test_a_kernel_that_does_not_match_leads_to_its_line(tmp_path: Path, old: str, new: str) -> None:
    done = compile_all(tmp_path, KERNEL.replace(old, new, 1))
    assert done.returncode != 0
    line = (
        GOOD.splitlines().index('REFERENCE = Kernel("reference", Params, every_node(params))') + 1
    )
    assert f"twice/op.py:{line}:" in done.stderr


@dataclass(frozen=True)
class Base:
    """Base of Params, with the number of elements."""

    count: int  # how many


@dataclass(frozen=True)
class Commented(Base):
    """Params whose fields have comments in every possible place."""

    # from one row
    # to the next
    stride: int
    plain: int


@dataclass(frozen=True)
class CommentedTables:
    """Tables whose fields have comments."""

    factors: NDArray[np.int32]  # [channels], Q31


def test_members_have_the_comments_of_their_fields() -> None:
    found = dict(field_comments(Commented)) | dict(field_comments(CommentedTables))
    assert found == {
        "count": "how many",
        "stride": "from one row to the next",
        "factors": "[channels], Q31",
    }


def test_the_header_of_an_op_says_what_each_member_is() -> None:
    header = bind(load_op(ROOT / "ops" / "softmax"))
    assert "int32_t depth;  // elements of a row\n" in header
    assert "const int16_t* reciprocal;  // [513], 1 / (1 + x) of 0 to 1\n" in header
    assert max(map(len, header.splitlines())) <= 100


def test_a_struct_has_the_first_paragraph_of_its_class(tmp_path: Path) -> None:
    doc = '"""Geometry of rows, of which\n    some are long.\n\n    More.\n    """'
    header = bind(load_op(write(tmp_path, text=GOOD.replace('"""Geometry."""', doc))))
    assert "// Geometry of rows, of which some are long.\nstruct Params {" in header
    assert "More" not in header


# A kernel before the reference of GOOD that takes all there is.
PAIR = """import numpy as np
from numpy.typing import NDArray

@dataclass(frozen=True)
class Tables:
    factor: NDArray[np.int8]

DSP_PAIR = Kernel("dsp_pair", Params, lambda node: Refused("no"), Tables, {"row": i8})
OP = """


def test_what_a_kernel_takes_is_in_the_order_that_the_readme_says(tmp_path: Path) -> None:
    text = GOOD.replace("OP = ", PAIR, 1).replace("(REFERENCE,)", "(DSP_PAIR, REFERENCE)")
    state = 'states=(State("kept", i8, lambda node: 1),)'
    folder = write(tmp_path, text=text.replace("infer=infer,", f"infer=infer, {state},"))
    (folder / "dsp_pair.h").write_text(KERNEL.replace("reference", "dsp_pair"), encoding="utf-8")
    readme = (ROOT / "runtimes" / "README.md").read_text(encoding="utf-8")
    (line,) = (each.strip() for each in readme.splitlines() if "void dsp_pair(" in each)
    declared = bind(load_op(folder)).replace("\n//   ", " ")
    assert f"template <class P> {re.sub(r'& [a-z]+', '&', line)}" in declared


@pytest.mark.slow
def test_a_state_has_the_type_that_a_variable_stands_for(tmp_path: Path) -> None:
    state = 'states=(State("kept", "T", lambda node: 1),)'
    text = GOOD.replace("infer=infer,", f"infer=infer, {state},")
    assert "template <class T>\nstruct State {\n  T* kept;\n};" in bind(
        load_op(write(tmp_path, text=text))
    )
    taking = KERNEL.replace("& out)", "& out, const State<int8_t>&)")
    assert compile_all(tmp_path / "right", taking, text).returncode == 0
    wrong = compile_all(tmp_path / "wrong", taking.replace("State<int8_t>", "State<float>"), text)
    assert "no matches converting function" in wrong.stderr


@pytest.mark.slow
def test_an_input_of_another_name_is_not_there(tmp_path: Path) -> None:
    done = compile_all(tmp_path, KERNEL.replace("in.x", "in.value"))
    assert "has no member named ‘value’" in done.stderr


@pytest.mark.slow
def test_a_function_that_exists_already_is_called(tmp_path: Path) -> None:
    done = compile_all(tmp_path, MINE, BOUND)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_sources_and_defines_of_a_kernel_are_compiled_too(tmp_path: Path) -> None:
    added = 'every_node(params), sources=("more.cc",), defines={"FACTOR": "2"}'
    text = GOOD.replace("every_node(params)", added)
    done = compile_all(tmp_path, KERNEL.replace("2 *", "FACTOR *"), text)
    assert done.returncode == 0, done.stderr
    done = compile_all(tmp_path / "b", KERNEL, text.replace('"FACTOR"', '"FAKTOR"'))
    assert "‘FACTOR’ was not declared" in done.stderr


@pytest.mark.slow
def test_kernels_of_a_variant_with_a_folder_are_in_a_namespace_of_its_name(tmp_path: Path) -> None:
    done = compile_all(tmp_path, KERNEL.replace("In<", "twice::In<"), IN_FOLDER)
    assert done.returncode == 0, done.stderr
    header = (tmp_path / "twice.op.h").read_text()
    assert "namespace narrow {\n\n// Geometry.\nstruct Params {" in header
    assert "// narrow/reference.h: template <class P> void reference(" in header
    wrong = compile_all(tmp_path / "wrong", KERNEL.replace("In<int8_t>", "In<float>"), IN_FOLDER)
    assert "no matches converting function" in wrong.stderr
