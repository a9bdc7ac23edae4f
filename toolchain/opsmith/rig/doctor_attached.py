"""Checks of attached devices: probes on USB and serial ports, and the user's access to each."""

import getpass
import grp
import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from opsmith.board.architecture import Flasher
from opsmith.rig.doctor_checks import ABSENT, BROKEN, FINE, Check
from opsmith.rig.serial import adapters

_DEVICES = Path("/sys/bus/usb/devices")
_NODES = Path("/dev/bus/usb")
_RULES = "/etc/udev/rules.d/60-opsmith.rules"


def attached_checks(
    flashers: Sequence[Flasher], devices: Path = _DEVICES, nodes: Path = _NODES
) -> Iterator[Check]:
    """Check of each probe and serial port, or that none is attached."""
    probes = [*_probes(flashers, devices, nodes)]
    yield from probes or [Check("probes", "none", ABSENT, "no probe is attached")]
    ports = [_port(each.device, f"{each.usb} {each.product}".strip()) for each in adapters()]
    yield from ports or [Check("serial ports", "none", ABSENT, "no serial port is on USB")]


def _probes(flashers: Sequence[Flasher], devices: Path, nodes: Path) -> Iterator[Check]:
    """Checks of the USB devices that flashers know: whether the user may write to each."""
    for device in sorted(devices.iterdir()) if devices.is_dir() else ():
        vendor, product = _text(device, "idVendor"), _text(device, "idProduct")
        usb = f"{vendor}:{product}"
        names = [f.name for f in flashers if any(fnmatch(usb, each) for each in f.adapters)]
        bus, number = _text(device, "busnum"), _text(device, "devnum")
        if not (names and bus.isdecimal() and number.isdecimal()):
            continue
        node = nodes / f"{int(bus):03}" / f"{int(number):03}"
        found = f"{usb} {_text(device, 'product')}, for {', '.join(names)}"
        if os.access(node, os.R_OK | os.W_OK):
            yield Check("probes", _text(device, "serial") or usb, FINE, found)
            continue
        rule = f'SUBSYSTEM=="usb", ATTR{{idVendor}}=="{vendor}", TAG+="uaccess"'
        fix = f"echo '{rule}' | sudo tee -a {_RULES} && sudo udevadm control --reload"
        what = f"{found}: {node} is not yours to write"
        yield Check(
            "probes", _text(device, "serial") or usb, BROKEN, what, f"{fix}, then replug it"
        )


def _port(device: str, found: str) -> Check:
    """Check that the user may use a serial port."""
    if os.access(device, os.R_OK | os.W_OK):
        return Check("serial ports", device, FINE, found)
    try:
        group = grp.getgrgid(os.stat(device).st_gid).gr_name
        fix = f"sudo usermod -aG {group} {getpass.getuser()}, then log in again"
    except (OSError, KeyError):
        fix = "attach it again"
    return Check("serial ports", device, BROKEN, f"{found}: it is not yours to use", fix)


def _text(device: Path, name: str) -> str:
    """Content of a file of a device in sysfs; "" where the file is absent."""
    try:
        return (device / name).read_text(encoding="utf-8", errors="backslashreplace").strip()
    except OSError:
        return ""
