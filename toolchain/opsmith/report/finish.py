"""Last step of a build: links and measures the firmware, checks budgets, replaces products."""

import argparse
import hashlib
import json
import shlex
import struct
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.manifest import Board
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError, raise_all
from opsmith.report import SCHEMA
from opsmith.report.build_info import BUILD_INFO, add_note, build_info, made_from, record_of
from opsmith.report.elf import Section, read_sections, read_sized_symbols
from opsmith.report.identity import digest_of_object, stamp
from opsmith.report.link import link
from opsmith.report.page import page_file
from opsmith.report.placeholders import inexact_lines, placeholder_lines
from opsmith.report.placement import placement_files, placement_lines
from opsmith.report.plan_svg import plan_names, plan_svg
from opsmith.report.rows import rows_lines
from opsmith.report.size import (
    OverBudget,
    Usage,
    arena_lines,
    bar_lines,
    budget_lines,
    measure,
    over_budget,
)
from opsmith.report.stack import Calls, read_calls, stack_lines, with_stack
from opsmith.report.system import newer_than_system
from opsmith.writing import replace_files

FORMATS = {".bin": "binary", ".hex": "ihex"}


def main(argv: list[str]) -> int:
    """Run the linker, which makes firmware.elf.new and firmware.map.new of a build folder, and turn
    both into products; returns 0, or the linker's exit status.
    """
    arguments = _parser().parse_args(argv)
    board = chosen_board(arguments)
    build: Path = arguments.build
    model = read_model(build)
    status = link(arguments.command, board, model)
    if status != 0:
        return status
    elf = build / "firmware.elf.new"
    sections = read_sections(elf)
    usages = measure(sections, board)
    where = str(build / "firmware.elf")
    if overflows := tuple(over_budget(usages, where)):
        raise OverBudget(*overflows)
    if board.system is not None:
        raise_all(newer_than_system(elf, board.system, where))
    digest = stamp(elf, _made_of(arguments, model))
    inputs = made_from(arguments, board, model.get("models", [model]))
    add_note(arguments.objcopy, elf, record_of(inputs))
    products = ["firmware.map"]
    place_free(build / "firmware.map.new", build)
    make_images(arguments.objcopy, elf, board, {section.name for section in sections})
    products += board.images
    toolchain = {"compiler": arguments.compiler, "sha256": arguments.toolchain_sha256}
    model = _with_stack(model, read_calls(arguments.calls))
    report = make_report(model, sections, usages, board) | {"toolchain": toolchain}
    sha256 = hashlib.sha256(elf.read_bytes()).hexdigest()
    report["firmware"] = {"sha256": sha256, "digest": digest}
    text = json.dumps(report, indent=1, ensure_ascii=False)
    (build / "report.json.new").write_text(text + "\n", encoding="utf-8")
    drawn = {**_plans(report), **placement_files(report)}
    files = {name: build / f"{name}.new" for name in [*products, "firmware.elf"]}
    drawn[BUILD_INFO] = build_info(inputs, arguments.variables, digest, files)
    for name, content in drawn.items():
        (build / f"{name}.new").write_text(content, encoding="utf-8")
    # The report is written last: its digest equals that of firmware.elf only if all files are new.
    replace_products(build, [*products, *drawn, "firmware.elf", "report.json"], board)
    record = json.loads(drawn[BUILD_INFO])
    replace_files(build, page_file(report, record, read_sized_symbols(build / "firmware.elf")))
    lines = [
        f"{build / 'firmware.elf'} for {board.title}",
        *bar_lines(usages),
        *budget_lines(report, usages, asked="flash_budget" in arguments.variables),
        *_arenas(report),
        *rows_lines(report),
        *constants_lines(report),
        *(line for model in report.get("models", [report]) for line in stack_lines(model)),
        *placement_lines(report),
    ]
    lines += (
        ["guards=1: a debug build, larger and slower than what ships"] if report["guards"] else []
    )
    print("\n".join(lines))
    remarks = [*report["assumed"]]
    for model in report.get("models", [report]):
        remarks += [*placeholder_lines(model), *inexact_lines(model)]
    print("".join(f"{line}\n" for line in remarks), end="")
    return 0


def place_free(file: Path, build: Path) -> None:
    """Replace paths of the build folder in the linker's map by relative ones, so that the map does
    not depend on the folder's name.
    """
    file.write_bytes(file.read_bytes().replace(f"{build}/".encode(), b""))


def _made_of(arguments: argparse.Namespace, model: Mapping[str, Any]) -> list[str]:
    """Facts that decide the firmware, though they need not show in its bytes."""
    models = [str(each["sha256"]) for each in model.get("models", [model])]
    command: list[str] = arguments.command
    linked = [Path(last).read_text("utf-8") for word, last in pairwise(command) if word == "-T"]
    linked += [digest_of_object(Path(word)) for word in command if word.endswith(".o")]
    toolchain = [arguments.compiler, arguments.toolchain_sha256]
    return [arguments.variant, *toolchain, *models, *linked]


def replace_products(build: Path, names: Sequence[str], board: Board) -> None:
    """Put new products in place, and remove images of memories that the board no longer flashes."""
    for name in names:
        (build / f"{name}.new").replace(build / name)
    for image in build.glob("firmware.*.bin"):
        if image.name not in board.images:
            image.unlink()


