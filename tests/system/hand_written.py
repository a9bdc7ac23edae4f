"""Builds small firmware from a hand-written model, for tests of boards and rigs."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from opsmith.board.linker import linker_script
from opsmith.board.manifest import Board, load_board
from opsmith.board.setup_header import NAME as SETUP
from opsmith.board.setup_header import write_setup
from opsmith.home import RUNTIMES
from opsmith.report.identity import stamp
from tests.commands import said
from tests.system.tools import require_tools

ROOT = Path(__file__).resolve().parents[2]
BOARDS = ROOT / "boards"
SHA256 = hashlib.sha256(b"a hand-written model").hexdigest()
CAMERA, PIXELS, FLAGS = 96 * 96, 509, 101  # bytes of inputs; a real camera model's

_HEADER = """\
#pragma once
#include "runtimes/core/model_abi.h"
namespace plus_one {{
constexpr int input_count = 2, output_count = 2;
constexpr uint8_t model_sha256[32] = {{{sha256}}};
opsmith::Buffer input(int i);
constexpr bool input_is_float(int) {{ return false; }}
opsmith::Buffer output(int i);
void invoke();
}}
"""

# Output 0 is input 0 plus one, output 1 is input 1 plus two; `extra` runs first.
_SOURCE = """\
#include "model.h"
#include "runtimes/mcu/board.h"
namespace plus_one {{
namespace {{
uint8_t pixels[{pixels}], flags[{flags}], more_pixels[{pixels}]{section}, more_flags[{flags}];
[[maybe_unused]] volatile uint32_t sink;
[[maybe_unused]] __attribute__((noinline)) uint32_t dig(uint32_t depth) {{
  volatile uint32_t hole[64];
  hole[0] = depth;
  const uint32_t below = depth ? dig(depth - 1) : 0;
  return below + hole[0];
}}
}}
opsmith::Buffer input(int i) {{
  return i == 0 ? opsmith::Buffer{{pixels, sizeof pixels}} : opsmith::Buffer{{flags, sizeof flags}};
}}
opsmith::Buffer output(int i) {{
  return i == 0 ? opsmith::Buffer{{more_pixels, sizeof more_pixels}}
                : opsmith::Buffer{{more_flags, sizeof more_flags}};
}}
void invoke() {{
  {extra}
  for (uint32_t i = 0; i < sizeof pixels; ++i) more_pixels[i] = static_cast<uint8_t>(pixels[i] + 1);
  for (uint32_t i = 0; i < sizeof flags; ++i) more_flags[i] = static_cast<uint8_t>(flags[i] + 2);
}}
}}
"""

_COMPILE = (
    *("-std=c++17", "-O1", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"),
    *("-nostdinc++", "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-Werror"),
)


def camera_pixels(name: str) -> int:
    """Number of bytes of a camera's image, or of less for boards of little RAM."""
    ram = load_board(name, [BOARDS]).memory.get("ram")
    return CAMERA if ram is None else min(CAMERA, ram.size // 4)  # inputs, outputs and the stack


def build(
    folder: Path,
    name: str,
    *,
    app: str | Path = "runner",
    extra: str = "",
    section: str = "",
    pixels: int = PIXELS,
) -> Board:
    """The board, after building a firmware for it into folder; extra is C++ that invoke() runs.

    The model's inputs are int8, `pixels` and FLAGS bytes; outputs have the same.

    Objects that all hand-written firmware of the board shares lie beside the folder.
    """
    board = load_board(name, [BOARDS])
    require_tools(board)
    sha256 = ", ".join(str(byte) for byte in bytes.fromhex(SHA256))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.h").write_text(_HEADER.format(sha256=sha256))
    placed = f' __attribute__((section("{section}")))' if section else ""
    source = _SOURCE.format(extra=extra, section=placed, pixels=pixels, flags=FLAGS)
    (folder / "model.cc").write_text(source)
    main = app if isinstance(app, Path) else RUNTIMES / "apps" / app / "main.cc"
    shared = folder.parent / f"objects-{name}"
    common, own = [*board.sources], [folder / "model.cc"]
    (own if isinstance(app, Path) else common).append(main)
    objects = [_compiled_once(board, shared, folder, each) for each in common]
    _link(board, folder, [*objects, *(_compile(board, folder, folder, each) for each in own)])
    _write_report(board, folder, {"pixels": pixels, "flags": FLAGS})
    return board


def _compiled_once(board: Board, shared: Path, folder: Path, source: Path) -> str:
    shared.mkdir(exist_ok=True)
    if board.setup:
        write_setup(board, shared / SETUP)
    made = _object(shared, source)
    return str(made) if made.exists() else _compile(board, shared, folder, source)


def _object(folder: Path, source: Path) -> Path:
    return folder / f"{source.parent.name}-{source.stem}.o"


def _compile(board: Board, into: Path, folder: Path, source: Path) -> str:
    """Object, in `into`, of a source of the firmware in `folder`."""
    compiler = f"{board.core.architecture.tools}g++"
    includes = [f"-I{path}" for path in (ROOT, folder, into, *board.includes)]
    defines = [f"-D{define}" for define in (*board.defines, "OPSMITH_MODEL=plus_one")]
    target = str(_object(into, source))
    command = [compiler, *board.core.flags, *_COMPILE, *includes, *defines]
    command += ["-g"] if into == folder else []  # reports of faults name lines of the model alone
    _run([*command, "-c", str(source), "-o", target])
    return target


def _link(board: Board, folder: Path, objects: Sequence[str]) -> None:
    linker, options = f"{board.core.architecture.tools}gcc", list(board.core.architecture.link)
    if not board.core.hosted:
        script = folder / "firmware.ld"
        script.write_text(linker_script(board))
        options += [f"-T{script}", "-Wl,--fatal-warnings"]
    elf = folder / "firmware.elf"
    _run([linker, *board.core.flags, *options, "-Wl,--gc-sections", *objects, "-o", str(elf)])


def _write_report(board: Board, folder: Path, sizes: Mapping[str, int]) -> None:
    def tensor(name: str, size: int) -> dict[str, object]:
        return {"name": name, "dtype": "int8", "shape": [1, size], "bytes": size}

    elf = folder / "firmware.elf"
    digest = stamp(elf, [])
    report = {
        "board": board.name,
        "sha256": SHA256,
        "inputs": [tensor(name, size) for name, size in sizes.items()],
        "outputs": [tensor(f"more_{name}", size) for name, size in sizes.items()],
        "firmware": {"sha256": hashlib.sha256(elf.read_bytes()).hexdigest(), "digest": digest},
    }
    (folder / "report.json").write_text(json.dumps(report))


def _run(command: Sequence[str]) -> None:
    said(command)
