"""Op folders that exit, print, sleep or return rubbish: an error names each, and builds agree."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.modules import load_module
from opsmith.op.traces import line
from tests.commands import printed, refused
from tests.unit.op import rogues
from tests.unit.op.folders import IN_FOLDER, KERNEL, write, write_in_folder
from tests.unit.op.test_mistakes import problems

ROOT = Path(__file__).parents[3]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("alone")]  # a project of its own for each
CODE = re.compile(r"^error (\w{3}\d{3})", re.MULTILINE)


@pytest.mark.parametrize(("text", "said"), rogues.MODULES.items())
def test_a_module_that_does_not_load_is_named(tmp_path: Path, text: str, said: str) -> None:
    folder = rogues.write_module(tmp_path, text)
    told = refused("check", folder)
    assert f"error OPS002: op.py does not load: {said}" in told
    assert f"where: {folder}/op.py:" in told
    assert told.count("error ") == 1


@pytest.mark.parametrize("root", ["ops", "link", "ops/../ops", "{0}/link"])
def test_a_function_that_fails_has_its_line_however_its_folder_is_named(
    here: Path, root: str
) -> None:
    folder = rogues.write_module(here / "ops", "def f(): return 1 // 0")
    Path(here, "link").symlink_to("ops")
    file = Path(root.format(here), folder.name, "op.py")
    at = file.read_text(encoding="utf-8").splitlines().index("def f(): return 1 // 0") + 1
    with pytest.raises(ZeroDivisionError) as caught:
        load_module(file, "OPS002").f()
    assert line(caught.value, file) == f"{file}:{at}"


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "op.py").write_bytes(b'"""\xe9"""')
    (problem,) = problems(folder)
    assert problem.code == "OPS002"
    assert "can't decode byte 0xe9" in problem.what


def test_a_command_does_not_end_well_because_a_module_ended_it(tmp_path: Path) -> None:
    folder = rogues.write_module(tmp_path, "import sys; sys.exit(0)")
    done = subprocess.run(
        [sys.executable, "-m", "opsmith", "check", str(folder)], cwd=ROOT, capture_output=True
    )
    assert done.returncode == 2
    assert b"error OPS002: op.py does not load: " in done.stderr


def test_a_thread_that_a_module_leaves_does_not_keep_the_command(tmp_path: Path) -> None:
    line = "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()"
    folder = rogues.write_module(tmp_path, line)
    done = subprocess.run(
        [sys.executable, "-m", "opsmith", "bind", "--op", str(folder)],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "name", ["a b", "a\nb", "$(x)", "\x1b[2J", "é", os.fsdecode(b"\xff"), "int"]
)
def test_a_hostile_name_is_reported(tmp_path: Path, name: str) -> None:
    said = refused("check", write(tmp_path, name))
    assert "error OPS010: the op is named 'twice' but its folder" in said
    assert said.count("\n") == 3
    assert all(c.isprintable() or c == "\n" for c in said)


def test_a_folder_without_ops_is_reported(tmp_path: Path) -> None:
    assert f"error OPS001: '{tmp_path}' holds no op folder" in refused("check", tmp_path)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\0", None])
def test_a_header_that_is_none_is_reported(tmp_path: Path, data: bytes | None) -> None:
    folder = write(tmp_path)
    if data is None:
        (folder / "reference.h").unlink()
        os.mkfifo(folder / "reference.h")
    else:
        (folder / "reference.h").write_bytes(data)
    assert problems(folder)[0].code == ("KRN001" if data is None else "KRN004")


@pytest.mark.parametrize(("old", "new", "code", "said"), rogues.HOOKS)
def test_a_function_that_misbehaves_is_named(
    tmp_path: Path, old: str, new: str, code: str, said: str
) -> None:
    folder = rogues.write_rogue(tmp_path, old, new)
    told = refused("check", folder)
    assert f"error {code}: " in told
    assert said in told
    assert str(folder / "op.py") in told


def test_an_exception_of_evaluate_has_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = rogues.write_rogue(tmp_path, "[inputs[0] * 2]", "[inputs[3]]")
    lines = (folder / "op.py").read_text(encoding="utf-8").splitlines()
    number = 1 + next(i for i, line in enumerate(lines) if "inputs[3]" in line)
    monkeypatch.chdir(folder.parent)
    assert f"  where: {folder.name}/op.py:{number}\n" in refused("check", folder.name)


COMPOSED = """'Twice: made of another op.'

from opsmith.op import *

def into(node, builder):
    builder.node("{into}", [node["x"]], [node["y"]])

