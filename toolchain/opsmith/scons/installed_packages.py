"""Packages that ops require, which Conan installs, as inputs of compilers and linkers."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.errors import Problem, raise_all
from opsmith.package.installed import COMPILE, FACTS, LINK, LOCK, is_address
from opsmith.package.sources import LISTING
from opsmith.reading import UnreadableError, check_regular
from opsmith.registration import all_files
from opsmith.scons.environment import (
    board_options,
    each,
    make,
    node,
    opsmith,
    option,
    outside_backends,
)
from opsmith.scons.folders import BUILD
from opsmith.scons.identity import ToolchainId
from opsmith.scons.step import StepAction
from opsmith.scons.target import Target

_MOST_PINNED = 4 << 20  # bytes


@dataclass(frozen=True)
class InstalledPackages:
    """Folder of installed packages, and the files that name them."""

    folder: Path
    files: tuple[Any, ...]  # SCons nodes on which all users of packages depend

    @property
    def facts(self) -> Path:
        """File with the facts about the packages."""
        return self.folder / FACTS

    @property
    def compiling(self) -> list[str]:
        """Further compiler arguments that packages need."""
        return [f"@{self.folder / COMPILE}"]

    @property
    def linking(self) -> list[str]:
        """Further linker arguments that packages need."""
        return [f"@{self.folder / LINK}"]


def install_packages(
    env: Any,
    settings: BuildOptions,
    target: Target,
    folder: Path,
    used: Sequence[str],
    inputs: Sequence[Any],
) -> InstalledPackages | None:
    """Declare the packages, in a folder; None where conan= names no source of packages.

    `used` are the arguments that name the used ops, `inputs` the files in these arguments. Raises
    BLD003 and BLD112.
    """
    if not settings.conan:
        return None
    raise_all([*_missing(settings), *lock_problems(settings)])
    command = opsmith("install-packages", *used, *outside_backends(settings))
    command += [*board_options(settings, target), *each("conan", settings.conan)]
    command += [option("compiler-major", str(target.toolchain.major))]
    command += [option("home", conan_home(target.toolchain)), option("out", folder)]
    sources: list[Any] = [*inputs, env.Value(target.toolchain.sha256)]
    for place in settings.conan:
        sources += [] if is_address(place) else all_files(Path(place))
    pinned = lock_of(settings)
    if pinned is not None:
        command.append(option("lock", pinned))
        sources.append(node(env, pinned))
    step = StepAction([command], "INSTALL packages", listing=folder / LISTING)
    names = (FACTS, COMPILE, LINK, LOCK, LISTING)
    made = make(env, [folder / name for name in names], step, sources)
    return InstalledPackages(folder, tuple(made))


def conan_home(toolchain: ToolchainId) -> Path:
    """Folder in which Conan keeps a compiler's binaries, for all boards and models. It depends on
    the toolchain id, since two compilers of one version may make different bytes.
    """
    return BUILD / "conan" / toolchain.sha256[:8]


def lock_of(settings: BuildOptions) -> Path | None:
    """File beside the model that pins revisions of packages, if it exists."""
    file = Path(settings.models[0]).with_suffix(".conan.lock") if settings.model else Path()
    return file if settings.model and os.path.lexists(file) else None


def _missing(settings: BuildOptions) -> Iterator[Problem]:
    for place in (place for place in settings.conan if not is_address(place)):
        if not any(Path(place).glob("recipes/*/config.yml")):
            what = f"conan={place} is no index: it has no recipes/NAME/config.yml"
            fix = "name a folder of Conan's form local-recipes-index, or an address with https://"
            yield Problem("BLD003", what, str(Path.cwd() / place), fix)


def lock_problems(settings: BuildOptions) -> Iterator[Problem]:
    """Problem BLD112 of a path beside a model that has the name of a lock but is no such file."""
    pinned = lock_of(settings)
    try:
        if pinned is not None:
            check_regular(pinned, _MOST_PINNED)
    except UnreadableError as error:
        what = f"is not a lock of Conan, which pins packages of the model: {error}"
        yield Problem("BLD112", what, str(pinned), "delete it, or replace it by one")
