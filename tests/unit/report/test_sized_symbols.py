"""Symbols of a firmware belong to ops, and what they take adds up to each memory."""

from typing import Any

import pytest

from opsmith.report.elf import SizedSymbol
from opsmith.report.sized_symbols import ARENAS, BOARD, REST, SHARED, owned_symbols, plain
from opsmith.report.treemap import tiles

NODES = [
    {"op": "add", "name": "sum", "instance": "add_0"},
    {"op": "conv_2d", "name": "sum_of", "instance": None},
]
MODEL: dict[str, Any] = {"name": "m", "nodes": NODES, "ops": {"add": {}, "conv_2d": {}}}
REPORT = {**MODEL, "memory": {"flash": {"sections": {".text": 100}}}}
OWNERS = {
    "_ZN1m5add_0ERKN7opsmith3add2InIaEE": "add",
    "m.sum_offset": "add",
    "m.sum_of_filter": "conv_2d",
    "m.other": REST,
    "_ZN7opsmith3add4bodyEv": "add",
    "_ZN7opsmith3dsp4bodyEv": SHARED,
    "_ZZN7opsmith6runner3crcEvE6kTable": BOARD,
    "opsmith_vectors": BOARD,
    "_ZN1m12_GLOBAL__N_15arenaE": ARENAS,
    "_ZN1m6invokeEv": "invoke()",
    "memcpy": REST,
}


@pytest.mark.parametrize("name", OWNERS)
def test_a_symbol_belongs_to_an_op_or_a_part(name: str) -> None:
    first, *_ = owned_symbols(REPORT, [SizedSymbol(name, ".text", 0, 8)])
    assert (first.owner, first.bytes) == (OWNERS[name], 8)


def test_a_memory_is_shared_out_whole() -> None:
    symbols = [SizedSymbol(name, ".text", 8 * i, 8) for i, name in enumerate(OWNERS)]
    aliased = [*symbols, SizedSymbol("also_memcpy", ".text", symbols[-1].address, 8)]
    found = owned_symbols(REPORT, aliased)
    assert sum(each.bytes for each in found) == 100
    owners = [tile for tile in tiles(found) if tile.hue is not None]
    assert sum(tile.bytes for tile in owners) == 100
    area = sum(tile.width * tile.height for tile in owners)
    assert area == pytest.approx(100 * 100)
    assert all(tile.bytes * 100 == pytest.approx(tile.width * tile.height) for tile in owners)


@pytest.mark.parametrize("name", ["_Z", "_ZN999999999999m", "_ZN1", "x" * 9999, "_ZTV1m"])
def test_a_name_of_any_form_is_shown(name: str) -> None:
    assert plain(name)
