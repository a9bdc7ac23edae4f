"""What a firmware is built for: board, runtime, toolchain and libraries, all of them checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolchain.board.architecture import Architecture
from toolchain.board.manifest import Board, load_board
from toolchain.board.runtime import Runtime, load_runtime
from toolchain.build_options import BuildOptions
from toolchain.errors import ToolchainError
from toolchain.scons.cmsis_nn import NAME as CMSIS_NN
from toolchain.scons.cmsis_nn import CmsisNn, find_cmsis_nn
from toolchain.scons.folders import BUILD, target_folder
from toolchain.scons.identity import ToolchainId, identify


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
        return (self.board.core.features | libraries) & self.runtime.grants

    @property
    def folder(self) -> Path:
        """The folder of the products of all models for this target."""
        return target_folder(self.board.name, self.board.folder, self.runtime.name)

    @property
    def native(self) -> bool:
        """True where the firmware is an executable of this machine."""
        return self.board.core.native

    @property
    def architecture(self) -> Architecture:
        """The architecture of its core."""
        return self.board.core.architecture


def load_target(settings: BuildOptions) -> Target:
    """The board, runtime and toolchain of a build. Raises BRD0xx, BLD010, BLD03x and BLD06x."""
    roots, more = [Path(root) for root in settings.board_roots], map(Path, settings.platforms)
    board = load_board(settings.board, roots, list(more))
    runtime = load_runtime(settings.runtime or board.runtime, Path("runtimes"))
    architecture = board.core.architecture
    cache = BUILD / f".toolchain-{architecture.name}.json"
    identity = identify(architecture, cache)
    if settings.cmsis_nn:
        found = find_cmsis_nn(settings.cmsis_nn, board.core, runtime, architecture.tools, BUILD)
        return Target(board, runtime, identity, found)
    if settings.prefer == CMSIS_NN:
        what, where = "nothing says where CMSIS-NN is", f"command line: prefer={CMSIS_NN}"
        raise ToolchainError.of("BLD063", what, where=where, fix=f"add {CMSIS_NN}=PREFIX")
    return Target(board, runtime, identity)
