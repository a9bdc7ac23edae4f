"""Costs of nodes on a device and on the processor: `[device]` of a runtime.toml.

A runtime's emitter may compute its nodes elsewhere than on the processor. Its `[device]` has
typical times; `[device.<runtime>]` of a board.toml replaces single figures by the board's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from opsmith.board.schema import Table
from opsmith.errors import ToolchainError, did_you_mean

PROCESSOR = "cpu"  # name of the other side in options and reports


@dataclass(frozen=True)
class Device:
    """Estimated times of a device and its processor, in nanoseconds."""

    name: str  # of the runtime
    launch_ns: float  # per node on the device, besides its work
    border_ns: float  # per change between processor and device, for synchronisation
    byte_ns: float  # per byte of a tensor that one side wrote and the other reads
    instruction_ns: float  # per unit of the cost that a kernel of the device declares
    cpu_instruction_ns: float  # per unit of the cost that a kernel of the processor declares


KEYS = tuple(each.name for each in fields(Device) if each.name != "name")


def device(table: Table, name: str) -> Device | None:
    """Device of the runtime `name` from its runtime.toml; None where that has no `[device]`."""
    if not table.has("device"):
        return None
    costs = table.table("device")
    if name == PROCESSOR:
        table.wrong(f"a device cannot be called '{PROCESSOR}'", "rename the backend's folder")
    found = Device(name, **{key: costs.time(key) for key in KEYS})
    costs.close()
    return found


def device_on(
    device: Device | None,
    overrides: Mapping[str, Mapping[str, float]],
    runtimes: Sequence[str],
    where: str,
) -> Device | None:
    """Device with a board's figures. Raises BRD002 for figures of an unknown runtime."""
    for name in overrides:
        if name not in runtimes:
            what = f"unknown key 'device.{name}'{did_you_mean(name, runtimes)}: no such runtime"
            fix = f"one of: {', '.join(runtimes)}; or name its backend: backends="
            raise ToolchainError.of("BRD002", what, where=where, fix=fix)
    figures: Mapping[str, Any] = overrides.get(device.name, {}) if device else {}
    return replace(device, **figures) if device else None


def shown_ns(ns: float) -> str:
    """Time in a suitable unit: '3 ns', '12.0 µs', '1.2 ms'."""
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:,.1f} {unit}"
    return f"{ns:.0f} ns"
