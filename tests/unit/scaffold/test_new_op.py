"""Tests that files which new-op writes pass its checks and tests at once: every template on every
type it takes.

Ops that LiteRT has fail one of them, until they are written.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.discover.discover import discover, load_op
from opsmith.errors import ToolchainError
from opsmith.op.index import OpIndex
from opsmith.scaffold.unfinished import TRAIT
from opsmith.testing.known_ops import shipped_ops
from tests.commands import printed, refused, said
from tests.refusals import refusal
from tests.unit.scaffold.every_template import BUILTIN, new_op, write_all
from tests.unit.scaffold.models import builtins, customs
from tests.warm_pytest import run_pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _shipped_ops_are_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the shipped ops once for the module, as no test changes them."""

    def known(roots: Sequence[Path]) -> OpIndex:
        return shipped_ops() if list(roots) == [ROOT / "ops"] else discover(roots)

    monkeypatch.setattr("opsmith.commands.new_op.discover", known)


def run_tests(folder: Path, marked: str = "not system", only: str = "") -> str:
    """Exit status and output of pytest for the op tests in a folder: by default of those without
    firmware.
    """
    configured = ("-c", str(ROOT / "pyproject.toml"), f"--confcutdir={folder}")  # not from above
    done = run_pytest([*configured, "-q", "-m", marked, "-k", only, "-n0", str(folder)])
    return f"{done.returncode}\n{done.stdout}"


