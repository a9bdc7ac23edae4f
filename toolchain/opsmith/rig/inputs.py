"""Inputs that commands send to firmware."""

import argparse

from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build
from opsmith.rig.dataset import DataSet, load_batch, load_set
from opsmith.rig.showcase import Showcase, load_showcase
from opsmith.text import escaped


def model_inputs(build: Build, arguments: argparse.Namespace) -> list[Array]:
    """Arrays of the input file, those of the model's example, or seeded ones."""
    return chosen_inputs(build, arguments, load_showcase(arguments.model))


def chosen_inputs(
    build: Build, arguments: argparse.Namespace, showcase: Showcase | None
) -> list[Array]:
    """Arrays of the input file, those of the model's example, or seeded ones."""
    if arguments.input is not None:
        return arrays.load(arguments.input, build.inputs)
    if showcase:
        inputs = arrays.check(showcase.default_inputs(), build.inputs, escaped(str(showcase.path)))
    else:
        inputs = arrays.seeded(build.inputs)
        if any(tensor.names and not tensor.expected for tensor in build.inputs):
            from opsmith.rig.seeds import naming_positions  # slow to import

            inputs = naming_positions(build, arguments.model, inputs, arguments.platforms)
    stored = build.folder / "input.npz"
    arrays.save(stored, build.inputs, inputs)
    print(escaped(f"{'example' if showcase else 'seeded'} input stored in {stored}"))
    return inputs


def data_set(build: Build, arguments: argparse.Namespace) -> DataSet | None:
    """Data set of data=, or batch of input=; None where a single input is sent."""
    if arguments.data is None:
        return load_batch(arguments.input, build.inputs) if arguments.input else None
    if arguments.input is not None:
        what, fix = "both say what is sent", "leave one of them out"
        raise ToolchainError.of("RIG013", what, where="input= data=", fix=fix)
    from opsmith.rig.evaluate import classes_of  # slow to import

    return load_set(arguments.data, build.inputs, classes_of(build))
