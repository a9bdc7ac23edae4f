"""`opsmith rig scan`: writes a hardware map of the attached boards.

Boards that the map has already keep their fields; a board that is not attached is marked as such.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_platforms
from opsmith.board.manifest import Board, list_boards
from opsmith.command_line import Parser
from opsmith.home import shipped
from opsmith.rig.hardware_map import read_map, yaml_module
from opsmith.rig.serial import Adapter, adapters
from opsmith.text import escaped
from opsmith.writing import replace_files

UNKNOWN = "unknown"
_BY_ID = Path("/dev/serial/by-id")


def main(argv: Sequence[str]) -> int:
    """Write the map and print the boards found; returns 0."""
    parser = Parser(prog="opsmith rig", description=__doc__)
    parser.add_argument("what", choices=("scan",), help="write a map of what is attached")
    parser.add_argument("--map", type=Path, default=Path("map.yml"), help="file to write")
    parser.add_argument("--boards", action="append", type=Path, help="more folders of boards")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_platforms(parser)
    options = parser.parse_args(argv)
    boards = list_boards([shipped("boards"), *(options.boards or [])], options.platforms)
    known = read_map(options.map) if options.map.exists() else []
    rows = scanned(list(adapters()), boards, known)
    text = yaml_module().safe_dump(rows, sort_keys=False, allow_unicode=True)
    replace_files(options.map.parent, {options.map.name: text})
    if options.json:
        print(json.dumps({"map": str(options.map), "boards": rows}))
        return 0
    for row in rows:
        state = "attached" if row.get("connected") else "not attached"
        print(escaped(f"{row.get('platform')} {row.get('id')}: {state}, {row.get('serial', '')}"))
    print(escaped(f"{len(rows)} boards in {options.map}"))
    return 0


def scanned(
    found: Iterable[Adapter], boards: Sequence[Board], known: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Rows of a map: known ones, brought up to date, then new ones."""
    rows = [{**row, "connected": False} if row.get("serial") else dict(row) for row in known]
    by_id = {str(row.get("id")): row for row in rows}
    for adapter in found:
        new = _row(adapter, boards)
        row = by_id.setdefault(new["id"], {})
        if not row:
            rows.append(row)
        row |= {**new, **row, "connected": True, "serial": new["serial"]}
    return rows


def _row(adapter: Adapter, boards: Sequence[Board]) -> dict[str, Any]:
    """Row of an adapter; its platform is unknown where several boards use such an adapter."""
    fit = [each for each in boards if each.console and each.console.usb == adapter.usb]
    one = fit[0] if len(fit) == 1 else None
    runner = one.flash.flasher.name if one and one.flash else UNKNOWN
    row = {
        "connected": True,
        "id": adapter.number or adapter.device,
        "platform": one.name if one else UNKNOWN,
        "product": adapter.product or UNKNOWN,
        "runner": runner,
        "serial": _stable(adapter.device),
    }
    if len(fit) > 1:
        row["notes"] = f"platform is one of: {', '.join(each.name for each in fit)}"
    return row


def _stable(device: str) -> str:
    """Stable name of a port, which survives reattachment, if it has one; else its device."""
    links = sorted(_BY_ID.iterdir()) if _BY_ID.is_dir() else []
    real = Path(device).resolve()
    return next((str(link) for link in links if link.resolve() == real), device)
