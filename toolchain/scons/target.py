"""What a firmware is built for: board, runtime, toolchain and libraries, all of them checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolchain.board.manifest import Board, load_board
from toolchain.board.runtime import Runtime, load_runtime
from toolchain.errors import ToolchainError
from toolchain.scons.cmsis_nn import NAME as CMSIS_NN
from toolchain.scons.cmsis_nn import CmsisNn, find_cmsis_nn
from toolchain.scons.folders import BUILD, target_folder
from toolchain.scons.identity import ToolchainId, identify
from toolchain.scons.settings import Settings

PACKAGES = Path("toolchain/system-packages.txt")
PREFIX = {"arm-none-eabi": "arm-none-eabi-", "native": ""}


@dataclass(frozen=True)
class Target:
    """What a firmware is built for."""

    board: Board
    runtime: Runtime
    toolchain: ToolchainId
    cmsis_nn: CmsisNn | None = None

    @property
    def features(self) -> frozenset[str]:
        """What kernels may use: of the core and of libraries, as far as the runtime grants it."""
        libraries = frozenset({CMSIS_NN} if self.cmsis_nn else ())
        return self.runtime.features(self.board.core.features | libraries)

    @property
    def folder(self) -> Path:
        """The folder of the products of all models for this target."""
        return target_folder(self.board.name, self.board.folder, self.runtime.name)

    @property
    def native(self) -> bool:
        """True where the firmware is an executable of this machine."""
        return self.board.core.toolchain == "native"


def load_target(settings: Settings) -> Target:
    """The board, runtime and toolchain of a build. Raises BRD0xx, BLD010, BLD03x and BLD06x."""
    board = load_board(settings.board, [Path(root) for root in settings.boards])
    runtime = load_runtime(settings.runtime or board.runtime, *map(Path, settings.backends))
    prefix = PREFIX[board.core.toolchain]
    cache = BUILD / f".toolchain-{board.core.toolchain}.json"
    identity = identify(prefix, cache, PACKAGES)
    if settings.cmsis_nn:
        found = find_cmsis_nn(settings.cmsis_nn, board.core, runtime, prefix, BUILD)
        return Target(board, runtime, identity, found)
    if settings.prefer == CMSIS_NN:
        what, where = "nothing says where CMSIS-NN is", f"command line: prefer={CMSIS_NN}"
        raise ToolchainError.of("BLD063", what, where=where, fix=f"add {CMSIS_NN}=PREFIX")
    return Target(board, runtime, identity)
