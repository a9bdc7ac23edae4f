"""Boards and MCUs that pyOCD knows, where PyPI's `pyocd` is installed."""

import re
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from opsmith.board.device_file import Memories


def installed() -> bool:
    """True if pyOCD can be imported."""
    return find_spec("pyocd") is not None


def board_target(name: str) -> str | None:
    """Part number of the MCU of a board such as nucleo_f411re; None where pyOCD has no such
    board.
    """
    boards: Mapping[str, Any] = import_module("pyocd.board.board_ids").BOARD_ID_TO_INFO
    known = {re.sub(r"\W+", "_", each.name).lower(): each.target for each in boards.values()}
    return known.get(name)


def target_memories(number: str, origins: Mapping[str, int]) -> Memories:
    """Origin and size of the memories at the given origins, for the target of a part number;
    memories that pyOCD lacks are absent.
    """
    targets: Mapping[str, Any] = import_module("pyocd.target.builtin").BUILTIN_TARGETS
    fits = (name for name in sorted(targets) if re.match(name.replace("x", "."), number))
    name = next(fits, None)
    regions = getattr(targets[name], "MEMORY_MAP", ()) if name else ()
    sizes = {each.start: each.length for each in regions if each.is_flash or each.is_ram}
    found = {memory: (origin, _size(origin, sizes)) for memory, origin in origins.items()}
    return {memory: place for memory, place in found.items() if place[1]}


def _size(origin: int, sizes: Mapping[int, int]) -> int:
    """Bytes of adjacent regions from an address on."""
    end = origin
    while end in sizes:
        end += sizes[end]
    return end - origin
