"""Shapes for inputs of a size that the model leaves open, as the build specifies."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from opsmith.errors import Problem, did_you_mean, printable
from opsmith.ir import Graph, Tensor
from opsmith.ir.limits import size_problem

_BATCH = 0  # axis that models leave open most often; if open, its size is taken as 1
_NAMED = re.compile(r"(?P<name>.+):(?P<sizes>[0-9]{1,9}(x[0-9]{1,9})*)", re.ASCII)


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
    problems: list[Problem] = []
    shapes = _given(graph, given, where, problems)
    assumed: list[str] = []
    tensors = dict(graph.tensors)
    for name in graph.inputs:
        tensor, axes = tensors[name], open_axes.get(name, ())
        if name in shapes:
            problems += _misfits(tensor, axes, shapes[name], where)
            tensors[name] = replace(tensor, shape=shapes[name])
            continue
        left = [axis for axis in axes if axis != _BATCH and tensor.shape[axis] == 1]
        if left:
            problems.append(_open(tensor, left, where))
        elif _BATCH in axes and tensor.shape[_BATCH] == 1:
            assumed.append(f"input '{name}' may have any batch size: it is built for 1")
    return ShapedInputs(replace(graph, tensors=tensors), tuple(assumed), tuple(problems))


def _given(
    graph: Graph, given: Sequence[str], where: str, problems: list[Problem]
) -> dict[str, tuple[int, ...]]:
    """Given shapes by the ids of inputs, which may be named as in the model."""
    ids = {graph.tensors[name].name: name for name in graph.inputs}
    ids |= {name: name for name in graph.inputs}
    shapes: dict[str, tuple[int, ...]] = {}
    for text in given:
        at, found = f"{where}: input_shape={text}", _NAMED.fullmatch(text)
        if found is None:
            what, fix = "is no name and shape", "give NAME:SIZExSIZE, like x:1x49x10x1"
            problems.append(Problem("MDL023", f"'{printable(text)}' {what}", at, fix))
        elif found["name"] not in ids:
            what = f"the model has no input '{printable(found['name'])}'"
            what += did_you_mean(found["name"], ids)
            fix = f"name one of: {', '.join(graph.inputs)}"
            problems.append(Problem("MDL023", what, at, fix))
        else:
            name, shape = ids[found["name"]], tuple(map(int, found["sizes"].split("x")))
            if shapes.setdefault(name, shape) != shape:
                what = f"input '{name}' is given two shapes"
                problems.append(Problem("MDL023", what, at, "give each input one shape"))
    return shapes


def _misfits(
    tensor: Tensor, axes: Sequence[int], shape: tuple[int, ...], where: str
) -> Iterator[Problem]:
    fits = len(shape) == len(tensor.shape)
    fixed = [i for i, size in enumerate(tensor.shape) if i not in axes]
    if not fits or any(shape[i] != tensor.shape[i] for i in fixed) or 0 in shape:
        sizes = _written(tensor.shape, axes, "n")
        what = f"input '{tensor.id}' is {sizes} and cannot be {_written(shape)}"
        if not axes:
            what += ": none of its sizes is open"
        yield _misfit(tensor, what, where)
    elif problem := size_problem(tensor.dtype, shape):
        yield _misfit(tensor, f"input '{tensor.id}': {problem}", where)


def _misfit(tensor: Tensor, what: str, where: str) -> Problem:
    fix = "give each open size, n, a number above 0, and the others as they are"
    return Problem("MDL023", what, f"{where}: tensor '{tensor.id}'", fix)


def _open(tensor: Tensor, axes: Sequence[int], where: str) -> Problem:
    many = "axes" if len(axes) > 1 else "axis"
    named = ", ".join(map(str, axes))
    what = f"input '{tensor.id}' has no fixed size along {many} {named}"
    fix = f"give input_shape={tensor.id}:{_written(tensor.shape, axes, 'n')}, a number for each n"
    return Problem("MDL003", what, f"{where}: tensor '{tensor.id}'", fix)


def _written(shape: Sequence[int], axes: Sequence[int] = (), letter: str = "") -> str:
    return "x".join(letter if i in axes else str(size) for i, size in enumerate(shape)) or "scalar"