def _with_stack(model: dict[str, Any], calls: Calls) -> dict[str, Any]:
    if "models" not in model:
        return with_stack(model, calls)
    models = [with_stack(each, calls, model["space"]) for each in model["models"]]
    return {**model, "models": models}


def _plans(report: dict[str, Any]) -> dict[str, str]:
    models = report.get("models", [report])
    names = plan_names([model["name"] for model in models])
    return {name: plan_svg(model) for name, model in zip(names, models, strict=True)}


def _arenas(report: dict[str, Any]) -> Iterator[str]:
    """Lines about arenas: of each of several models, or of one that all share."""
    models = report.get("models", [])
    shared = ", shared" if models else ""
    yield from (f"{line}{shared}" for line in arena_lines(report))
    for model in () if report["arena"] else models:
        yield from (f"{line}, {model['name']}" for line in arena_lines(model))


def make_images(objcopy: str, elf: Path, board: Board, sections: Collection[str]) -> None:
    """Write the files to flash, firmware.bin.new and so on, beside the ELF file with the given
    sections. A .bin has no gaps between memories, so that each memory has its own.
    """
    apart = [section for section in board.images.values() if section]
    for name, section in board.images.items():
        made, form = elf.with_name(f"{name}.new"), Path(name).suffix
        if form == ".uf2":
            assert board.flash, "a board with UF2 files"
            data = made.with_name("firmware.bin.new").read_bytes()
            made.write_bytes(uf2(data, board.memory["flash"].origin, board.flash.uf2 or 0))
            continue
        if section and section not in sections:
            made.write_bytes(b"")
            continue
        chosen = ["--only-section", section] if section else []
        if form == ".bin" and not section:
            chosen = [word for each in apart for word in ("--remove-section", each)]
        command = [objcopy, "-O", FORMATS[form], *chosen, str(elf), str(made)]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, close_fds=False)
        except (OSError, subprocess.CalledProcessError) as error:
            said = " ".join((getattr(error, "stderr", "") or str(error)).split())
            what, fix = f"{name} cannot be made: {said}", "run the command above by hand"
            raise ToolchainError.of("BLD021", what, where=shlex.join(command), fix=fix) from None


def uf2(data: bytes, origin: int, family: int) -> bytes:
    """UF2 file of the contents of flash from an address on: blocks of 256 bytes, each with its
    address (github.com/microsoft/uf2).
    """
    size, first, second, last, has_family = 256, 0x0A324655, 0x9E5D5157, 0x0AB16F30, 0x2000
    blocks = [data[at : at + size].ljust(size, b"\0") for at in range(0, len(data), size)]
    words = (
        (first, second, has_family, origin + size * n, size, n, len(blocks), family)
        for n in range(len(blocks))
    )
    return b"".join(
        struct.pack("<8I", *head) + block + bytes(476 - size) + struct.pack("<I", last)
        for head, block in zip(words, blocks, strict=True)
    )


def make_report(
    model: dict[str, Any], sections: Sequence[Section], usages: Sequence[Usage], board: Board
) -> dict[str, Any]:
    """Contents of report.json: model.json, and facts about the linked firmware."""
    memory = {usage.name: _memory(usage) for usage in usages}
    listed = [{"name": section.name, "bytes": section.size} for section in sections]
    more = {"stack_bytes": board.stack_bytes, "memory": memory, "sections": listed}
    return {"schema": SCHEMA} | model | {"core": board.core.name} | more


def _memory(usage: Usage) -> dict[str, Any]:
    return {"used": usage.used, "limit": usage.limit, "sections": dict(usage.sections)}


def read_model(build: Path) -> dict[str, Any]:
    """Facts about the model of a build folder, from model.json. Raises BLD022."""
    path = build / "model.json"
    try:
        model = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ToolchainError.of(
            "BLD022",
            f"cannot be read: {error}",
            where=str(path),
            fix="delete it and build again",
        ) from None
    return dict(model)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith link", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the products")
    add_board(parser)
    parser.add_argument("--objcopy", default="objcopy")
    parser.add_argument("--calls", action="append", default=[], type=Path, help="call graphs")
    parser.add_argument("--compiler", required=True, help="first line of its --version")
    parser.add_argument("--toolchain-sha256", required=True)
    parser.add_argument("--toolchain-file", action="append", default=[], help="NAME=SHA256")
    parser.add_argument("--compiled", type=json.loads, default=[], help="compilers' flags, as JSON")
    parser.add_argument("--variables", type=json.loads, default={}, help="of the build, as JSON")
    parser.add_argument("--variant", required=True, help="what tells it from others of the model")
    parser.add_argument("command", nargs="+", help="the linker's, after --")
    return parser


def constants_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each memory with constants; cycles are the board's wait states times the
    words that an inference is expected to read.
    """
    constants = report.get("constants")
    if constants is None:
        return
    for memory, found in constants["memories"].items():
        if not found["bytes"]:
            continue
        how = ", copied at start" if found["at_start"] == "copy" else ""
        cycles = found["cycles_saved"]
        waits = f"{abs(cycles):,} {'fewer' if cycles >= 0 else 'more'} wait cycles than in flash"
        yield f"  constants {found['bytes']:>6,} B in {memory}{how}: about {waits} an inference"
