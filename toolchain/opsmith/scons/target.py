"""Target of a firmware: board, runtime, toolchain and libraries, all of them checked."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from opsmith.board.architecture import Architecture
from opsmith.board.manifest import Board, load_board
from opsmith.board.runtime import (
    Runtime,
    check_devices,
    known_libraries,
    load_runtime,
    usable_devices,
)
from opsmith.build_options import BuildOptions
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.scons.folders import BUILD, target_folder
from opsmith.scons.identity import ToolchainId, identify
from opsmith.scons.installed_library import InstalledLibrary, find_library


@dataclass(frozen=True)
class Target:
    """Target of a firmware: board, runtime, toolchain and libraries."""

    board: Board
    runtime: Runtime
    toolchain: ToolchainId
    libraries: tuple[InstalledLibrary, ...] = ()

    @property
    def features(self) -> frozenset[str]:
        """Features that kernels may use: of the core and of libraries, as far as the runtime grants
        them.
        """
        libraries = (library.name for library in self.libraries)
        return self.runtime.features(self.board.core.features, libraries)

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices of the board that the runtime can use."""
        return usable_devices(self.board, self.runtime)

    @property
    def folder(self) -> Path:
        """Folder of the products of all models for the target."""
        board = self.board
        return target_folder(board.name, board.folder, board.files, self.runtime.name)

    @property
    def hosted(self) -> bool:
        """True if the firmware is a process of an operating system."""
        return self.board.core.hosted

    @property
    def architecture(self) -> Architecture:
        """Architecture of the target's core."""
        return self.board.core.architecture


def load_target(settings: BuildOptions) -> Target:
    """Board, runtime and toolchain of a build. Raises BRD0xx, BLD010, BLD03x and BLD06x."""
    roots, more = [Path(root) for root in settings.board_roots], map(Path, settings.platforms)
    board = load_board(settings.board, roots, list(more))
    backends = [Path(root) for root in settings.backend_roots]
    check_devices(board, *backends)
    runtime = load_runtime(settings.runtime or board.runtime, *backends)
    if runtime.devices and not usable_devices(board, runtime):
        raise _no_device(board, runtime)
    architecture = board.core.architecture
    cache = BUILD / f".toolchain-{architecture.name}.json"
    identity = identify(architecture, cache)
    return Target(board, runtime, identity, _libraries(settings, board, runtime))


def _no_device(board: Board, runtime: Runtime) -> ToolchainError:
    known, has = ", ".join(runtime.devices), ", ".join(board.devices) or "none"
    what = f"runtime '{runtime.name}' computes on a device ({known}), and the board has {has}"
    fix = "name a board with such a device, or add 'devices' to this one"
    return ToolchainError.of("BLD041", what, where=str(board.folder / "board.toml"), fix=fix)


def _libraries(
    settings: BuildOptions, board: Board, runtime: Runtime
) -> tuple[InstalledLibrary, ...]:
    """Libraries whose prefixes are given, each checked for the runtime."""
    known, given = known_libraries(*map(Path, settings.backend_roots)), dict(settings.libraries)
    raise_all(_unknown(name, place, known) for name, place in given.items() if name not in known)
    if settings.prefer in known and settings.prefer not in given:
        library, _ = known[settings.prefer]
        what = f"nothing says where {library.title} is"
        fix = f"add libraries={library.name}=PREFIX"
        where = f"command line: prefer={settings.prefer}"
        raise ToolchainError.of("BLD063", what, where=where, fix=fix)
    core, tools = board.core, board.core.architecture.tools
    return tuple(
        find_library(Path(place), *known[name], core, runtime, tools, BUILD)
        for name, place in given.items()
    )


def _unknown(name: str, place: str, known: Collection[str]) -> Problem:
    what = f"no runtime calls a library '{name}'{did_you_mean(name, known)}"
    where, fix = f"command line: libraries={name}={place}", f"one of: {', '.join(known) or 'none'}"
    return Problem("BLD063", what, where, f"{fix}; or name its backend: backends=")
