"""Accuracy of a model on a data set, by LiteRT's reference kernels or the ops in numpy."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.litert import Detail, Reference
from opsmith.pipeline import read
from opsmith.rig.arrays import Array, as_input
from opsmith.rig.build import PortTensor
from opsmith.rig.dataset import DataSet

Run = Callable[[list[Array]], Array]  # computes the first output of a model


def ports(details: Sequence[Detail]) -> list[PortTensor]:
    """Inputs of a model in LiteRT, as ports for reading a data set."""
    return [
        PortTensor(
            each.name,
            each.dtype.name,
            each.shape,
            math.prod(each.shape) * each.dtype.itemsize,
            each.scale,
            each.zero_point,
        )
        for each in details
    ]


def classes_of(reference: Reference) -> int:
    """Number of classes for which the first output has a value; 0 where it is no such output."""
    shape = reference.outputs[0].shape
    return shape[-1] if 1 < math.prod(shape) == shape[-1] else 0


def accuracy(reference: Reference, data: DataSet) -> float:
    """Share of real-valued samples whose highest output is the label."""
    tensors = ports(reference.inputs)

    def run(inputs: list[Array]) -> Array:
        reference.reset()
        return reference.run([as_input(x, to) for x, to in zip(inputs, tensors, strict=True)])[0]

    return _share(run, data)


def accuracy_by_ops(model: Path, data: DataSet) -> float | None:
    """Share of samples that Opsmith's ops classify correctly in numpy; None where the ops do not
    support the model, or its inputs are quantised.
    """
    ops = discover([HOME / "ops"])
    try:
        _, graph = read(model, "model", ops)
    except ToolchainError:  # the build reports it, with the known ops
        return None
    if any(graph.tensors[name].quantization for name in graph.inputs):
        return None
    return _share(lambda inputs: Evaluator(graph, ops).run(inputs)[graph.outputs[0]], data)


def _share(run: Run, data: DataSet) -> float:
    right = (int(run(each.inputs).argmax()) == each.label for each in data.samples())
    return sum(right) / data.count
