"""`package`: the library of a model as a Conan package."""

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
    """Declare the Conan package of a library that is made of these nodes; returns what is made."""
    where = emitted.folder / "conan"
    name, version = conan_name(settings.name), settings.version
    command = opsmith("package", option("build", emitted.folder), *board_options(settings, target))
    command += [
        option("version", version),
        option("variant", variant(settings, target.runtime.name, target.board.runtime)),
        option("compiler-major", str(target.toolchain.major)),
    ]
    saved = where / f"{name}-{version}.tgz"
    products = [saved, where / "package.json", where / "conanfile.py"]
    config = where / "config"
    products += [config / "settings_user.yml", config / "profiles" / target.board.name]
    inputs = [*library, env.Value(conan_version()), *target_files(target), *machinery(env)]
    step = Step([command], f"CONAN {name}/{version}", fresh=f"{saved} is up to date")
    return make(env, products, step, inputs)
