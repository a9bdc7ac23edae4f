"""Costs of nodes on a device and on the processor: `[device]` of a runtime.toml.

A runtime's emitter may compute its nodes elsewhere than on the processor. Its `[device]` has
typical times; `[device.<runtime>]` of a board.toml replaces single figures by the board's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeGuard

from opsmith.errors import ToolchainError, did_you_mean, shown

PROCESSOR = "cpu"  # name of the other side in options and reports
MOST_NS = 1_000_000_000


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


def device_problems(folder: str, table: Any) -> Iterator[tuple[str, str]]:
    """Problems in the `[device]` table of a runtime, as (what, fix)."""
    if not isinstance(table, dict):
        yield f"'device' is {shown(table)}", "write a table: [device]"
        return
    if folder == PROCESSOR:
        yield f"a device cannot be called '{PROCESSOR}'", "rename the folder of the backend"
    for key in table:
        if key not in KEYS:
            what = f"unknown key 'device.{key}'{did_you_mean(key, KEYS)}"
            yield what, f"use only: {', '.join(KEYS)}"
    for key in KEYS:
        if key not in table:
            yield f"missing key 'device.{key}'", f"add {key} = …, in nanoseconds"
        elif not is_time(table[key]):
            what = f"'device.{key}' is {shown(table[key])}"
            yield what, f"write nanoseconds, from 0 to {MOST_NS}"


def is_time(value: object) -> TypeGuard[float]:
    """True if a value of a TOML file is a valid time in nanoseconds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value <= MOST_NS  # False for infinity and NaN


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
