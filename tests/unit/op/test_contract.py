"""A kernel that is not what op.py says ends a build with a message that leads to its line there."""

from pathlib import Path

import pytest

from opsmith.build_options import BuildOptions
from opsmith.discover.discover import discover
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.host_firmware import build_host
from opsmith.tflite.writer import ModelWriter
from tests.unit.op.folders import BOUND, GOOD, KERNEL, MINE, write

pytestmark = pytest.mark.slow  # it compiles C++

PARAMETERS = "const P& p, const In<int8_t>& in, const Out<int8_t>& out"
OTHER = "no matches converting function ‘reference’"


def build(tmp_path: Path, text: str, kernel: str, opt: str = "balanced") -> None:
    """Build a model that uses an op with the given registration and kernel."""
    ops = discover([write(tmp_path, text=text, kernel=kernel)])
    m = ModelWriter()
    x = m.input("x", (4,), "int8", 0.5)
    m.output(m.value("CUSTOM", [x], m.tensor("y", (4,), "int8", 0.5), custom="Twice"))
    (tmp_path / "m.tflite").write_bytes(m.bytes())
    _, graph = read(tmp_path / "m.tflite", "m", ops)
    configuration = Configuration(options=BuildOptions(opt=opt))
    program = compile_graph(graph, ops, configuration, "m")
    build_host(program, ops, tmp_path / "build", sanitize=False)


@pytest.mark.parametrize("opt", ["balanced", "size"])
@pytest.mark.parametrize(("text", "kernel"), [(GOOD, KERNEL), (BOUND, MINE)])
def test_one_that_matches_builds(tmp_path: Path, opt: str, text: str, kernel: str) -> None:
    build(tmp_path, text, kernel, opt)


@pytest.mark.parametrize(("text", "kernel", "old", "new", "message"), [
    (GOOD, KERNEL, "reference", "thrice /* reference( */", "was not declared"),
    (GOOD, KERNEL, "In<int8_t>", "In<int16_t>", OTHER),
    (GOOD, KERNEL, "const Out<int8_t>& out", "Out<int8_t>& out", OTHER),
    (GOOD, KERNEL, PARAMETERS, "const P& p, const In<int8_t>& in", OTHER),
    (GOOD, KERNEL, PARAMETERS, f"{PARAMETERS}, int n", OTHER),
    (BOUND, MINE, "void twice", "void thrice /* twice( */", "is not a member of ‘mine’"),
    (BOUND, MINE, "const T* x, T* y", "T* x, T* y", "invalid conversion"),
    (BOUND, MINE, "T* y, int n", "T* y, int n, int more", "no matching function"),
])  # fmt: skip
def test_one_that_does_not_leads_to_its_line(
    tmp_path: Path, text: str, kernel: str, old: str, new: str, message: str
) -> None:
    assert old in kernel
    with pytest.raises(AssertionError) as caught:
        build(tmp_path, text, kernel.replace(old, new, 1))
    at = next(i for i, line in enumerate(text.splitlines(), 1) if "REFERENCE = " in line)
    told = [line for line in str(caught.value).splitlines() if f"twice/op.py:{at}:" in line]
    assert any(message in line for line in told), caught.value


def test_the_docstring_is_in_the_contract(tmp_path: Path) -> None:
    text = GOOD.replace("doubled.", "doubled.\n\nIt ends with a backslash \\\\\nand goes on.")
    build(tmp_path, text, KERNEL)
    header = (tmp_path / "build" / "twice.op.h").read_text(encoding="utf-8")
    assert header.startswith("// Twice: every element doubled.\n//\n// It ends with a backslash\n")
