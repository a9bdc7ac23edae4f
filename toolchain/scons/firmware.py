"""Stages 7 and 8: objects become a firmware that fits its board."""

from __future__ import annotations

from typing import Any

from toolchain.scons.compile import Objects
from toolchain.scons.convert import Emitted, machinery, target_files
from toolchain.scons.environment import Target, command, folder, literal, node
from toolchain.scons.settings import Settings

LINKER_SCRIPT = (
    "$PYTHON -m toolchain linker-script --board $BOARD --boards $BOARDS_ROOTS --out $TARGET"
)
# The linker runs below a command of ours that says in bytes what does not fit.
LINK = (
    "$PYTHON -m toolchain.report.link --board $BOARD --boards $BOARDS_ROOTS -- "
    "$CC $CCFLAGS $LINKFLAGS -Wl,--gc-sections,-Map,${TARGETS[0].dir}/firmware.map.new "
    "-o ${TARGETS[0].dir}/firmware.elf.new $SOURCES @$LIBRARIES -lm"
)
FINISH = (
    "$PYTHON -m toolchain finish --build ${TARGETS[0].dir} --board $BOARD --boards $BOARDS_ROOTS "
    "--objcopy $OBJCOPY --compiler $COMPILER --toolchain-sha256 $TOOLCHAIN_SHA256"
)


def link_firmware(
    env: Any, settings: Settings, target: Target, emitted: Emitted, objects: Objects
) -> Any:
    """Declare firmware.elf and what is made from it; returns these files."""
    where = emitted.folder
    images = [] if target.native else ["firmware.bin", "firmware.hex"]
    products = ["firmware.elf", "firmware.map", "report.json", "plan.svg", *images]
    flags, script = _link_flags(env, target)
    firmware = env.Command(
        [str(where / name) for name in products],
        [*objects.model, *objects.rest],
        [command(env, LINK, "LINK ${TARGETS[0].file}"), command(env, FINISH, "")],
        BOARD=target.board.name,
        LINKFLAGS=flags,
        LIBRARIES=emitted["libraries.txt"],
        COMPILER=literal(env, target.toolchain.compiler),
        TOOLCHAIN_SHA256=target.toolchain.sha256,
    )
    env.Precious(firmware)
    env.Depends(
        firmware, [*script, emitted["model.json"], emitted["libraries.txt"], env["TOOLCHAIN"]]
    )
    env.Depends(firmware, [*target_files(env, target), *machinery(env, ("board", "report"))])
    env.Clean(firmware, [str(where / f"{name}.new") for name in products])
    return firmware


def _link_flags(env: Any, target: Target) -> tuple[list[Any], list[Any]]:
    """The flags that are the board's, and the linker script that they name."""
    if target.native:
        return [], []
    found = target.cmsis_nn
    installed = [] if found is None else ["$(", "-L", folder(env, found.library.parent), "$)"]
    script = [env.File(str(target.folder / ".board" / "firmware.ld"))]
    if not script[0].has_builder():  # it serves all models
        action = command(env, LINKER_SCRIPT, "GENERATE ${TARGET.file}")
        env.Command(script, [], action, BOARD=target.board.name)
        env.Depends(script, [*target_files(env, target), *machinery(env, ("board",))])
    # newlib has assembly that does not say so itself; ld would warn on every link.
    stack = "-Wl,-z,noexecstack"
    flags = ["-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", stack, "-T", script[0]]
    if found is not None:
        script.append(node(env, found.library))
    return [*flags, *installed], script
