"""What a firmware is built for: board, runtime, toolchain and libraries, all of them checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolchain.board.manifest import Board, load_board
from toolchain.board.runtime import Runtime, known_libraries, load_runtime
from toolchain.errors import ToolchainError
from toolchain.scons.folders import BUILD, target_folder
from toolchain.scons.identity import ToolchainId, identify
from toolchain.scons.installed_library import InstalledLibrary, find_library
from toolchain.scons.settings import Settings

PACKAGES = Path("toolchain/system-packages.txt")
PREFIX = {"arm-none-eabi": "arm-none-eabi-", "native": ""}


@dataclass(frozen=True)
class Target:
    """What a firmware is built for."""

    board: Board
    runtime: Runtime
    toolchain: ToolchainId
    libraries: tuple[InstalledLibrary, ...] = ()

    @property
    def features(self) -> frozenset[str]:
        """What kernels may use: of the core and of libraries, as far as the runtime grants it."""
        libraries = (library.name for library in self.libraries)
        return self.runtime.features(self.board.core.features, libraries)

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
    known = known_libraries(*map(Path, settings.backends))
    if settings.prefer in known and settings.prefer not in settings.libraries:
        library, _ = known[settings.prefer]
        what, where = (
            f"nothing says where {library.title} is",
            f"command line: prefer={library.name}",
        )
        raise ToolchainError.of("BLD063", what, where=where, fix=f"add {library.name}=PREFIX")
    libraries = tuple(
        find_library(Path(place), *known[name], board.core, runtime, prefix, BUILD)
        for name, place in settings.libraries.items()
    )
    return Target(board, runtime, identity, libraries)
