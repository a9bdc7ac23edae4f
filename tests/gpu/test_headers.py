"""The runtime's headers stand alone, without a warning, for GCC and Clang."""

import shutil
from pathlib import Path

import pytest

from opsmith.home import RUNTIMES
from tests.conftest import NO_PACKAGES
from tests.gpu.two_kernels import CXXFLAGS, compiled

pytestmark = pytest.mark.slow
FLAGS = ("-Wsign-conversion", "-fsyntax-only")


@pytest.mark.few(10)
@pytest.mark.parametrize("header", sorted((RUNTIMES / "gpu").glob("*.h")), ids=lambda h: h.name)
@pytest.mark.parametrize("compiler", ["gcc", "clang-15"])
def test_a_header_stands_alone(header: Path, compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{NO_PACKAGES}: no {compiler}")
    (tmp_path / "one.cc").write_text(f'#include "{header}"\n', encoding="utf-8")
    compiled(tmp_path / "one.cc", tmp_path / "one.o", *CXXFLAGS, *FLAGS, compiler=compiler)