OP = Op(
    name="twice",
    legalize=(Rename("tflite.CUSTOM.Twice"),),
    inputs=(Input("x", i8),),
    outputs=(Output("y", i8),),
    infer=lambda node: [node["x"].type],
    decompose=Decompose(into),
    examples=(Example.of(x=(2, 3)),),
    variants=(Variant({{}}, ()),),
)
"""


@pytest.mark.parametrize(
    ("into", "why"),
    [("negg", "op 'negg' is not known"), ("twice", "part of")],
)
def test_an_example_that_cannot_be_decomposed_has_its_file(
    tmp_path: Path, into: str, why: str
) -> None:
    folder = write(tmp_path, text=COMPOSED.format(into=into))
    (folder / "reference.h").unlink()
    said = refused("check", folder)
    assert said.count(why) == 1
    assert f"where: {folder}/op.py: example 0\n" in said


def test_an_op_without_examples_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path)
    first, *others = printed("check", folder).splitlines()
    assert first == "1 op folder, no problems"
    assert others == ["twice: without examples= only its declarations are checked"]
    assert json.loads(printed("check", "--json", folder))["without_examples"] == ["twice"]


def test_what_takes_factors_in_is_asked_by_check(tmp_path: Path) -> None:
    """`check` asks what takes factors in with floats alone, before the activation."""
    text = rogues.TWICE.replace("i8", "f32").replace(
        '"k", int, default=1', '"activation", str, default="NONE"'
    )
    hooks = "infer=infer, hooks=Hooks(affine=Affine(absorbs=lambda *given: [1])),"
    folder = write(tmp_path, text=text.replace("infer=infer,", hooks))
    assert "OPS070: affine.absorbs of op 'twice' gives a list, not" in refused("check", folder)


@pytest.mark.parametrize(
    ("factor", "status"), [('Factor(2.0) if node["x"].dtype == f32 else', 0), ("", 2)]
)
def test_variants_with_one_plan_have_rules_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: str, status: int
) -> None:
    line = f"""@dataclass(frozen=True)
class Factor:
    factor: float

def plan(node) -> Plan:
    return Plan({factor} params(node))

REFERENCE = Kernel("reference", Params, plan)
REAL = Kernel("reference", Factor, plan)
REALS = ExampleTensor(f32, (4,))"""
    text = (rogues.write_module(tmp_path / "one", line) / "op.py").read_text()
    text = text.replace("(REFERENCE,)),", '(REFERENCE,)), Variant({"T": f32}, (REAL,)),')
    text = text.replace("examples=(", 'examples=(Example({"x": REALS, "y": REALS}), ')
    assert main(["check", str(write(tmp_path / "two", text=text))]) == status
    assert ("whose params are Factor of" in capsys.readouterr().err) == bool(status)


def test_rows_go_one_by_one_to_an_op_that_is_named(tmp_path: Path) -> None:
    text = rogues.TWICE.replace("i8, (4, 5)", "i8, (1, 4, 5, 2)")
    hooks = "hooks=Hooks(streaming=Streaming(lambda node: RowWindow(one_by_one={})))"
    text = text.replace("infer=infer,", f"infer=infer, {hooks},")
    text = text.replace("\nOP = ", "\nfrom opsmith.op.rows import RowWindow\nOP = ")
    folder = write(tmp_path, text=text)
    said = refused("check", folder)
    told = "streaming.rows of op 'twice' gives a RowWindow, not RowWindow with attributes of the op"
    assert f"error OPS070: {told} that streaming.one_by_one names" in said


def test_a_function_of_a_variant_s_folder_is_named_with_its_line(tmp_path: Path) -> None:
    listed = 'kernels=(Kernel("broken", Params, plan), REFERENCE,)'
    text = IN_FOLDER.replace("kernels=(REFERENCE,)", listed)
    text = text.replace(
        "from opsmith.op import *", "from opsmith.op import *\nfrom .narrow.broken import plan"
    )
    example = rogues.EXAMPLE.replace("X", "ExampleTensor(i8, (4,))")
    folder = write_in_folder(tmp_path, text.replace("infer=infer,", f"infer=infer, {example}"))
    said = refused("check", folder)
    assert "error OPS061: plan of op 'twice' ended with ZeroDivisionError" in said
    assert f"where: {folder}/narrow/broken.py:5" in said


def test_the_mark_of_a_placeholder_is_seen_in_a_variant_s_folder(tmp_path: Path) -> None:
    marked = f"// OPSMITH_PLACEHOLDER\n{KERNEL}"
    told = problems(write_in_folder(tmp_path, kernel=marked))
    assert [problem.code for problem in told] == ["OPS036"]
