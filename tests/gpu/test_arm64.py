"""OpenCL for aarch64 under an emulator, where its packages have been fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import NO_ARM64_POCL
from tests.gpu.arm64 import BOARD, fetched, probe
from tests.system.tools import require_tools

pytestmark = [pytest.mark.qemu, pytest.mark.slow]


def test_a_kernel_computes_what_it_says(tmp_path: Path) -> None:
    require_tools(BOARD)
    root = fetched()
    if root is None:
        pytest.skip(NO_ARM64_POCL)
    assert probe(root, tmp_path).startswith("right on device")
