"""Tests that each mistake in kernels of backends is reported in one clear sentence."""

from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import discover, namesakes
from opsmith.errors import ToolchainError
from tests.commands import printed, refused
from tests.unit.op.backend_folders import BROUGHT, ROOT, taken, told, write


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "code", "what"), [
    ("KERNELS = ", "KERNELS = None and ", "KRN017", "KERNELS is missing"),
    ("KERNELS = (KernelsFor", "KERNELS = [1] or (KernelsFor", "KRN017", "KERNELS is [1]"),
    ("(FAST,)", "FAST", "KRN017", "KERNELS is "),
    ("FAST = Kernel", "import nothing_so\nFAST = Kernel", "OPS002", "twice.py does not load"),
    ('{"T": i8}', '{"T": 3}', "OPS021", "types= must be"),
    ('{"T": i8}', "None", "OPS021", "types= must be"),
    ("requires=", "sources=5, requires=", "OPS021", "sources= must be"),
    ("requires=", "header=5, requires=", "OPS021", "header= must be"),
    ('{"T": i8}', '{"T": i16}', "KRN018", "brings kernels for T=i16, and 'twice' has no such"),
    ('{"T": i8}', "{}", "KRN018", "brings kernels for no type variables, and"),
    ('"fast", Fast', '"plain", Fast', "KRN004", "vendor/twice.h has no function 'plain'"),
    ("requires=", "folder='zz', requires=", "KRN017", "kernel 'fast' says folder='zz'"),
    ("requires=", "over_composite=True, requires=", "KRN009", "says over_composite=, and"),
    ('requires={"speed"}, cost=per_element(5)', 'requires={"dsp"}', "KRN011",
     "kernel 'fast' is never taken: 'plain' takes whatever it does"),
    ("frozen=True", "frozen=False", "OPS016", "Fast is not frozen"),
    ("def plan(node)", "def plan(node, more)", "OPS057", "plan=plan cannot be called with"),
    ('{"speed"}', '"speed"', "OPS021", "requires= must be"),
    ("requires=", 'header="vendor/other.h", requires=', "KRN001",
     "there is no kernel file 'vendor/other.h'"),
    ("requires=", 'header="other.h", requires=', "KRN007", "other.h is not in the backend"),
])  # fmt: skip
def test_a_mistake_is_reported(
    op: Path, backends: Path, old: str, new: str, code: str, what: str
) -> None:
    text = BROUGHT.replace(old, new)
    assert text != BROUGHT
    (backends / "vendor" / "twice.py").write_text(text)
    problems = told(op, backends)
    assert problems[0][0] == code
    assert what in problems[0][1]


@pytest.mark.slow
def test_a_function_that_fails_is_named_with_its_line(op: Path, backends: Path) -> None:
    file = backends / "vendor" / "twice.py"
    file.write_text(BROUGHT.replace('node["x"].elements', 'node["z"].elements'))
    ops = discover([op], [backends])
    with pytest.raises(ToolchainError, match="OPS061: plan of op 'twice' ended with KeyError"):
        taken(ops, "speed")
    file.write_text(BROUGHT.replace("return Plan(Fast(", "return (Fast("))
    with pytest.raises(ToolchainError, match="OPS070: plan of kernel 'fast' of op 'twice'"):
        taken(discover([op], [backends]), "speed")


def test_a_name_that_the_op_has_is_refused(op: Path, backends: Path) -> None:
    header = backends / "vendor" / "twice.h"
    header.write_text(header.read_text().replace("void fast", "void plain"))
    (backends / "vendor" / "twice.py").write_text(BROUGHT.replace('"fast"', '"plain"'))
    ((code, what),) = told(op, backends)
    assert (code, what) == ("KRN019", "kernel 'plain' of 'twice' is brought by two folders")


def test_a_kernel_that_is_brought_twice_is_reported(op: Path, backends: Path) -> None:
    (backends / "vendor" / "twice.py").write_text(f"{BROUGHT}\nKERNELS = (*KERNELS, *KERNELS)\n")
    ((code, what),) = told(op, backends)
    assert (code, what) == (
        "KRN019", "kernel 'fast' of 'twice' is brought twice for the same cores"
    )  # fmt: skip


