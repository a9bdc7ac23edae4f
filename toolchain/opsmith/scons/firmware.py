"""Stages 7 and 8: link objects into a firmware that fits its board."""

import json
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.report.build_info import BUILD_INFO, is_generated
from opsmith.report.page import PAGE
from opsmith.report.placement import PLACEMENT
from opsmith.report.plan_svg import plan_names
from opsmith.scons.compile import Objects
from opsmith.scons.compiler import dependencies, word
from opsmith.scons.convert import ConvertedFiles, machinery, target_files
from opsmith.scons.environment import board_options, each, make, node, opsmith, option
from opsmith.scons.folders import variant
from opsmith.scons.settings import deciding
from opsmith.scons.step import StepAction, Word
from opsmith.scons.target import Target
from opsmith.steps.make_rules import read_rules
from opsmith.steps.sealed import Unsigned


def link_firmware(
    env: Any, settings: BuildOptions, target: Target, emitted: ConvertedFiles, objects: Objects
) -> Any:
    """Declare firmware.elf and all files made from it; returns these files."""
    where = emitted.folder
    products = ["firmware.elf", "firmware.map", "report.json", BUILD_INFO, *target.board.images]
    products += plan_names([each.name for each in settings.each])
    products += PLACEMENT if target.runtime.device else []
    flags, script = _link_flags(env, settings, target)
    packages = emitted.packages
    tools = target.architecture.tools
    kernels, known = objects.kernels, objects.known
    calls = [file for unit in objects.model for file in unit.calls]
    # The linker runs below a command of Opsmith, which reports in bytes what does not fit. It then
    # plans the converted model again, to see whether it would fit with stream=rows.
    link: list[Word] = [*opsmith("link", option("build", where))]
    link += board_options(settings, target)
    link += [
        option("objcopy", f"{tools}objcopy"),
        *each("calls", calls),
        lambda: each("calls", kernels.calls()),
        option("compiler", target.toolchain.compiler),
        option("toolchain-sha256", target.toolchain.sha256),
        *each("toolchain-file", map("=".join, target.toolchain.files)),
        option("variables", json.dumps(deciding(settings))),
        lambda: [option("compiled", json.dumps(_compiled(objects)))],
        option("variant", variant(settings, [target.board.name, target.runtime.name])),
        *("--converted", *emitted.arguments),
        "--",
        f"{tools}gcc",
        *target.board.core.flags,
        *flags,
        *("-Wl,--gc-sections", "-Xlinker", f"-Map={where / 'firmware.map.new'}"),
        *("-o", str(where / "firmware.elf.new")),
        *map(str, known),
        kernels.objects,
        f"@{where / 'libraries.txt'}",
        *(packages.linking if packages else []),
        "-lm",
    ]
    inputs = [kernels.after, *known, *calls, *script]
    inputs += [emitted[name] for name in ("model.json", "libraries.txt", "used_ops.json")]
    inputs += [*emitted.derived, *emitted.checks, *(packages.files if packages else ())]
    inputs += [env.Value(f"{target.toolchain.compiler} {target.toolchain.sha256}")]
    inputs += [*target_files(target), *machinery(env)]
    elf = where / "firmware.elf"
    step = StepAction([link], "LINK firmware.elf", fresh=f"{elf} is up to date")
    step.found.append(lambda: _read([*map(str, known), *kernels.objects()]))
    files = [where / name for name in products]
    firmware = make(env, files, step, inputs, scanner=kernels)
    beside = [PAGE, *(f"{name}.new" for name in products)]
    env.Clean(firmware, [node(env, where / name) for name in beside])
    if env.GetOption("clean"):
        made = [*kernels.made(), *where.glob("obj/nodes_*")]
        env.Clean(firmware, [node(env, file) for file in made])
    return firmware


def _read(objects: Iterable[str]) -> Iterator[Path]:
    """Sources and headers of the objects, whose digests go into the record."""
    for made in objects:
        yield from (f for f in read_rules(dependencies(Path(made))) if not is_generated(f))


def _compiled(objects: Objects) -> list[str]:
    """Distinct flags of the compilers, without those that only name locations."""
    units = [*objects.rest, *objects.model, *objects.kernels.units]
    words = ([word for word in unit.command if _decides(word)] for unit in units)
    return sorted(set(map(shlex.join, words)))


def _decides(word: str) -> bool:
    return word.startswith("-") and not word.startswith(("-I", "-M", "-o", "-ffile-prefix-map="))


def _link_flags(env: Any, settings: BuildOptions, target: Target) -> tuple[list[str], list[Any]]:
    """Linker flags of the board, and the files that they name."""
    flags, files = list(target.architecture.link), []
    if not target.hosted:
        script = target.folder / ".board" / "firmware.ld"
        flags += ["-T", str(script)]
        files += _linker_script(env, settings, target, script)
    for library in target.libraries:
        flags.append(Unsigned(f"-L{word(library.archive.parent)}"))
        files.append(node(env, library.archive))
    return flags, files


def _linker_script(env: Any, settings: BuildOptions, target: Target, script: Path) -> list[Any]:
    """Declare the board's linker script, which all models share."""
    command = opsmith("linker-script", *board_options(settings, target), option("out", script))
    inputs = [*target_files(target), *machinery(env)]
    return make(env, [script], StepAction([command], "GENERATE firmware.ld"), inputs, shared=True)
