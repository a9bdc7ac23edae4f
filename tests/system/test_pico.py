"""A Raspberry Pi Pico as rp2040js plays it: from the second stage of its boot to exact outputs."""

from pathlib import Path

import pytest

from opsmith.testing.firmware import scons
from tests.boards import microcontrollers, outcome
from tests.system.project import convolutions
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system]
PICO = next(each for each in microcontrollers() if each.name == "pico")


@pytest.fixture(autouse=True)
def tools() -> None:
    """Skip the test without Node.js and the package rp2040js."""
    require_tools(PICO)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Path of a small model."""
    path = tmp_path / "tiny.tflite"
    path.write_bytes(convolutions())
    return path


def test_a_pico_boots_and_is_exact(tiny: Path) -> None:
    assert outcome(PICO, tiny) == "exact"


def test_an_application_ends_with_its_status(tiny: Path) -> None:
    done = scons("board=pico", f"model={tiny}", "app=bench", "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "output 0 bytes 32 crc32" in done.stdout
    assert "rp2040js" in done.stdout