@pytest.mark.slow
def test_two_backends_with_kernels_of_one_name(op: Path, backends: Path) -> None:
    write(backends, name="rival")
    ((code, what),) = told(op, backends)
    assert (code, what) == ("KRN019", "kernel 'fast' of 'twice' is brought by two folders")


def test_two_backends_of_one_name(op: Path, backends: Path, tmp_path: Path) -> None:
    write(tmp_path / "others")
    ((code, what),) = told(op, backends, tmp_path / "others")
    assert (code, what) == ("OPS078", "two backends are called 'vendor'")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "Vendor", "my-backend", "class"])
def test_a_backend_whose_name_no_namespace_can_have(op: Path, tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "odd", name=name)
    assert [code for code, _ in told(op, root)] == ["OPS079"]


def test_a_backend_whose_headers_shipped_ones_would_hide(op: Path, tmp_path: Path) -> None:
    ((code, what),) = told(op, write(tmp_path / "hidden", name="core"))
    assert (code, what) == (
        "OPS079", "runtimes/core/ has headers that would be included instead"
    )  # fmt: skip


@pytest.mark.slow
def test_a_backend_whose_headers_an_op_would_hide(op: Path, tmp_path: Path) -> None:
    root = write(tmp_path / "hidden", name="twice")
    ((code, what),) = told(op, root)
    assert (code, what) == ("OPS079", f"op {op} has headers that would be included instead")
    assert f"error OPS079: {what}" in refused("check", op, f"--backends={root}")