def test_every_template_and_type_passes_its_own_tests(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Every template and type passes its own tests; with --examples=2, also more types alone, and
    all tests of ops of LiteRT.
    """
    every = pytestconfig.getoption("--examples") > 1
    write_all(tmp_path / "my_ops", alone=every)
    assert main(["check", str(tmp_path / "my_ops")]) == 0
    mine = f"numpy_equals_litert or not ({' or '.join(BUILTIN)})"
    said = run_tests(tmp_path / "my_ops", only="" if every else mine)
    assert_unfinished(said, BUILTIN)


def assert_unfinished(said: str, names: Sequence[str]) -> None:
    """Require that only the given ops fail a test, the one against LiteRT, which says what is left
    to write.
    """
    failed = [line for line in said.splitlines() if line.startswith("FAILED")]
    test = "::test_numpy_equals_litert"
    assert all(test in line for line in failed), said
    assert {name for line in failed for name in re.findall(r"/test_(\w+)\.py::", line)} == {*names}
    said = "".join(line for line in said.splitlines() if line not in failed)  # which CI repeats
    assert said.count("computes what its template does, which is not compared with") == len(names)


SOURCE = '"tflite.STABLEHLO_SUBTRACT"'
OTHER = '"tflite.BITWISE_XOR", overrides="bitwise_xor", reason="a test"'


def test_an_op_of_litert_is_finished_when_its_bytes_are_right(tmp_path: Path) -> None:
    """An op of LiteRT is finished once its bytes are right: only the formula was wrong."""
    pair = ("--inputs", "a:i32", "b:i32", "--outputs", "y:i32", "--template", "binary")
    new_op("later", "--source", "tflite.STABLEHLO_SUBTRACT", *pair, "--into", str(tmp_path))
    op, kernel = tmp_path / "later" / "op.py", tmp_path / "later" / "reference.h"
    taken = op.read_text().replace(TRAIT, "").replace(SOURCE, OTHER)  # which broadcasts
    op.write_text(taken)
    test = tmp_path / "later" / "test_later.py"
    test.write_text(test.read_text().replace("STABLEHLO_SUBTRACT", "BITWISE_XOR"))
    kernel.write_text(kernel.read_text().replace("OPSMITH_PLACEHOLDER", "written"))
    told = run_tests(tmp_path, only="test_numpy_equals_litert")
    assert told.startswith("1\n") and "NOT FINISHED" not in told
    op.write_text(op.read_text().replace("np.where(a > b, a, b)", "np.bitwise_xor(a, b)"))
    assert run_tests(tmp_path, only="test_numpy_equals_litert").startswith("0\n")


def test_what_is_written_is_styled_as_all_else(tmp_path: Path) -> None:
    write_all(tmp_path / "my_ops", alone=True)
    for make in (customs, builtins):
        model = tmp_path / f"{make.__name__}.tflite"
        model.write_bytes(make().bytes())
        assert new_op("--from", str(model), "--into", str(tmp_path / make.__name__)) == 0
    config = ROOT / "pyproject.toml"
    ruff = [sys.executable, "-m", "ruff"]
    style = f"--style=file:{ROOT / '.clang-format'}"
    headers = sorted(map(str, tmp_path.rglob("*.h")))
    for command in (
        [*ruff, "check", "--config", str(config), "--extend-ignore=F403,F405", str(tmp_path)],
        [*ruff, "format", "--diff", "--config", str(config), str(tmp_path)],
        [
            str(Path(sys.executable).parent / "clang-format"),
            style,
            "--dry-run",
            "-Werror",
            *headers,
        ],
    ):
        said(command)


def test_ops_on_families_are_short(tmp_path: Path) -> None:
    """Ops on families are short: op.py, of two types, and its test have less than 25 lines each."""
    write_all(tmp_path, alone=False)
    unary = ("--inputs", "x:i8,f32", "--outputs", "y:i8,f32", "--template", "unary")
    assert new_op("bend", *unary, "--into", str(tmp_path)) == 0
    tests = ("bend", "curve", "curve_f32", "curve_of", "larger", "exceeds", "later", "backward")
    files = [tmp_path / name / f"test_{name}.py" for name in tests]
    files += [tmp_path / name / "op.py" for name in tests if name != "curve"]
    lines = {str(file): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert {file: count for file, count in lines.items() if count >= 25} == {}


@pytest.mark.few(0)
@pytest.mark.system
def test_scons_builds_and_tests_it(tmp_path: Path) -> None:
    from opsmith.testing.firmware import scons

    into = ("--into", str(tmp_path / "my_ops"))
    assert new_op("peak_xy", "--outputs", "y:i8", "i:i32", "--attribute", "k:int=3", *into) == 0
    assert new_op("soft_xy", "--inputs", "x:i8,f32", "--outputs", "y:i8,f32", *into) == 0
    curve = ("curve_xy", "--inputs", "x:i8,f32", "--outputs", "y:i8,f32", "--template", "unary")
    assert new_op(*curve, *into) == 0
    targets = ("ops/peak_xy", "ops/soft_xy", "ops/curve_xy")
    done = scons(f"ops={tmp_path / 'my_ops'}", "board=mps2_an386", *targets)
    assert done.returncode == 0, done.stdout + done.stderr
    said = run_tests(tmp_path / "my_ops", "system")  # on this machine and on a board
    assert said.startswith("0\n"), said


@pytest.mark.few(0)  # test_from_model.py reads the placeholders
@pytest.mark.system
def test_a_build_and_a_run_name_what_is_not_finished(tmp_path: Path) -> None:
    from opsmith.testing.firmware import products, scons

    model = tmp_path / "unfinished.tflite"
    model.write_bytes(customs().bytes())
    assert new_op("--from", str(model), "--into", str(tmp_path / "my_ops")) == 0
    settings = ("board=host", f"model={model}", f"ops={tmp_path / 'my_ops'}")
    shutil.rmtree(products(*settings), ignore_errors=True)
    told = "NOT FINISHED: node 0, peak_finder (operator 0 (CUSTOM.PeakFinder)) is a placeholder"
    assert told in scons(*settings).stdout
    done = scons(*settings, "run")  # nothing is linked again
    assert done.returncode == 0, done.stdout + done.stderr
    assert told in done.stdout
    assert "equal to the numpy models: yes" in done.stdout


def test_what_comes_next_may_be_pasted(tmp_path: Path) -> None:
    into = tmp_path / "op's of $me"
    said = printed("new-op", "peak", "--into", into)
    commands = [shlex.split(line.removeprefix("next:")) for line in said.splitlines()[-3:]]
    assert commands[0] == ["opsmith", "check", str(into)]
    assert {command[2] for command in commands[1:]} == {f"ops={into}"}


@pytest.mark.parametrize("way", ["into", "json"])
def test_an_operator_that_an_op_beside_it_claims_is_refused(tmp_path: Path, way: str) -> None:
    into = tmp_path / "my_ops"
    assert new_op("peak", "--custom", "Peak", "--into", str(into)) == 0
    asked = ["again", "--custom", "Peak", "--into", str(into)]
    if way == "json":
        (tmp_path / "ops.json").write_text('{"name": "again", "custom": "Peak"}')
        asked = ["--json", str(tmp_path / "ops.json"), "--into", str(into)]
    assert "error OPS034: 'peak' claims tflite.CUSTOM.Peak" in refused("new-op", *asked)
    assert [each.name for each in into.iterdir()] == ["peak"]


def test_an_operator_that_two_ops_of_one_description_claim_is_refused(tmp_path: Path) -> None:
    described, into = tmp_path / "ops.json", tmp_path / "my_ops"
    described.write_text(
        '[{"name": "one", "custom": "Peak"}, {"name": "two", "custom": "Peak"},'
        ' {"name": "peak_2"}, {"name": "other", "source": "tflite.CUSTOM.Peak2"},'
        ' {"name": "same"}, {"name": "same"}]'
    )
    said = refused("new-op", "--json", described, "--into", into)
    assert "error OPS034: two new ops claim tflite.CUSTOM.Peak\n" in said
    assert "error OPS034: two new ops claim tflite.CUSTOM.Peak2\n" in said
    assert said.count("error") == 3  # two of one name claim one operator by themselves
    assert not into.exists()


def test_ops_beside_the_folder_of_a_description_alone_matter(here: Path) -> None:
    """A broken op in my_ops is no obstacle to another folder, nor hides what is wrong with the
    arguments; an op in the folder that the description names is one.
    """
    broken = Path("my_ops", "broken", "op.py")
    broken.parent.mkdir(parents=True)
    broken.write_text("OP = 1\n")
    described = Path("ops.json")
    described.write_text('{"name": "peak", "into": "other"}')
    assert new_op("--json", str(described)) == 0
    described.write_text('{"name": "again", "custom": "Peak", "into": "other"}')
    assert "error OPS034: 'peak' claims" in refused("new-op", "--json", described)
    assert "error BLD004: the op has no name" in refused("new-op", "--inputs", "x:i8")
    assert "error BLD001: --json says all" in refused("new-op", "peak", "--json", "ops.json")
    assert "error OPS003" in refused("new-op", "peak")


def test_a_project_has_a_folder_for_its_ops(here: Path) -> None:
    assert new_op("peak") == 0
    (here / "my_ops").mkdir()
    assert new_op("peak_2") == 0
    written = sorted(str(each.parent) for each in Path().rglob("op.py"))
    assert written == ["my_ops/peak_2", "ops/peak"]


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    (tmp_path / "peak").mkdir()
    (tmp_path / "peak" / "precious").touch()
    (tmp_path / "file").touch()
    for name in ("peak", "file"):
        assert_refused(["peak" if name == "peak" else "file", "--into", str(tmp_path)], "OPS031")
    assert [path.name for path in (tmp_path / "peak").iterdir()] == ["precious"]


def assert_refused(arguments: Sequence[str], code: str) -> None:
    from opsmith.commands.new_op import main as command

    caught = refusal(command, list(arguments))
    assert [problem.code for problem in caught.problems] == [code], str(caught)


@pytest.mark.parametrize(("arguments", "code", "sentence"), [
    ("Peak", "OPS030", "'Peak' is no lower-case identifier"),
    ("2nd", "OPS030", "'2nd' is no lower-case identifier"),
    ("a-b", "OPS030", "'a-b' is no lower-case identifier"),
    ("../up", "OPS030", "'../up' is no lower-case identifier"),
    ("class", "OPS030", "'class' means something else in Python or C++"),
    ("register", "OPS030", "'register' means something else"),
    ("clamp", "OPS030", "'clamp' is something that kernels share"),
    (f"{'x' * 61}", "OPS030", "longer than 60 characters"),
    ("peak --inputs x", "OPS032", "'x' has no type"),
    ("peak --inputs x:", "OPS032", "'x:' has no type"),
    ("peak --inputs x:i9", "OPS032", "unknown type 'i9'"),
    ("peak --inputs x:int88", "OPS032", "(did you mean 'int8'?)"),
    ("peak --inputs x:i8,i8", "OPS032", "lists i8 twice"),
    ("peak --inputs x:i8 x:i8", "OPS032", "two tensors are called 'x'"),
    ("peak --inputs y:i8", "OPS032", "two tensors are called 'y'"),
    ("peak --inputs X:i8", "OPS032", "tensor 'X' is no lower-case identifier"),
    ("peak --inputs int:i8", "OPS032", "tensor 'int' means something else"),
    ("peak --attribute k", "OPS033", "'k' has no type"),
    ("peak --attribute k:it", "OPS033", "unknown type 'it' (did you mean 'int'?)"),
    ("peak --attribute k:list", "OPS033", "unknown type 'list'"),
    ("peak --attribute k:list[i8]", "OPS033", "unknown type 'list[i8]'"),
    ("peak --attribute k:array[int]", "OPS033", "unknown type 'array[int]'"),
    ("peak --attribute k:int=x", "OPS033", "'x' is no int"),
    ("peak --attribute k:float=nan", "OPS033", "'nan' is no float"),
    ("peak --attribute k:list[float]=1,1e400", "OPS033", "'1,1e400' is no list of float"),
    ("peak --attribute k:bool=2", "OPS033", "'2' is no bool"),
    ("peak --attribute k:array[i8]=300", "OPS033", "'300' is no array of int8"),
    ("peak --attribute k:int --attribute k:int", "OPS033", "two attributes are called 'k'"),
    ("peak --attribute x_elements:int", "OPS033", "has the name of another field of Params"),
    ("peak --source tflite.ADDD", "OPS034", "(did you mean 'tflite.ADD'?)"),
    ("peak --source tflite.hashtable_lookup", "OPS034",
     "(did you mean 'tflite.HASHTABLE_LOOKUP'?)"),
    ("peak --source ADD", "OPS034", "there is no source op 'ADD'"),
    ("peak --source tflite.ADD", "OPS034", "'add' claims tflite.ADD"),
    ("add", "OPS034", "there is an op 'add'"),
    ("peak --template soft", "OPS035", "unknown template 'soft'"),
    ("peak --template elementwis", "OPS035", "(did you mean 'elementwise'?)"),
    ("peak --template reduction --inputs a:i8 b:i8", "OPS035", "needs one input and one"),
    ("peak --template elementwise --outputs a:i8 b:i8", "OPS035", "needs one output"),
    ("peak --template elementwise --inputs x:i64", "OPS035", "computes i8, u8"),
    ("peak --template elementwise --inputs x?:i8", "OPS035", "always reads 'x'"),
    ("peak --template unary --inputs a:i8", "OPS035", "one input, x, and one output, y"),
    ("peak --template unary --inputs x?:i8", "OPS035", "one input, x, and one output, y"),
    ("peak --template unary --outputs y:f32", "OPS035", "gives y the types of x"),
    ("peak --template unary --inputs x:i32", "OPS035", "computes i8, u8, i16, f32; not i32"),
    ("peak --template unary --attribute k:int", "OPS035", "takes no attributes"),
    ("peak --template binary", "OPS035", "needs input a and input b, and one output, y"),
    ("peak --template binary --inputs a:i8 b:i16", "OPS035", "has one set of types"),
    ("peak --template relation --inputs a:i8 b:i8", "OPS035", "gives y the type bool"),
    ("peak --template relation --inputs a:i8 b:i16", "OPS035", "types for all inputs"),
    ("peak --template movement --attribute k:int", "OPS035", "takes no attributes"),
    ("peak --template movement --inputs x?:i8", "OPS035", "needs input x, and one output, y"),
    ("peak --template elementwise --inputs found:i8", "OPS035", "a variable 'found'"),
    ("peak --source tflite.HASHTABLE_LOOKUP --attribute k:int", "OPS033", "no option 'k'"),
    ("peak --template empty --template empty", "BLD001", "--template is given twice"),
    ("peak --into a --into b", "BLD001", "--into is given twice"),
    ("peak --inputs x:i8 --inputs w:i8", "BLD001", "--inputs is given twice"),
    ("peak --custom A --source tflite.ELU", "BLD001", "not allowed with argument"),
    ("peak --templat empty", "BLD001", "unrecognized arguments"),
    ("--from x.tflite peak", "BLD001", "--from says all that NAME would"),
    ("--json x.json --template empty", "BLD001", "--json says all that --template would"),
    ("--inputs x:i8", "BLD004", "the op has no name"),
    ("--from nowhere.tflite", "MDL002", "cannot read the model"),
    ("--json nowhere.json", "OPS037", "cannot be read"),
])  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(
    arguments: str, code: str, sentence: str, tmp_path: Path
) -> None:
    into = [] if "--into" in arguments else ["--into", str(tmp_path / "my_ops")]
    said = refused("new-op", *arguments.split(), *into)
    assert f"error {code}: " in said
    assert sentence in said
    assert not (tmp_path / "my_ops").exists()


def test_all_problems_come_at_once() -> None:
    said = refused("new-op", "Peak", "--inputs", "x:i9", "y", "--source", "tflite.NO")
    assert [line[6:12] for line in said.splitlines() if line.startswith("error")] == [
        "OPS032", "OPS032", "OPS030", "OPS034",
    ]  # fmt: skip


def test_a_reduction_passes_its_kernel_sizes_rather_than_the_axis(tmp_path: Path) -> None:
    given = ("--inputs", "x:f32", "--outputs", "y:f32", "--attribute", "k:int=1")
    new_op("peak", *given, "--template", "reduction", "--into", str(tmp_path))
    (variant,) = load_op(tmp_path / "peak").op.variants
    names = [field.name for field in fields(variant.kernels[-1].params)]
    assert names[:3] == ["outer", "length", "inner"]
    assert "k" in names
    assert "axis" not in names


def test_a_placeholder_is_marked_twice(tmp_path: Path) -> None:
    new_op("peak", "--into", str(tmp_path))
    folder = tmp_path / "peak"
    assert "placeholder" in load_op(folder).op.traits
    op, kernel = folder / "op.py", folder / "reference.h"
    with_mark = kernel.read_text()
    kernel.write_text(with_mark.replace("OPSMITH_PLACEHOLDER", "finished"))
    with pytest.raises(ToolchainError, match="OPS036: trait 'placeholder', but no kernel"):
        load_op(folder)
    op.write_text(op.read_text().replace('    traits={"placeholder"},\n', ""))
    load_op(folder)
    told = run_tests(folder)
    assert "::test_this_op_is_still_a_placeholder" in told  # in CI, pytest adds the reason here
    assert "::test_stored_shapes_of_outputs_do_not_matter" in told  # infer() is not written yet
    assert "\n2 failed" in told
    kernel.write_text(with_mark)
    with pytest.raises(ToolchainError, match="OPS036: .* has no trait"):
        discover([tmp_path])


def test_a_broken_kernel_fails_the_written_tests(tmp_path: Path) -> None:
    new_op("soft", "--template", "elementwise", "--into", str(tmp_path))
    kernel, op = tmp_path / "soft" / "reference.h", tmp_path / "soft" / "op.py"
    written = kernel.read_text()
    kernel.write_text(written.replace("1.0 +", "1.5f +"))
    told = run_tests(tmp_path, only="test_kernels_equal_the_oracle")
    assert failed(told) == {"soft::test_kernels_equal_the_oracle"}, told
    assert "outputs by host, opt=balanced differ" in told
    kernel.write_text(written)
    op.write_text(op.read_text().replace("(1.0 +", "(1.5 +"))
    told = run_tests(tmp_path, only="test_known_results")
    assert failed(told) == {"soft::test_known_results"}, told


@pytest.mark.few(0)  # test_guards.py has one
def test_a_kernel_that_writes_beside_y_on_a_board_alone_is_found(tmp_path: Path) -> None:
    tensors = ("--inputs", "x:i8", "--outputs", "y:i8")
    new_op("beside", *tensors, "--template", "elementwise", "--into", str(tmp_path))
    kernel = tmp_path / "beside" / "reference.h"
    loop, spoilt = "  for (", "#ifdef __arm__\n  out.y[p.elements] = 1;\n#endif\n  for ("
    kernel.write_text(kernel.read_text().replace(loop, spoilt, 1))
    told = run_tests(tmp_path, "system", "test_firmware_equals_the_oracle and mps2_an386")
    assert failed(told) == {"beside::test_firmware_equals_the_oracle"}, told
    assert "RIG018" in told


def failed(told: str) -> set[str]:
    """Names of the tests that fail, as op::test."""
    found = re.findall(r"^FAILED \S*/test_(\w+)\.py::(?:\w+::)?(\w+)", told, re.MULTILINE)
    return {f"{op}::{test}" for op, test in found}


def test_the_environment_does_not_matter(tmp_path: Path) -> None:
    """Files have equal bytes when they are written from another folder and with another hash
    seed.
    """
    written = []
    for seed in ("1", "2"):
        into = tmp_path / seed / "my_ops"
        into.parent.mkdir()
        command = [sys.executable, "-m", "opsmith", "new-op", "peak", "--inputs", "x:i8,f32"]
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run(
            [*command, "--into", str(into)], check=True, env=env, cwd=into.parent, stdout=-3
        )
        files = sorted((into / "peak").iterdir())
        written.append([(file.name, file.read_bytes()) for file in files])
    assert written[0] == written[1]
