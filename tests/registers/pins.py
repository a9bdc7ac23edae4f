"""Pins that the UARTs of an MCU can use, from PyPI's modm-devices."""

import importlib
import re
from collections import defaultdict
from pathlib import Path
from typing import Any


def uart_pins(vendor: str, part: str) -> dict[str, dict[str, list[str]]]:
    """Pins of UARTs: UART -> signal -> "PA2 7", each pin with its alternate function, of all
    packages.
    """
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    package, parser = map(importlib.import_module, ("modm_devices", "modm_devices.parser"))
    folder = Path(str(package.__file__)).parent / "resources" / "devices" / vendor
    reader = parser.DeviceParser()
    for file in sorted(folder.glob(f"{part[:7]}*.xml")):
        for device in reader.parse(str(file)).get_devices():
            if device.partname.startswith(part):
                _add(found, device.get_driver("gpio"))
    return {uart: {s: sorted(pins) for s, pins in of.items()} for uart, of in found.items()}


def _add(found: dict[str, dict[str, set[str]]], driver: dict[str, Any]) -> None:
    for pin in driver["gpio"]:
        for signal in pin.get("signal", []):
            if signal["name"] in ("tx", "rx") and re.fullmatch(r"(lp)?us?art", signal["driver"]):
                uart = f"{signal['driver']}{signal['instance']}".upper()
                name = f"P{pin['port'].upper()}{pin['pin']}"
                found[uart][signal["name"]].add(f"{name} {signal.get('af', 0)}")
    for remap in driver.get("remap", []):  # of the F1: the pins without a remap
        if re.fullmatch(r"us?art", remap["driver"]):
            _add_first(found[f"{remap['driver']}{remap['instance']}".upper()], remap["group"])


def _add_first(found: dict[str, set[str]], groups: list[dict[str, Any]]) -> None:
    for signal in (each for group in groups if group["id"] == "0" for each in group["signal"]):
        if signal["name"] in ("tx", "rx"):
            found[signal["name"]].add(f"P{signal['port'].upper()}{signal['pin']} 0")
