"""Treemaps of memories: a tile for each owner, which contains one for each symbol."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from opsmith.report.sized_symbols import Owned

WIDTH, HEIGHT = 1000, 420  # units; a page scales them
TITLE = 18  # units of height that an owner's title takes
LEAST = 14  # units; tiles with a shorter side have no text
MOST_SYMBOLS = 12  # symbols of an owner; smaller ones share a tile


@dataclass(frozen=True)
class TreemapTile:
    """A rectangle in per cent of the map's width and height."""

    title: str
    bytes: int
    x: float
    y: float
    width: float
    height: float
    hue: int | None  # colour of an owner; None for a symbol
    text: str  # as much of the title as fits


def tiles(symbols: Sequence[Owned]) -> list[TreemapTile]:
    """Tiles of one memory: each owner before its symbols."""
    owners: dict[str, list[Owned]] = {}
    for each in symbols:
        owners.setdefault(each.owner, []).append(each)
    ranked = sorted(owners.items(), key=lambda item: -_bytes(item[1]))
    places = _layout([_bytes(each) for _, each in ranked], 0, 0, WIDTH, HEIGHT)
    found: list[TreemapTile] = []
    for number, ((owner, inside), place) in enumerate(zip(ranked, places, strict=True)):
        found.append(_tile(owner, _bytes(inside), place, 47 * number % 360))
        if place["dy"] > 2 * TITLE and place["dx"] > 2 * LEAST:
            found += _symbols(inside, place)
    return found


def _symbols(inside: Sequence[Owned], place: dict[str, float]) -> Iterator[TreemapTile]:
    ranked = sorted(inside, key=lambda each: -each.bytes)
    named = [(each.name, each.bytes) for each in ranked[:MOST_SYMBOLS]]
    if rest := ranked[MOST_SYMBOLS:]:
        named.append((f"{len(rest)} smaller", _bytes(rest)))
    named.sort(key=lambda each: -each[1])
    area = (place["x"] + 2, place["y"] + TITLE, place["dx"] - 4, place["dy"] - TITLE - 2)
    places = _layout([size for _, size in named], *area)
    for (name, size), at in zip(named, places, strict=True):
        yield _tile(name, size, at, None)


def _layout(sizes: Sequence[int], *area: float) -> list[dict[str, float]]:
    import squarify

    found: list[dict[str, float]] = squarify.squarify(
        squarify.normalize_sizes(sizes, area[2], area[3]), *area
    )
    return found


def _tile(title: str, size: int, at: dict[str, float], hue: int | None) -> TreemapTile:
    x, width = (100 * at[key] / WIDTH for key in ("x", "dx"))
    y, height = (100 * at[key] / HEIGHT for key in ("y", "dy"))
    room = at["dx"] > 3 * LEAST and at["dy"] > LEAST
    last = title.rpartition("::")[2] if hue is None else title
    return TreemapTile(title, size, x, y, width, height, hue, f"{last} {size:,}" if room else "")


def _bytes(symbols: Sequence[Owned]) -> int:
    return sum(each.bytes for each in symbols)


def by_owner(symbols: Sequence[Owned]) -> list[dict[str, Any]]:
    """Rows of a table: bytes of each owner in each memory, the largest first."""
    found: dict[tuple[str, str], list[Owned]] = {}
    for each in symbols:
        found.setdefault((each.memory, each.owner), []).append(each)
    rows = [
        {
            "memory": memory,
            "owner": owner,
            "bytes": _bytes(inside),
            "largest": max(inside, key=lambda each: each.bytes).name,
        }
        for (memory, owner), inside in found.items()
    ]
    return sorted(rows, key=lambda row: (row["memory"], -row["bytes"]))
