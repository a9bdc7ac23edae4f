"""Kernels that backends bring are joined to the op's own."""

import subprocess
from pathlib import Path

import pytest

from opsmith.commands.used_ops import check_unchanged, load_used, read_used, used_text
from opsmith.contract.bind import bind, bind_backend
from opsmith.contract.check_unlisted import unlisted_of_backend
from opsmith.contract.kernel_check import kernel_check
from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import discover, load_op
from opsmith.errors import ToolchainError
from opsmith.op.kernel import Kernel
from opsmith.testing.known_ops import shipped_ops
from tests.commands import refused
from tests.unit.op.backend_folders import BROUGHT, kernels, taken


@pytest.mark.slow
def test_they_come_between_the_op_s_own_and_its_reference(op: Path, backends: Path) -> None:
    found = discover([op], [backends]).by_name["twice"]
    assert kernels(found) == ["plain", "fast", "reference"]
    assert found.backends == (backends / "vendor",)
    assert kernels(load_op(op)) == ["plain", "reference"]


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_header_of_the_op_knows_nothing_of_backends(op: Path, backends: Path) -> None:
    found = discover([op], [backends]).by_name["twice"]
    assert bind(found) == bind(load_op(op))
    header = bind_backend(found, backends / "vendor")
    assert "#include <twice.op.h>" in header
    assert "namespace vendor {" in header
    assert "struct StaticFast {" in header
    assert "// vendor/twice.h: template <class P> void fast(const P&, const In<int8_t>&" in header


@pytest.mark.slow
def test_sources_may_include_what_is_generated_alone(op: Path, backends: Path) -> None:
    found, made = discover([op], [backends]).by_name["twice"], backends / "made"
    (made / "vendor").mkdir(parents=True)
    (made / "twice.op.h").write_text(bind(found))
    (made / "vendor" / "twice.op.h").write_text(bind_backend(found, backends / "vendor"))
    text = '#include "vendor/twice.op.h"\nopsmith::twice::In<int8_t> in;\n'
    command = ["g++", "-std=c++17", f"-I{made}", "-fsyntax-only", "-xc++", "-"]
    subprocess.run(command, input=text, text=True, check=True)


@pytest.mark.slow
def test_check_tells_what_is_wrong_once(backends: Path) -> None:
    text = BROUGHT.replace('{"speed"}', '"speed"').replace('node["x"]', 'node["a"]')
    (backends / "vendor" / "maximum.py").write_text(text)
    assert refused("check", f"--backends={backends}").count("requires= must be") == 1


@pytest.mark.slow
def test_the_same_assertion_looks_at_them(op: Path, backends: Path) -> None:
    text = kernel_check(discover([op], [backends]).by_name["twice"], frozenset({"speed"}))
    assert '#include "vendor/twice.h"' in text
    assert "namespace opsmith::twice::vendor {" in text
    assert f'#line 14 "{backends / "vendor" / "twice.py"}"' in text
    assert '"vendor/twice.h does not define what vendor/twice.op.h declares"' in text


@pytest.mark.slow
def test_modules_beside_are_found(op: Path, backends: Path) -> None:
    (backends / "vendor" / "costs.py").write_text("FAST = 1\n")
    text = BROUGHT.replace("per_element(5)", "per_element(costs.FAST)")
    text = text.replace("\nfrom dataclasses", "\nfrom . import costs\nfrom dataclasses", 1)
    (backends / "vendor" / "twice.py").write_text(text)
    assert taken(discover([op], [backends]), "speed", "dsp") == "fast"


@pytest.mark.slow
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


@pytest.mark.slow
def test_every_kernel_of_the_shipped_backends_is_for_a_known_op() -> None:
    ops = shipped_ops()
    for backend in backend_folders():
        kernels = ((o, k) for o in ops.by_name for v in ops[o].variants for k in v.kernels)
        brought_here = [(name, kernel) for name, kernel in kernels if kernel.backend == backend]
        assert not list(unlisted_of_backend(backend, brought_here))
        families = {file.stem for file in (backend.parent / "families").glob("*.py")}
        for file in backend.glob("*.py"):
            if file.stem not in families and "\nKERNELS" in file.read_text():
                brought: list[Kernel] = [
                    kernel
                    for variant in ops[file.stem].variants
                    for kernel in variant.kernels
                    if kernel.backend == backend
                ]
                assert brought, file
