"""`library-report`: writes report.json of a library: the content of model.json, and its sizes."""

import argparse
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from opsmith.command_line import Parser
from opsmith.package.installed import read_facts
from opsmith.report import SCHEMA
from opsmith.report.elf import read_sections
from opsmith.report.finish import read_model
from opsmith.report.stack import read_calls, with_stack
from opsmith.writing import replace_files


def main(argv: list[str]) -> int:
    """Write BUILD/library/report.json; returns 0. Raises BLD002, BLD021, BLD022."""
    arguments = _parser().parse_args(argv)
    archive: Path = arguments.archive
    name = archive.stem.removeprefix("lib")
    facts = _with_stack(read_model(arguments.build), name, arguments.calls)
    facts = {"schema": SCHEMA, **facts}
    facts["library"] = {
        "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
        **_sizes(arguments.object),
        **_linked(name, archive.parent, arguments),
    }
    facts["toolchain"] = {"compiler": arguments.compiler, "sha256": arguments.toolchain_sha256}
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    folder = arguments.build / "library"
    replace_files(folder, {"report.json": f"{text}\n"})
    print(f"{folder} for programs: README.md says how they link it, `opsmith export` lays it out")
    return 0


def _with_stack(facts: dict[str, Any], name: str, files: Iterable[Path]) -> dict[str, Any]:
    """Facts of model.json with stack bounds added to each model."""
    calls = read_calls(files)
    if "models" not in facts:
        return with_stack(facts, calls)
    space = f"{name}::{facts['space']}"
    models = [with_stack(each, calls, space) for each in facts["models"]]
    return {**facts, "space": space, "models": models}


def _linked(name: str, folder: Path, given: argparse.Namespace) -> dict[str, list[str]]:
    """Libraries that programs link, in link order: the package's archives, then the system's."""
    others = (given.build / "libraries.txt").read_text(encoding="utf-8").split()
    packages = [] if given.packages is None else read_facts(given.packages)
    required = [lib for each in packages for lib in (*each["libs"], *each["system_libs"])]
    names = [name, *(other.removeprefix("-l") for other in others), *required, "m"]
    names = list(dict.fromkeys(names))
    ours = [each for each in names if (folder / f"lib{each}.a").is_file()]
    return {"archives": ours, "system_libraries": [each for each in names if each not in ours]}


def _sizes(objects: Iterable[Path]) -> dict[str, int]:
    """Bytes by kind of section, before a linker drops unused parts."""
    found = {"code": 0, "constants": 0, "data": 0, "zeroed": 0}
    for section in (each for path in objects for each in read_sections(path)):
        kinds = {".text": "code", ".rodata": "constants", ".data": "data", ".bss": "zeroed"}
        kind = next((k for start, k in kinds.items() if section.name.startswith(start)), "")
        if kind:
            found[kind] += section.size
    return {f"{kind}_bytes": size for kind, size in found.items()}


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith library-report", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the products")
    parser.add_argument("--archive", required=True, type=Path)
    parser.add_argument("--object", action="append", required=True, type=Path)
    parser.add_argument("--calls", action="append", default=[], type=Path, help="call graphs")
    parser.add_argument("--packages", type=Path, help="what `install-packages` wrote")
    parser.add_argument("--compiler", required=True, help="first line of its --version")
    parser.add_argument("--toolchain-sha256", required=True)
    return parser