def test_a_backend_whose_headers_a_shipped_op_would_hide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backend's headers must not be hidden by a shipped op's: emitted code includes `add/…` from
    the folder above all shipped ops, `ops` in a checkout.
    """
    monkeypatch.chdir(ROOT)
    root = write(tmp_path / "hidden", name="add")
    for folder in (ROOT / "ops" / "add", Path("ops/add")):
        assert [code for code, _ in told(folder, root)] == ["OPS079"]


def test_an_op_that_is_named_like_a_shipped_backend(op: Path) -> None:
    named = op.rename(op.parent / "cmsis")
    (problem,) = namesakes(named, backend_folders())
    assert (problem.where, problem.fix) == (str(named), "rename the op")


def test_kernels_without_a_runtime(op: Path, backends: Path) -> None:
    (backends / "vendor" / "runtime.toml").unlink()
    ((code, what),) = told(op, backends)
    assert (code, what) == ("BLD038", "brings kernels and has no runtime.toml")


def test_a_folder_without_backends(op: Path, tmp_path: Path) -> None:
    ((code, what),) = told(op, tmp_path / "ops")
    assert code == "BLD038"
    assert "holds no backend" in what


def test_a_runtime_that_cannot_be_read(op: Path, backends: Path) -> None:
    (backends / "vendor" / "runtime.toml").write_text("title = \n")
    assert [code for code, _ in told(op, backends)] == ["BLD030"]


def test_a_folder_is_no_kernel_file(op: Path, backends: Path) -> None:
    (backends / "vendor" / "twice.h").unlink()
    (backends / "vendor" / "twice.h").mkdir()
    ((code, what),) = told(op, backends)
    assert code == "KRN001"
    assert "did you mean 'vendor/twice.h'" not in what


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_kernels_for_an_unknown_op(backends: Path, tmp_path: Path) -> None:
    for suffix in (".py", ".h"):
        (backends / "vendor" / f"twice{suffix}").rename(backends / "vendor" / f"softmx{suffix}")
    given = [f"--model={ROOT}/tests/models/digits_int8.tflite", f"--ops={ROOT}/ops"]
    given += [f"--backends={backends}", f"--out={tmp_path}/used.json"]
    said = refused("resolve", *given)
    assert (
        "KRN016: brings kernels for 'softmx', which is no known op (did you mean 'softmax'?)"
        in said
    )
    said = refused("check", f"--backends={backends}")
    assert "error KRN016" in said
    assert "KRN015" not in said  # the file lists them


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_kernels_that_nobody_lists(op: Path, backends: Path) -> None:
    folder = backends / "vendor"
    with (folder / "twice.py").open("a") as registration:
        registration.write('SLOW = Kernel("slow", Fast, plan)\n')
    header = (folder / "twice.h").read_text()
    (folder / "twice.h").write_text(header + header.replace("fast", "slow"))
    (folder / "thrice.h").write_text(header.replace("fast", "thrice"))
    (folder / "halves.py").write_text('HALF = Kernel("half", None, None)\n')
    said = refused("check", op, f"--backends={backends}")
    for sentence in (
        "'slow' of vendor/twice.py",
        "'slow' of vendor/twice.h",
        "'thrice' of",
        "'half' of",
    ):
        assert f"error KRN015: no KERNELS list the kernel {sentence}" in said
    assert said.count("KRN015") == 4


@pytest.mark.slow
def test_a_runtime_that_no_backend_is(op: Path, backends: Path) -> None:
    text = (op / "op.py").read_text()
    (op / "op.py").write_text(text.replace('requires={"dsp"}', 'runtime="vendor"'))
    printed("check", op, f"--backends={backends}")
    (op / "op.py").write_text(text.replace('requires={"dsp"}', 'runtime="vendro"'))
    said = refused("check", op, f"--backends={backends}")
    assert "KRN010: kernel 'plain' is for runtime 'vendro', which no backend is (did you" in said


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_a_feature_that_nothing_has(op: Path, backends: Path, tmp_path: Path) -> None:
    for file in (op / "op.py", backends / "vendor" / "twice.py"):
        text = file.read_text().replace('"dsp"', '"dps"').replace('"speed"', '"sped"')
        file.write_text(text.replace("per_element(5)", "per_element(5), paces={'slow_mal': 2.0}"))
    said = refused("check", op, f"--backends={backends}")
    assert "KRN010: kernel 'plain' requires 'dps', which no core has (did you mean 'dsp'?)" in said
    assert "KRN010: kernel 'fast' requires 'sped', which no core has (did you mean 'sp" in said
    assert "KRN010: kernel 'fast' paces by 'slow_mal', which no core has (did you" in said
    assert "runtime=" not in said
    assert str(backends / "vendor" / "twice.py") in said
    cores = tmp_path / "mine" / "arch" / "arm" / "cores"
    cores.mkdir(parents=True)
    (cores / "new.toml").write_text(
        'flags = ["-mcpu=cortex-m4"]\nfeatures = ["dps", "sped", "slow_mal"]\n'
    )
    given = [str(op), f"--backends={backends}", f"--platforms={tmp_path / 'mine'}"]
    assert main(["check", *given]) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_check_looks_at_what_a_backend_brings(op: Path, backends: Path) -> None:
    assert main(["check", str(op), f"--backends={backends}"]) == 0
    (backends / "vendor" / "twice.py").write_text(BROUGHT.replace('"x"', '"z"'))
    assert f"where: {backends}/vendor/twice.py:12" in refused("check", op, f"--backends={backends}")


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("asked", "told"), [
    ('requires={"dsp"}, excludes={"dsp"}', "it requires and excludes dsp"),
    ('requires={"mve"}, excludes={"dsp"}', "no core has mve and not dsp"),
    ('requires={"dsp"}, excludes={"mve"}', ""),
    ('runtime="cmsis", excludes={"runtime=cmsis"}', "it requires and excludes runtime=cmsis"),
])  # fmt: skip
def test_features_that_no_core_has_together(
    op: Path, capsys: pytest.CaptureFixture[str], asked: str, told: str
) -> None:
    (op / "op.py").write_text((op / "op.py").read_text().replace('requires={"dsp"}', asked))
    assert main(["check", str(op)]) == (2 if told else 0)
    said = capsys.readouterr().err
    assert f"KRN011: kernel 'plain' is never taken: {told}" in said if told else said == ""


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_a_core_has_for_a_kernel_what_the_runtime_grants(op: Path, tmp_path: Path) -> None:
    """A core has for kernels only what the runtime grants: one of the Cortex-M55's two features."""
    asked = 'requires={"mve"}, excludes={"dsp"}'
    (op / "op.py").write_text((op / "op.py").read_text().replace('requires={"dsp"}', asked))
    root = tmp_path / "granting"
    (root / "mine").mkdir(parents=True)
    (root / "mine" / "runtime.toml").write_text('title = "Mine"\ngrants = ["mve"]\n')
    assert main(["check", str(op), f"--backends={root}"]) == 0
    assert main(["check", str(op)]) == 2
