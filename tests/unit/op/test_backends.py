"""Kernels that backends bring: joined to the op's own, or refused in one clear sentence."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from toolchain.cli import main
from toolchain.commands.used_ops import check_unchanged, load_used, read_used, used_text
from toolchain.contract.bind import bind, bind_backend
from toolchain.contract.check_unlisted import unlisted_of_backend
from toolchain.contract.kernel_check import kernel_check
from toolchain.errors import ToolchainError
from toolchain.op.backends import backend_folders
from toolchain.op.discover import discover, load_op
from toolchain.op.examples import example_graphs
from toolchain.op.index import OpFolder, OpIndex
from toolchain.op.kernel import Kernel
from toolchain.select.choice import choose
from toolchain.testing.known_ops import shipped_ops

ROOT = Path(__file__).resolve().parents[3]
OP = '''"""Twice: every element doubled."""
from dataclasses import dataclass
from toolchain.op import *
from toolchain.op.cost import per_element

@dataclass(frozen=True)
class Params:
    """Sizes."""
    size: int

def infer(node):
    return [node["x"].type]

def params(node):
    return Params(node["x"].elements)

X = ExampleTensor(i8, (4, 5), scale=0.1)
OP = Op(
    name="twice",
    legalize=(Rename("tflite.CUSTOM.Twice"),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    infer=infer,
    variants=(
        Variant(
            {"T": i8},
            (
                Kernel("plain", Params, every_node(params), requires={"dsp"}, cost=per_element(5)),
                Kernel("reference", Params, every_node(params), cost=per_element(9)),
            ),
        ),
    ),
    examples=(Example({"x": X, "y": X}),),
)
'''
BROUGHT = '''"""Twice, fast."""
from dataclasses import dataclass
from toolchain.op import *
from toolchain.op.cost import per_element

@dataclass(frozen=True)
class Fast:
    """Sizes."""
    elements: int

def plan(node):
    return Plan(Fast(node["x"].elements))

FAST = Kernel("fast", Fast, plan, requires={"speed"}, cost=per_element(5))
KERNELS = (KernelsFor({"T": i8}, (FAST,)),)
'''
RUNTIME = 'title = "Fast"\ngrants = ["dsp"]\nprovides = ["speed"]\n'
C = """#pragma once
#include "{header}"
namespace opsmith::{space} {{
template <class P>
void {name}(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {{
  for (int32_t i = 0; i < p.{size}; ++i) out.y[i] = static_cast<int8_t>(2 * in.x[i]);
}}
}}  // namespace opsmith::{space}
"""


@pytest.fixture
def op(tmp_path: Path) -> Path:
    """The folder of an op."""
    folder = tmp_path / "ops" / "twice"
    folder.mkdir(parents=True)
    (folder / "op.py").write_text(OP)
    for name in ("plain", "reference"):
        text = C.format(header="twice.op.h", space="twice", name=name, size="size")
        (folder / f"{name}.h").write_text(text)
    return folder


def write(root: Path, text: str = BROUGHT, name: str = "vendor", runtime: str = RUNTIME) -> Path:
    """A backend that brings this; returns the folder above it."""
    backend = root / name
    backend.mkdir(parents=True)
    (backend / "runtime.toml").write_text(runtime)
    (backend / "twice.py").write_text(text)
    header = C.format(
        header=f"{name}/twice.op.h", space=f"twice::{name}", name="fast", size="elements"
    )
    (backend / "twice.h").write_text(header)
    return root


@pytest.fixture
def backends(tmp_path: Path) -> Path:
    """A folder with a good backend."""
    return write(tmp_path / "backends")


def taken(ops: OpIndex, *features: str) -> str:
    """The kernel that computes the op's example on a core with these features."""
    (graph,) = example_graphs(ops["twice"])
    (node,) = graph.nodes
    return choose(graph, node, ops.of(graph, node), frozenset(features)).name


def kernels(found: OpFolder) -> list[str]:
    """The names of its kernels, in order."""
    return [kernel.name for variant in found.op.variants for kernel in variant.kernels]


def told(op: Path, *roots: Path) -> list[tuple[str, str]]:
    """(code, what) of each problem."""
    with pytest.raises(ToolchainError) as caught:
        discover([op], roots)
    return [(problem.code, problem.what) for problem in caught.value.problems]


def test_they_come_between_the_op_s_own_and_its_reference(op: Path, backends: Path) -> None:
    found = discover([op], [backends]).by_name["twice"]
    assert kernels(found) == ["plain", "fast", "reference"]
    assert found.backends == (backends / "vendor",)
    assert kernels(load_op(op)) == ["plain", "reference"]


def test_cost_decides_and_at_equal_cost_the_op_s_own_order(op: Path, backends: Path) -> None:
    ops = discover([op], [backends])
    assert taken(ops) == "reference"
    assert taken(ops, "speed") == "fast"
    assert taken(ops, "speed", "dsp") == "plain"
    file = backends / "vendor" / "twice.py"
    file.write_text(BROUGHT.replace("per_element(5)", "per_element(4)"))
    assert taken(discover([op], [backends]), "speed", "dsp") == "fast"


def test_without_a_cost_one_is_taken_before_the_reference_alone(op: Path, backends: Path) -> None:
    (backends / "vendor" / "twice.py").write_text(BROUGHT.replace(", cost=per_element(5)", ""))
    ops = discover([op], [backends])
    assert taken(ops, "speed") == "fast"
    assert taken(ops, "speed", "dsp") == "plain"


def test_the_header_of_the_op_knows_nothing_of_backends(op: Path, backends: Path) -> None:
    found = discover([op], [backends]).by_name["twice"]
    assert bind(found) == bind(load_op(op))
    header = bind_backend(found, backends / "vendor")
    assert "#include <twice.op.h>" in header
    assert "namespace vendor {" in header
    assert "struct StaticFast {" in header
    assert "// vendor/twice.h: template <class P> void fast(const P&, const In<int8_t>&" in header


def test_sources_may_include_what_is_generated_alone(op: Path, backends: Path) -> None:
    found, made = discover([op], [backends]).by_name["twice"], backends / "made"
    (made / "vendor").mkdir(parents=True)
    (made / "twice.op.h").write_text(bind(found))
    (made / "vendor" / "twice.op.h").write_text(bind_backend(found, backends / "vendor"))
    text = '#include "vendor/twice.op.h"\nopsmith::twice::In<int8_t> in;\n'
    command = ["g++", "-std=c++17", f"-I{made}", "-fsyntax-only", "-xc++", "-"]
    subprocess.run(command, input=text, text=True, check=True)


def test_check_tells_what_is_wrong_once(backends: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = BROUGHT.replace('{"speed"}', '"speed"').replace('node["x"]', 'node["a"]')
    (backends / "vendor" / "maximum.py").write_text(text)
    assert main(["check", f"--backends={backends}"]) == 2
    assert capsys.readouterr().err.count("requires= must be") == 1


def test_the_same_assertion_looks_at_them(op: Path, backends: Path) -> None:
    text = kernel_check(discover([op], [backends]).by_name["twice"], frozenset({"speed"}))
    assert '#include "vendor/twice.h"' in text
    assert "namespace opsmith::twice::vendor {" in text
    assert f'#line 14 "{backends / "vendor" / "twice.py"}"' in text
    assert '"vendor/twice.h does not define what vendor/twice.op.h declares"' in text


def test_modules_beside_are_found(op: Path, backends: Path) -> None:
    (backends / "vendor" / "costs.py").write_text("FAST = 1\n")
    text = BROUGHT.replace("per_element(5)", "per_element(costs.FAST)")
    text = text.replace("\nfrom dataclasses", "\nfrom . import costs\nfrom dataclasses", 1)
    (backends / "vendor" / "twice.py").write_text(text)
    assert taken(discover([op], [backends]), "speed", "dsp") == "fast"


@pytest.mark.parametrize(
    ("old", "new", "code", "what"),
    [
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
        (
            "requires=",
            'header="vendor/other.h", requires=',
            "KRN001",
            "there is no kernel file 'vendor/other.h'",
        ),
        ("requires=", 'header="other.h", requires=', "KRN007", "other.h is not in the backend"),
    ],
)  # fmt: skip
def test_a_mistake_is_reported(
    op: Path, backends: Path, old: str, new: str, code: str, what: str
) -> None:
    text = BROUGHT.replace(old, new)
    assert text != BROUGHT
    (backends / "vendor" / "twice.py").write_text(text)
    problems = told(op, backends)
    assert problems[0][0] == code
    assert what in problems[0][1]


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


def test_two_backends_with_kernels_of_one_name(op: Path, backends: Path) -> None:
    write(backends, name="rival")
    ((code, what),) = told(op, backends)
    assert (code, what) == ("KRN019", "kernel 'fast' of 'twice' is brought by two folders")


def test_two_backends_of_one_name(op: Path, backends: Path, tmp_path: Path) -> None:
    write(tmp_path / "others")
    ((code, what),) = told(op, backends, tmp_path / "others")
    assert (code, what) == ("OPS078", "two backends are called 'vendor'")


@pytest.mark.parametrize("name", ["plain", "Vendor", "my-backend", "class"])
def test_a_backend_whose_name_no_namespace_can_have(op: Path, tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "odd", name=name)
    assert [code for code, _ in told(op, root)] == ["OPS079"]


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


@pytest.mark.usefixtures("alone")
def test_kernels_for_an_unknown_op(
    backends: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (backends / "vendor" / "twice.py").rename(backends / "vendor" / "softmx.py")
    given = [f"--model={ROOT}/tests/models/digits_int8.tflite", f"--ops={ROOT}/ops"]
    given += [f"--backends={backends}", f"--out={tmp_path}/used.json"]
    assert main(["resolve", *given]) == 2
    said = capsys.readouterr().err
    assert (
        "KRN016: brings kernels for 'softmx', which is no known op (did you mean 'softmax'?)"
        in said
    )
    assert main(["check", f"--backends={backends}"]) == 2
    assert "error KRN016" in capsys.readouterr().err


@pytest.mark.usefixtures("alone")
def test_kernels_that_nobody_lists(
    op: Path, backends: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = backends / "vendor"
    with (folder / "twice.py").open("a") as registration:
        registration.write('SLOW = Kernel("slow", Fast, plan)\n')
    header = (folder / "twice.h").read_text()
    (folder / "twice.h").write_text(header + header.replace("fast", "slow"))
    (folder / "thrice.h").write_text(header.replace("fast", "thrice"))
    (folder / "halves.py").write_text('HALF = Kernel("half", None, None)\n')
    assert main(["check", str(op), f"--backends={backends}"]) == 2
    said = capsys.readouterr().err
    for told in (
        "'slow' of vendor/twice.py",
        "'slow' of vendor/twice.h",
        "'thrice' of",
        "'half' of",
    ):
        assert f"error KRN015: no KERNELS list the kernel {told}" in said
    assert said.count("KRN015") == 4


@pytest.mark.usefixtures("alone")
def test_a_feature_that_nothing_has(
    op: Path, backends: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (op / "op.py", backends / "vendor" / "twice.py"):
        file.write_text(file.read_text().replace('"dsp"', '"dps"').replace('"speed"', '"sped"'))
    assert main(["check", str(op), f"--backends={backends}"]) == 2
    said = capsys.readouterr().err
    assert "KRN010: kernel 'plain' requires 'dps', which no core has (did you mean 'dsp'?)" in said
    assert "KRN010: kernel 'fast' requires 'sped', which no core has (did you mean 'sp" in said
    assert str(backends / "vendor" / "twice.py") in said
    cores = tmp_path / "mine" / "arch" / "arm" / "cores"
    cores.mkdir(parents=True)
    (cores / "new.toml").write_text('flags = ["-mcpu=cortex-m4"]\nfeatures = ["dps", "sped"]\n')
    given = [str(op), f"--backends={backends}", f"--platforms={tmp_path / 'mine'}"]
    assert main(["check", *given]) == 0


@pytest.mark.usefixtures("alone")
def test_check_looks_at_what_a_backend_brings(
    op: Path, backends: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(op), f"--backends={backends}"]) == 0
    (backends / "vendor" / "twice.py").write_text(BROUGHT.replace('"x"', '"z"'))
    assert main(["check", str(op), f"--backends={backends}"]) == 2
    assert f"where: {backends}/vendor/twice.py:12" in capsys.readouterr().err


@pytest.mark.parametrize("edited", ["vendor/twice.py", "vendor/table.txt", "vendor/runtime.toml"])
def test_what_changes_while_a_model_is_converted_is_reported(
    op: Path, backends: Path, tmp_path: Path, edited: str
) -> None:
    (backends / "vendor" / "table.txt").write_text("1\n")
    listed = tmp_path / "used_ops.json"
    listed.write_text(used_text(discover([op], [backends]).by_name.values()))
    used = read_used(listed)
    assert kernels(load_used(used, [backends]).by_name["twice"]) == ["plain", "fast", "reference"]
    with (backends / "vendor" / "twice.h").open("a") as kernel:
        kernel.write("// a kernel is no registration\n")
    check_unchanged(used)
    with (backends / edited).open("a") as file:
        file.write("# edited\n")
    with pytest.raises(ToolchainError, match="BLD023"):
        check_unchanged(used)


def test_every_kernel_of_the_shipped_backends_is_for_a_known_op() -> None:
    ops = shipped_ops()
    for backend in backend_folders():
        kernels = ((o, k) for o in ops.by_name for v in ops[o].variants for k in v.kernels)
        brought_here = [(name, kernel) for name, kernel in kernels if kernel.backend == backend]
        assert not list(unlisted_of_backend(backend, brought_here))
        for file in backend.glob("*.py"):
            if "\nKERNELS" in file.read_text():
                brought: list[Kernel] = [
                    kernel
                    for variant in ops[file.stem].variants
                    for kernel in variant.kernels
                    if kernel.backend == backend
                ]
                assert brought, file
