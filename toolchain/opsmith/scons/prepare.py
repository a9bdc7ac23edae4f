"""Models that are made before compilation: quantised, or converted by TensorFlow."""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.elsewhere import QUANTIZER, TENSORFLOW, versions
from opsmith.errors import Problem
from opsmith.frontend.foreign import is_of_tensorflow
from opsmith.home import PACKAGE
from opsmith.prepare_options import FACTS
from opsmith.registration import all_files
from opsmith.scons.environment import make, node, opsmith, option
from opsmith.scons.folders import is_prepared, model_file
from opsmith.scons.step import StepAction

RECIPE = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
# Rooms of the toolchain whose modules affect the output of the command.
_ROOMS = ("prepare", "rig", "oracle", "frontend", "tflite")


def prepare_model(env: Any, settings: BuildOptions) -> None:
    """Declare the `.tflite` that is compiled in place of the model, if it is another file.

    Raises MDL050 where no package can make it.
    """
    if not is_prepared(settings):
        return
    model, made = Path(settings.model), Path(model_file(settings))
    python = settings.python or sys.executable
    package = TENSORFLOW if is_of_tensorflow(model) else QUANTIZER
    known = json.dumps(versions(python, package), sort_keys=True)
    command = opsmith("prepare", option("model", model), option("out", made))
    inputs: list[Any] = [env.Value(known), env.Value(sys.version)]
    inputs += all_files(model) if model.is_dir() else [node(env, model)]
    inputs += [file for room in _ROOMS for file in all_files(PACKAGE / room)]
    if settings.python:
        command.append(option("python", settings.python))
    if settings.calibrate:
        command += [option("calibrate", settings.calibrate), option("recipe", settings.recipe)]
        inputs.append(node(env, settings.calibrate))
        inputs += [node(env, settings.recipe)] if settings.recipe.endswith(".json") else []
    step = StepAction([command], f"PREPARE {model.name}")
    make(env, [made, made.with_name(FACTS)], step, inputs, shared=True)


def prepare_problems(
    settings: BuildOptions, root: Path, given: Mapping[str, str]
) -> Iterator[Problem]:
    """Problems with options for making a model, some of them texts: BLD003, BLD006, MDL051."""
    recipe, where = settings.recipe, f"command line: recipe={settings.recipe}"
    if recipe.endswith(".json") and not os.path.isfile(root / recipe):
        fix = "give a path that exists; relative paths start at the SConstruct's folder"
        yield Problem("BLD003", f"recipe={recipe} does not exist", str(root / recipe), fix)
    elif not recipe.endswith(".json") and not RECIPE.fullmatch(recipe):
        fix = "give int8, int16x8, a name like dynamic_wi4b32_afp32, or a .json file"
        yield Problem("BLD006", f"recipe cannot be '{recipe}'", where, fix)
    if not settings.calibrate and given.get("recipe"):
        fix = "add calibrate=SET.npz, or leave recipe= out"
        yield Problem("BLD006", "recipe= says how calibrate= quantises", where, fix)
    model = root / settings.model
    if settings.calibrate and not (model.suffix == ".tflite" or is_of_tensorflow(model)):
        what = f"calibrate= quantises no '{model.suffix}' files"
        fix = "give a float .tflite, .keras or SavedModel, or leave calibrate= out"
        yield Problem("MDL051", what, f"command line: model={settings.model}", fix)
