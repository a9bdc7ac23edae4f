"""`record`: writes a firmware's provenance, bills of materials and notices beside it.

All of them follow from firmware.buildinfo.json, report.json and firmware.map, from run.json where
`run` measured this firmware on a data set, and from profile.json where a meter recorded its energy:
equal builds have equal files.
"""

import argparse
import json
import re
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from opsmith.command_line import Parser
from opsmith.commands.verify import ELF, record_beside
from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_bytes
from opsmith.record.bom import bill_of_materials
from opsmith.record.facts import UNKNOWN, Facts, linked_libraries
from opsmith.record.notices import notices
from opsmith.record.provenance import provenance
from opsmith.record.spdx import spdx_document
from opsmith.report.build_info import BUILD_INFO
from opsmith.text import escaped
from opsmith.writing import replace_files

RUN, PROFILE = "run.json", "profile.json"
MOST = 1 << 28  # bytes of a report
LOCAL = "urn:opsmith:builder:local"


def main(arguments: list[str]) -> int:
    """Write files and print their names; returns 0. Raises BLD002, BLD118, BLD119 and RIG001."""
    options = _parser().parse_args(arguments)
    build: Path = options.build
    info = record_beside(build / ELF, build / BUILD_INFO)
    report = _read(build / "report.json")
    described = report.get("firmware")
    if not isinstance(described, dict) or described.get("sha256") != info["products"].get(ELF):
        raise _unusable(build / "report.json", "describes another firmware than the record")
    ran, profiled = (_read(f) if f.exists() else {} for f in (build / RUN, build / PROFILE))
    try:
        facts = Facts(
            info=info,
            models=report.get("models", [report]),
            board=str(report["board"]),
            linked=linked_libraries(build, info["inputs"]["libraries"]),
            measured=_measured(info, ran),
            profile=profiled if info["firmware"] in profiled.get("firmwares", []) else None,
            opsmith=version("opsmith"),
            supplier=options.supplier,
            version=options.product_version,
            builder=options.builder,
            date=options.date,
        )
        files = {
            "firmware.intoto.json": _text(provenance(facts)),
            "firmware.cdx.json": _text(bill_of_materials(facts)),
            "firmware.spdx.json": _text(spdx_document(facts)),
            "firmware.notices.txt": notices(facts),
        }
        replace_files(build, files)
    except (OSError, UnreadableError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise _unusable(build, f"has a file that lacks or garbles {escaped(str(error))}") from error
    print("\n".join(str(build / name) for name in files))
    return 0


def _parser() -> Parser:
    parser = Parser(prog="opsmith record", description=__doc__)
    parser.add_argument("build", type=Path, help="the folder of a firmware")
    parser.add_argument("--supplier", default=UNKNOWN, metavar="NAME", help="who sells the product")
    parser.add_argument("--product-version", default=UNKNOWN, metavar="VERSION")
    parser.add_argument("--builder", default=LOCAL, type=_uri, metavar="URI", help="who built it")
    parser.add_argument("--date", type=_date, metavar="2027-01-31T12:00:00Z", help="none without")
    return parser


def _uri(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+", text):
        raise argparse.ArgumentTypeError("it is a URI, such as https://ci.example.com/jobs/7")
    return text


def _date(text: str) -> str:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise argparse.ArgumentTypeError("write it as 2027-01-31T12:00:00Z") from None
    return text


def _read(file: Path) -> dict[str, Any]:
    """JSON object in a file of a build. Raises RIG001."""
    try:
        found = json.loads(read_bytes(file, MOST))
    except (UnreadableError, ValueError, RecursionError) as error:
        raise _unusable(file, f"cannot be read: {escaped(str(error))}") from None
    if not isinstance(found, dict):
        raise _unusable(file, "holds no object")
    return found


def _measured(info: Mapping[str, Any], run: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Results of `run` on a data set, if it ran the recorded firmware; else None."""
    ran = run.get("firmware") or {}
    return run.get("data") if ran.get("digest") == info["firmware"] else None


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _unusable(place: Path, what: str) -> ToolchainError:
    return ToolchainError.of("RIG001", what, where=str(place), fix="build the firmware again")
