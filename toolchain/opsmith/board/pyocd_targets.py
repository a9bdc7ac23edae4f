"""Boards that pyOCD knows, where PyPI's `pyocd` is installed."""

import re
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def installed() -> bool:
    """True if pyOCD can be imported."""
    return find_spec("pyocd") is not None


def board_target(name: str) -> str | None:
    """Part number of the MCU of a board such as nucleo_f411re; None if pyOCD lacks it."""
    boards: Mapping[str, Any] = import_module("pyocd.board.board_ids").BOARD_ID_TO_INFO
    known = {re.sub(r"\W+", "_", each.name).lower(): each.target for each in boards.values()}
    return known.get(name)
