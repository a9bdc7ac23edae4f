"""Shapes of a file's inputs: sizes that it stores, and those that the build gives to open axes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.errors import Problem, raise_all
from opsmith.frontend.names import shown

Shape = tuple[int, ...]
_GIVEN = re.compile(r"(.+):([0-9]{1,9}(?:x[0-9]{1,9})*)", re.ASCII)
_MOST = 1 << 31  # size of an axis


@dataclass(frozen=True)
class FileInputs:
    """Shapes of inputs by name, in ONNX's order of axes; texts of `input_shape=` that name them;
    sentences about what the file leaves open.
    """

    shapes: Mapping[str, Shape]
    taken: tuple[str, ...]
    assumed: tuple[str, ...]


def inputs_of(path: Path, values: Sequence[Any], given: Sequence[str]) -> FileInputs:
    """Inputs of a file. An open axis has the size that is given to it, or to an axis of its name.
    A first axis is else a batch of 1, as are all axes of its name.

    Raises MDL003 about other open axes and sizes that cannot be, MDL023 about given ones.
    """
    axes = {each.name: [*each.type.tensor_type.shape.dim] for each in values}
    asked, taken = _asked(path, axes, given)
    batches = {dims[0].dim_param for dims in axes.values() if dims} - {""}
    named = dict(_named(axes, asked))
    shapes, problems, assumed = {}, [], []
    for value in values:
        name, dims = value.name, axes[value.name]
        opened = {i: each.dim_param for i, each in enumerate(dims) if _is_open(each)}
        known = {i: named[param] for i, param in opened.items() if param in named}
        known |= dict(enumerate(asked.get(name, ())))
        ones = {i for i, param in opened.items() if i == 0 or param in batches} - {*known}
        shape = [known.get(i, 1 if i in ones else int(e.dim_value)) for i, e in enumerate(dims)]
        shapes[name] = tuple(shape)
        left = {i: param for i, param in opened.items() if i not in ones and i not in known}
        problems += _problems(path, value, shapes[name], left)
        if ones:
            assumed.append(f"'{shown(name)}': the batch, which the file leaves open, is 1")
    raise_all(problems)
    return FileInputs(shapes, tuple(taken), tuple(assumed))


def _asked(
    path: Path, axes: Mapping[str, Sequence[Any]], given: Sequence[str]
) -> tuple[dict[str, Shape], list[str]]:
    """Given shapes of inputs by name, and the texts that gave them. Raises MDL023."""
    asked: dict[str, Shape] = {}
    taken, problems = [], []
    for text in given:
        found = _GIVEN.fullmatch(text)
        if found is None or found[1] not in axes:
            continue  # which is refused where input_shape= is checked for all formats
        name, shape, dims = found[1], tuple(map(int, found[2].split("x"))), axes[found[1]]
        taken.append(text)
        fits = len(shape) == len(dims) and 0 not in shape and asked.get(name, shape) == shape
        stored = [None if _is_open(each) else each.dim_value for each in dims]
        if not fits or any(n not in (None, size) for n, size in zip(stored, shape, strict=True)):
            what = f"input '{shown(name)}' is {_written(dims)} and cannot be {found[2]}"
            fix = "give each open size, n, a number above 0, and the others as they are"
            problems.append(Problem("MDL023", what, f"{path}: input_shape={shown(text)}", fix))
        asked[name] = shape
    raise_all(problems)
    return asked, taken


def _named(
    axes: Mapping[str, Sequence[Any]], asked: Mapping[str, Shape]
) -> Sequence[tuple[str, int]]:
    """Names of open axes whose size is given."""
    pairs = [pair for name, shape in asked.items() for pair in zip(axes[name], shape, strict=True)]
    return [(each.dim_param, size) for each, size in pairs if each.dim_param]


def _problems(path: Path, value: Any, shape: Shape, left: Mapping[int, str]) -> list[Problem]:
    """Problem MDL003 of an input with open axes, or sizes that cannot be."""
    name, of = shown(value.name), value.type.tensor_type
    what, fix = f"input '{name}' has the shape {shape}", "give each axis a size"
    if not of.HasField("shape"):
        what = f"input '{name}' does not say how many axes it has"
    elif left:
        axes = [f"{axis} '{shown(param)}'" for axis, param in left.items()]
        what = f"input '{name}' has open axes: {', '.join(axes[:9])}"
        fix = f"give input_shape={name}:{_written(of.shape.dim)}, a number for each n, or export"
        fix += " with fixed sizes"
    elif all(0 < size < _MOST for size in shape):
        return []
    return [Problem("MDL003", what, str(path), fix)]


def _written(dims: Sequence[Any]) -> str:
    """Sizes as input_shape= has them, n for an open one."""
    return "x".join("n" if _is_open(each) else str(each.dim_value) for each in dims) or "scalar"


def _is_open(dim: Any) -> bool:
    """True for an axis without a size, or with -1, which some exporters write for none."""
    return not dim.HasField("dim_value") or dim.dim_value == -1
