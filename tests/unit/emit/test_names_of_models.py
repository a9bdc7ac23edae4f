"""Whatever a model calls its tensors, its C++ compiles without a warning and computes them."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from opsmith.emit.manifest import manifest
from opsmith.emit.writing import COLUMNS
from opsmith.frontend.names import identifier as tensor_identifier
from opsmith.keywords import identifier
from opsmith.report.plan_svg import plan_svg
from opsmith.testing.host_firmware import WARNINGS
from opsmith.testing.host_sources import write_sources
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d
from tests.names import NAMES
from tests.programs import assert_litert, built, compiled

pytestmark = pytest.mark.slow  # it compiles C++


def chain() -> bytes:
    """Model of a convolution and, for each name, the addition of a constant, whose sum has that
    name.
    """
    m = ModelWriter()
    x = m.input("x", (1, 2, 2, 2), "int8", 0.5, 1)
    w = m.constant("y/filter", np.arange(8, dtype=np.int8).reshape(2, 2, 2, 1), (0.1, 0.2))
    k = m.constant("k", np.array([1, -2], np.int8), 0.5)
    value = m.tensor("y", (1, 2, 2, 2), "int8", 0.5, 1)
    conv_2d(m, x, w, m.constant("b", np.array([3, 4], np.int32)), value)
    for i, name in enumerate(NAMES):
        total = m.tensor(name, (1, 2, 2, 2), "int8", 0.5, i % 5)
        m.node("ADD", [value, k], [total], {"fused_activation_function": "NONE"}, version=2)
        value = total
        if i % 3 == 0:
            m.output(value)
    m.output(value, k)
    return m.bytes().replace(b"\xc2\xb5", b"\xb5\xff")  # a name that is not UTF-8


@pytest.mark.parametrize("opt", ["balanced", "size"])
def test_every_name_compiles(opt: str, tmp_path: Path) -> None:
    program = compiled(chain(), name="hostile", opt=opt)
    found = manifest(program, shipped_ops())
    assert json.dumps(found).isprintable()
    ElementTree.fromstring(plan_svg(found))
    assert_litert(chain(), built(program, tmp_path, sanitize=False))


def test_lines_fit_on_a_page_whatever_tensors_are_called(tmp_path: Path) -> None:
    m = ModelWriter()
    prefix = "functional_1/batch_normalization/FusedBatchNormV3"
    values = [m.input(f"{prefix}/input", (1, 8, 8, 2), "int8", 0.5)]
    for i in range(4):
        w = m.constant(
            f"{prefix}/{i}/w", np.arange(36, dtype=np.int8).reshape(2, 3, 3, 2), (0.1, 1)
        )
        b = m.constant(f"{prefix}/{i}/b", np.array([100, -i], np.int32))
        y = m.tensor(f"{prefix};activation_{i}/Relu", (1, 8, 8, 2), "int8", 0.5)
        values.append(conv_2d(m, values[-1], w, b, y))
    m.output(*values[2:])
    program = compiled(m, features={"dsp", "thumb2", "thumb"}, name="keyword_spotting")
    write_sources(program, shipped_ops(), tmp_path)
    code = [f for f in tmp_path.glob("*/*") if f.suffix in (".cc", ".h") and f.stem != "weights"]
    assert len(code) > 5
    for file in code:
        lines = [each for each in file.read_text("utf-8").splitlines() if each[:5] != "#line"]
        assert not [line for line in lines if len(line) > COLUMNS], file.name


# Names of files: functions, types and macros of C, words of C++, and names of the emitted code.
STEMS = """tanh exp expf sqrtl abs floor printf memcpy index read write int main std model
    opsmith size_t int8_t NULL errno linux INT32_MAX UINT8_C offsetof class input arena
    time board""".split()


@pytest.mark.parametrize("compiler", ["g++", "arm-none-eabi-g++"])
def test_a_model_may_have_any_name(compiler: str, tmp_path: Path) -> None:
    lines = [f"#include <{header}.h>" for header in ("stdint", "stddef", "string", "errno")]
    lines += [f"namespace {identifier(stem)} {{ void invoke(); }}" for stem in STEMS]
    source = tmp_path / "names.cc"
    source.write_text("\n".join([*lines, ""]), encoding="utf-8")
    command = [compiler, "-std=c++17", *WARNINGS, "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# What headers of C define as macros besides those that emitted code includes, and words of C++20.
OF_APPLICATIONS = """I M_PI M_1_PI FLT_EPSILON DBL_DIG CHAR_BIT CLOCKS_PER_SEC EDOM ERANGE WEOF
    char8_t concept consteval constinit co_await co_return co_yield requires""".split()


@pytest.mark.parametrize("compiler", ["g++", "arm-none-eabi-g++"])
def test_an_application_may_include_other_headers_before_the_model(
    compiler: str, tmp_path: Path
) -> None:
    headers = ("complex", "errno", "float", "limits", "math", "time", "wchar")
    lines = [f"#include <{header}.h>" for header in headers]
    lines += ["namespace outputs {"]
    lines += [f"extern const int {tensor_identifier(name)};" for name in OF_APPLICATIONS]
    source = tmp_path / "names.cc"
    source.write_text("\n".join([*lines, "}", ""]), encoding="utf-8")
    command = [compiler, "-std=gnu++20", "-nostdinc++", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_list_may_have_the_name_of_a_tensor_in_another(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 2, 2, 2), "int8", 0.5, 1)
    for i, name in enumerate(("a", "b"), 2):
        y = m.tensor(name, (1, 2, 2, 2**i), "int8", 0.5, 1)
        m.node("CONCATENATION", [x, x], [y], {"axis": 3})
        x = y
    m.output(x)
    assert_litert(m, built(compiled(m, name="joined"), tmp_path, sanitize=False), sets=2)
