"""Tests that unused features cost nothing: KWS on a Cortex-M4F, the application and startup
included.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from opsmith.oracle.litert import Reference
from opsmith.testing.firmware import build
from tests.commands import said

pytestmark = [pytest.mark.system, pytest.mark.slow]
# bytes of code and of tables that are not the model's own
LIMITS = {"balanced": 16 * 1024, "size": 10 * 1024}
# The model's own bytes: weights, and what scales their sums.
OWN = ("filter", "weights", "bias", "multiplier", "shift", "scale", "requantization")


@pytest.fixture(params=LIMITS)
def opt(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def firmware(real_model: Callable[[str], Path], opt: str, tmp_path: Path) -> Path:
    model = real_model("kws_int8.tflite")
    return build("mps2_an386", model, tmp_path, runtime="reference", opt=opt, app="bench")


def symbols(elf: Path) -> dict[str, tuple[int, int]]:
    """Symbols of the firmware: name -> address and size in bytes."""
    command = ["arm-none-eabi-nm", "-S", str(elf)]
    told = said(command)
    rows = (line.split() for line in told.splitlines())
    return {row[-1]: (int(row[0], 16), int(row[1], 16) if len(row) == 4 else 0) for row in rows}


@pytest.mark.few(1)
def test_kws_stays_small_and_has_nothing_that_it_does_not_need(
    firmware: Path, opt: str, real_model: Callable[[str], Path]
) -> None:
    report = json.loads((firmware / "report.json").read_text())
    found = symbols(firmware / "firmware.elf")
    own = sum(size for name, (_, size) in found.items() if name.endswith(OWN))
    constants = report["constant_bytes"]
    assert 0.9 * constants < own <= constants, "OWN names the model's bytes"
    used = report["memory"]["flash"]["used"] - own
    print(f"opt={opt}: {used:,} bytes of code and tables")
    assert used < LIMITS[opt]
    mangled = [name for name in found if re.match("_ZT[VIS]|_ZN?St|__cxa|__gxx", name)]
    assert not mangled, "virtual functions, type information, exceptions, C++ library"
    members = re.findall(r"^\S*/lib(\w+)\.a\((\S+)\.o\)", _map(firmware), re.MULTILINE)
    of_libc = {member for archive, member in members if archive != "gcc"}
    rows = {"lib_a-memset"} if report["ram"]["rows"] else set()  # of padding
    assert of_libc == rows, "doubles, and nothing else of the C library"
    # nothing runs before main() but what clears .bss and copies .data
    assert found["__init_array_start"] == found["__init_array_end"]
    sections = {each["name"]: each["bytes"] for each in report["sections"]}
    assert sections.get(".data", 0) == 0
    binary = (firmware / "firmware.bin").read_bytes()
    for name in Reference(real_model("kws_int8.tflite")).inputs:
        assert name.name.encode() not in binary


@pytest.mark.first(1)  # the core with the most kernels of its own
@pytest.mark.parametrize(
    ("board", "runtime"),
    [("mps3_an547", "cmsis"), ("mps2_an386", "cmsis"), ("mps2_an386", "reference")],
)
def test_opt_size_is_the_smallest(board: str, runtime: str, tmp_path: Path) -> None:
    model = Path(__file__).parents[1] / "models" / "digits_int8.tflite"
    flash = {}
    for opt in ("balanced", "size"):
        folder = tmp_path / opt
        folder.mkdir()
        made = build(board, model, folder, runtime=runtime, opt=opt)
        report = json.loads((made / "report.json").read_text())
        flash[opt] = report["memory"]["flash"]["used"]
    assert flash["size"] < flash["balanced"]


def _map(firmware: Path) -> str:
    return (firmware / "firmware.map").read_text()
