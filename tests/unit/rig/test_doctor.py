"""`opsmith doctor` names what is missing, and the command that mends it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.platforms import platforms
from opsmith.cli import main
from opsmith.rig import doctor_attached, doctor_checks
from opsmith.rig.doctor_attached import attached_checks
from opsmith.rig.doctor_checks import ABSENT, BROKEN, FINE, HINT, Check
from opsmith.rig.serial import Adapter
from tests.commands import printed

pytestmark = pytest.mark.slow

HOSTILE = "\x1b[2J\nprobes:\x07"


def doctor(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    status = main(["doctor", "--json"])
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert all(each["fix"] for each in checks if each["state"] in (BROKEN, HINT))
    return status, {each["name"]: each for each in checks}


def test_a_machine_that_has_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    status, checks = doctor(capsys)
    assert status == 0
    assert "this folder" not in checks
    assert checks["numpy"]["state"] == FINE
    assert checks["gcc-arm-none-eabi"]["found"].startswith("arm-none-eabi-gcc")
    assert checks["openocd"]["fix"] == "" or "openocd" in checks["openocd"]["fix"]
    assert "all that every user needs is there" in printed("doctor")


def test_a_machine_that_has_nothing_is_told_what_mends_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(here))
    status, checks = doctor(capsys)
    assert status == 1
    assert checks["this folder"]["fix"] == "opsmith init"
    compiler, optional = checks["gcc-arm-none-eabi"], checks["gcc-riscv64-unknown-elf"]
    assert compiler["state"] == BROKEN
    assert compiler["fix"] == (
        "./bootstrap, or: sudo apt-get install -y --no-install-recommends gcc-arm-none-eabi"
    )
    assert (optional["state"], optional["found"]) == (ABSENT, "for riscv")
    assert optional["fix"].startswith("./bootstrap --all, or: sudo apt-get install")
    assert checks["openocd"]["fix"] == "apt-get install openocd"
    assert main(["doctor"]) == 1
    assert "to mend: python3, " in capsys.readouterr().out


def test_packages_and_space_that_lack_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["no-such-package>=1", 'no-such-extra>=1; extra == "rig"']
    monkeypatch.setattr(doctor_checks, "_requirements", lambda: wanted)
    monkeypatch.setattr(doctor_checks, "LEAST_FREE", 1 << 60)
    monkeypatch.setattr(doctor_checks, "LARGE", -1)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    status, checks = doctor(capsys)
    assert status == 1
    assert (checks["no-such-package"]["state"], checks["free space"]["state"]) == (BROKEN, BROKEN)
    assert checks["no-such-package"]["fix"] == "run ./bootstrap"
    assert checks["no-such-extra"]["fix"] == ".venv/bin/pip install 'opsmith[rig]'"
    assert (checks["build/"]["fix"], checks["python"]["state"]) == ("rm -r build", HINT)


def attached(tmp_path: Path, *ports: str, monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    """Checks of the doctor with an ST-LINK and adapters attached at the given ports."""
    device = tmp_path / "devices" / "1-2"
    device.mkdir(parents=True)
    facts = {"idVendor": "0483", "idProduct": "374b", "busnum": "1", "devnum": "7"}
    for name, text in {**facts, "product": HOSTILE, "serial": "066C"}.items():
        (device / name).write_text(f"{text}\n", encoding="utf-8")
    found = [Adapter(port, "0483:374b", "066C", HOSTILE) for port in ports]
    monkeypatch.setattr(doctor_attached, "adapters", lambda: iter(found))
    known = platforms()
    flashers = [known.flasher(name) for name in known.flashers()]
    return list(attached_checks(flashers, tmp_path / "devices", tmp_path / "bus"))


def test_what_is_attached_may_not_be_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = tmp_path / "ttyACM0"
    port.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    probe, ours, gone = attached(tmp_path, str(port), "/dev/none", monkeypatch=monkeypatch)
    assert {probe.state, ours.state, gone.state} == {BROKEN}
    assert probe.name == "066C"
    assert "for openocd, " in probe.found
    assert 'ATTR{idVendor}=="0483"' in probe.fix
    assert ours.fix.startswith("sudo usermod -aG ")
    assert gone.fix == "attach it again"


def test_what_devices_say_stays_on_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = tmp_path / "ttyACM0"
    port.touch()
    (tmp_path / "bus" / "001").mkdir(parents=True)
    (tmp_path / "bus" / "001" / "007").touch()
    checks = attached(tmp_path, str(port), monkeypatch=monkeypatch)
    assert [each.state for each in checks] == [FINE, FINE]
    monkeypatch.setattr("opsmith.rig.doctor.attached_checks", lambda flashers: checks)
    out = printed("doctor")
    assert out.count("probes:\n") == 1
    assert all(line.isprintable() for line in out.splitlines())
