"""`package`: a library as a Conan package.

Conan takes the newest revision of a recipe, and looks for binaries in that one alone: if the recipe
had a model's sources, which differ from core to core, the package of the second core would hide
that of the first. So the recipe packs the archive of `library`, and cannot be built elsewhere. The
core is part of the package's id, as the setting `cpu`; compiler and build type are not, since the
archive needs no C++ library. All other differences between libraries for one core are in the option
`variant`.
"""

from typing import Any

from opsmith.board.describe import Board
from opsmith.board.runtime import Runtime, usual_runtime
from opsmith.build_options import BuildOptions
from opsmith.package.conan import conan_version
from opsmith.package.recipe import conan_name
from opsmith.scons.convert import ConvertedFiles, machinery, target_files
from opsmith.scons.environment import board_options, make, opsmith, option
from opsmith.scons.folders import variant
from opsmith.scons.step import StepAction
from opsmith.scons.target import Target


def package_targets(
    env: Any, settings: BuildOptions, target: Target, emitted: ConvertedFiles, library: list[Any]
) -> list[Any]:
    """Declare the Conan package of a library that consists of the given nodes; returns the files
    made, first the one for caches.
    """
    where = emitted.folder / "conan"
    name, version = conan_name(settings.package), settings.version
    command = opsmith("package", option("build", emitted.folder), *board_options(settings, target))
    command += [
        option("name", settings.package),
        option("version", version),
        option("variant", variant(settings, told_apart(settings, target.board, target.runtime))),
        option("compiler-major", str(target.toolchain.major)),
    ]
    saved = where / f"{name}-{version}.tgz"
    # The seal lies beside the first product, whose name does not depend on the version.
    products = [where / "package.json", saved, where / "conanfile.py"]
    config = where / "config"
    products += [config / "settings_user.yml", config / "profiles" / target.board.name]
    inputs = [*library, env.Value(conan_version()), *target_files(target), *machinery(env)]
    step = StepAction([command], f"CONAN {name}/{version}", fresh=f"{saved} is up to date")
    facts, archive, *others = make(env, products, step, inputs)
    return [archive, facts, *others]


def told_apart(settings: BuildOptions, board: Board, runtime: Runtime) -> list[str]:
    """Words that a variant needs, since boards with one core share a package: the runtime, unless
    it is the core's usual one, and the board, where its memories or its device decide. Effects of
    rules for constants are known later (`commands/package.py`).
    """
    usual = usual_runtime(board.core.features)
    words = [f"runtime-{runtime.name}"] if runtime.name != usual else []
    fills = settings.opt == "speed" and settings.flash_budget is None and "flash" in board.memory
    places = board.arena and settings.arena != "caller"
    return [*words, f"board-{board.name}"] if fills or places or runtime.devices else words
