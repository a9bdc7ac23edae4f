"""`package`: a library as a Conan package."""

from __future__ import annotations

from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.package.conan import conan_version
from opsmith.package.recipe import conan_name
from opsmith.scons.convert import Emitted, machinery, target_files
from opsmith.scons.environment import board_options, make, opsmith, option
from opsmith.scons.folders import variant
from opsmith.scons.step import Step
from opsmith.scons.target import Target


def package_targets(
    env: Any, settings: BuildOptions, target: Target, emitted: Emitted, library: list[Any]
) -> list[Any]:
    """Declare the Conan package of a library that is made of these nodes; returns what is made, the
    file first that caches take.
    """
    where = emitted.folder / "conan"
    name, version = conan_name(settings.package), settings.version
    command = opsmith("package", option("build", emitted.folder), *board_options(settings, target))
    command += [
        option("name", settings.package),
        option("version", version),
        option("variant", variant(settings, _named(target))),
        option("compiler-major", str(target.toolchain.major)),
    ]
    saved = where / f"{name}-{version}.tgz"
    # The seal is beside the first: it has one name whatever the version is.
    products = [where / "package.json", saved, where / "conanfile.py"]
    config = where / "config"
    products += [config / "settings_user.yml", config / "profiles" / target.board.name]
    inputs = [*library, env.Value(conan_version()), *target_files(target), *machinery(env)]
    step = Step([command], f"CONAN {name}/{version}", fresh=f"{saved} is up to date")
    facts, archive, *others = make(env, products, step, inputs)
    return [archive, facts, *others]


def _named(target: Target) -> str:
    """The runtime, where a package must say it: it is not the board's own, or needs a device that
    other boards with this core lack.
    """
    runtime = target.runtime
    return runtime.name if runtime.name != target.board.runtime or runtime.devices else ""
