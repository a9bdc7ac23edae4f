"""The tests of what a backend brings fail where its kernels are wrong."""

import shutil
from pathlib import Path

import pytest

from opsmith.testing.backend_cases import check_brought_on_host
from opsmith.testing.checkout import ROOT
from opsmith.testing.op_cases import check_coverage
from opsmith.tflite.cases import Case
from opsmith.tflite.writer import ModelWriter
from tests.data.my_backends.turbo.test_turbo_add import sums

ADD = ROOT / "ops" / "add"


def other_scales(m: ModelWriter) -> None:
    """Case of a sum at scales that the backend does not compute."""
    a, b = m.input("a", (4,), "int8", 0.05, -3), m.input("b", (4,), "int8", 0.07, 7)
    m.output(m.value("ADD", [a, b], m.tensor("y", (4,), "int8", 0.05, 4), version=2))


@pytest.fixture
def backend(tmp_path: Path) -> Path:
    """Copy of a backend without a fault."""
    ignored = shutil.ignore_patterns("__pycache__")
    source = ROOT / "tests/data/my_backends/turbo"
    return Path(shutil.copytree(source, tmp_path / "wrong" / "turbo", ignore=ignored))


@pytest.mark.slow
def test_a_kernel_without_a_case_is_reported(backend: Path) -> None:
    check_coverage(ADD, [Case("sums", sums)], backend)
    with pytest.raises(AssertionError, match="no case reaches the kernel 'sum'"):
        check_coverage(ADD, [Case("other", other_scales)], backend)


@pytest.mark.slow
def test_a_wrong_kernel_is_reported(backend: Path) -> None:
    header = backend / "add.h"
    text = header.read_text(encoding="utf-8")
    assert "+ p.offset" in text
    header.write_text(text.replace("+ p.offset", "- p.offset"), encoding="utf-8")
    with pytest.raises(AssertionError, match="host, sum"):
        check_brought_on_host(backend, ADD, [Case("sums", sums)], "litert")
