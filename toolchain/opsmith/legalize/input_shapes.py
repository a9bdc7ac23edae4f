"""Shapes for inputs of a size that the model leaves open, as the build specifies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from opsmith.errors import Problem
from opsmith.given_shapes import given_shapes, listed, request, written
from opsmith.ir import Graph, Tensor
from opsmith.ir.limits import size_problem

_BATCH = 0  # axis that models leave open most often; if open, its size is taken as 1


@dataclass(frozen=True)
class ShapedInputs:
    """A graph with fixed input shapes, the assumptions that were made, and problems."""

    graph: Graph
    assumed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def with_input_shapes(
    graph: Graph, open_axes: Mapping[str, Sequence[int]], given: Sequence[str], where: str
) -> ShapedInputs:
    """Graph with given shapes of inputs, each written NAME:1x49x10x1.

    An open batch is 1 by default. Any other open axis must be given, unless the model stores a size
    other than 1, which is a placeholder. Problems are MDL003 and MDL023.
    """
    ids = {graph.tensors[name].name: name for name in graph.inputs}
    names = ids | {name: name for name in graph.inputs}
    shapes, problems = given_shapes(given, names, where)
    assumed: list[str] = []
    unknown: dict[str, list[int]] = {}  # axes of inputs whose sizes must be given
    tensors = dict(graph.tensors)
    for name in graph.inputs:
        tensor, axes = tensors[name], open_axes.get(name, ())
        if name in shapes:
            problems += _misfits(tensor, axes, shapes[name], where)
            tensors[name] = replace(tensor, shape=shapes[name])
            continue
        left = [axis for axis in axes if axis != _BATCH and tensor.shape[axis] == 1]
        if left:
            unknown[name] = left
        elif _BATCH in axes and tensor.shape[_BATCH] == 1:
            assumed.append(f"input '{name}' may have any batch size: it is built for 1")
    if unknown:
        sizes = {name: _sizes(tensors[name], axes) for name, axes in unknown.items()}
        what = listed([_open(name, axes) for name, axes in unknown.items()])
        problems.append(Problem("MDL003", what, where, request(shapes, sizes, names)))
    return ShapedInputs(replace(graph, tensors=tensors), tuple(assumed), tuple(problems))


def _misfits(
    tensor: Tensor, axes: Sequence[int], shape: tuple[int, ...], where: str
) -> Iterator[Problem]:
    fits = len(shape) == len(tensor.shape)
    fixed = [i for i, size in enumerate(tensor.shape) if i not in axes]
    if not fits or any(shape[i] != tensor.shape[i] for i in fixed) or 0 in shape:
        sizes = _sizes(tensor, axes)
        what = f"input '{tensor.id}' is {sizes} and cannot be {written(shape)}"
        if not axes:
            what += ": none of its sizes is open"
        yield _misfit(tensor, what, where)
    elif problem := size_problem(tensor.dtype, shape):
        yield _misfit(tensor, f"input '{tensor.id}': {problem}", where)


def _misfit(tensor: Tensor, what: str, where: str) -> Problem:
    fix = "give each open size, n, a number above 0, and the others as they are"
    return Problem("MDL023", what, f"{where}: tensor '{tensor.id}'", fix)


def _open(name: str, axes: Sequence[int]) -> str:
    many = "axes" if len(axes) > 1 else "axis"
    return f"input '{name}' has no fixed size along {many} {', '.join(map(str, axes))}"


def _sizes(tensor: Tensor, axes: Sequence[int]) -> str:
    """Shape as `input_shape=` has it, n along open axes."""
    return written([None if i in axes else size for i, size in enumerate(tensor.shape)])
