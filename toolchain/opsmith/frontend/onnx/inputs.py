"""Shapes of a file's inputs: sizes that it stores, and those that the build gives to open axes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.errors import Problem, raise_all
from opsmith.frontend.names import identifiers, shown
from opsmith.given_shapes import Shape, given_shapes, listed, request, typed, written

_MOST = 1 << 31  # size of an axis


@dataclass(frozen=True)
class FileInputs:
    """Shapes of inputs by name, in ONNX's order of axes; sentences about what the file leaves
    open; advice to give the sizes that were assumed, or ""; and advice about inputs whose number
    of axes only the build says, or "".
    """

    shapes: Mapping[str, Shape]
    assumed: tuple[str, ...]
    request: str
    unranked: str


def inputs_of(path: Path, values: Sequence[Any], given: Sequence[str]) -> FileInputs:
    """Inputs of a file. An open axis has the size that is given to it, or to an axis of its name.
    A first axis is else a batch of 1, as are all axes of its name. An input without a shape has the
    given one.

    Raises MDL003 about other open axes and sizes that cannot be, MDL023 about given ones.
    """
    axes = {each.name: _dims(each) for each in values}
    names = {name: name for name in axes} | dict(zip(identifiers(axes), axes, strict=True))
    asked, problems = _asked(path, axes, given, names)
    batches = {dims[0].dim_param for dims in axes.values() if dims} - {""}
    named = dict(_named(axes, asked))
    shapes, left, assumed, batched = {}, {}, [], {}
    for name, dims in axes.items():
        opened = {i: each.dim_param for i, each in enumerate(dims or ()) if _is_open(each)}
        known = {i: named[param] for i, param in opened.items() if param in named}
        known |= dict(enumerate(asked.get(name, ())))
        ones = {i for i, param in opened.items() if i == 0 or param in batches} - {*known}
        stored = {i: int(each.dim_value) for i, each in enumerate(dims or ())}
        shapes[name] = tuple({**stored, **dict.fromkeys(ones, 1), **known}.values())
        open_axes = {i: param for i, param in opened.items() if i not in ones and i not in known}
        if open_axes or (dims is None and name not in asked):
            left[name] = open_axes
        elif name not in asked and not all(0 < size < _MOST for size in shapes[name]):
            what = f"input '{shown(name)}' has the shape {shapes[name]}"
            problems.append(Problem("MDL003", what, str(path), "give each axis a size"))
        if ones:
            assumed.append(f"'{shown(name)}': the batch, which the file leaves open, is 1")
            batched[name] = written(_sizes(dims, 0))
    raise_all([*problems, *_open(path, axes, asked, left, names)])
    wanted = request(asked, batched, names) if batched else ""
    free = [f"'{shown(name)}' is no {written(asked[name])}" for name in asked if axes[name] is None]
    unranked = f"if {' or '.join(free[:9])}: give its shape by input_shape=" if free else ""
    return FileInputs(shapes, tuple(assumed), wanted, unranked)


def _dims(value: Any) -> list[Any] | None:
    """Axes of an input; None if the file does not say how many it has."""
    of = value.type.tensor_type
    return [*of.shape.dim] if of.HasField("shape") else None


def _asked(
    path: Path,
    axes: Mapping[str, Sequence[Any] | None],
    given: Sequence[str],
    names: Mapping[str, str],
) -> tuple[dict[str, Shape], list[Problem]]:
    """Given shapes of inputs by name, and problems MDL023 of those that do not fit."""
    asked, problems = given_shapes(given, names, str(path))
    for name, shape in asked.items():
        stored = _sizes(axes[name], len(shape))
        fits = len(shape) == len(stored) and 0 not in shape
        if not fits or any(n not in (None, size) for n, size in zip(stored, shape, strict=True)):
            what = f"input '{shown(name)}' is {written(stored)} and cannot be {written(shape)}"
            fix = "give each open size, n, a number above 0, and the others as they are"
            where = f"{path}: input_shape={shown(name)}:{written(shape)}"
            problems.append(Problem("MDL023", what, where, fix))
    return asked, problems


def _named(
    axes: Mapping[str, Sequence[Any] | None], asked: Mapping[str, Shape]
) -> Iterator[tuple[str, int]]:
    """Names of open axes whose size is given."""
    for name, shape in asked.items():
        pairs = zip(axes[name] or (), shape, strict=False)
        yield from ((each.dim_param, size) for each, size in pairs if each.dim_param)


def _open(
    path: Path,
    axes: Mapping[str, Sequence[Any] | None],
    asked: Mapping[str, Shape],
    left: Mapping[str, Mapping[int, str]],
    names: Mapping[str, str],
) -> Iterator[Problem]:
    """Problem MDL003 of inputs with open axes or no shape, whose fix names all of them."""
    if not left:
        return
    sizes = {name: written(_sizes(axes[name], 2)) for name in left}
    found, plain = [], typed(names)
    unranked = [f"'{plain[name]}'" for name in left if axes[name] is None]
    for name, opened in left.items():
        named = ", ".join(f"{axis} '{shown(param)}'" for axis, param in [*opened.items()][:9])
        what = "does not say how many axes it has"
        what = what if axes[name] is None else f"has open axes: {named}"
        found.append(f"input '{shown(name)}' {what}")
    counted = f", as many for {' or '.join(unranked[:9])} as it has axes" if unranked else ""
    fix = f"{request(asked, sizes, names)}{counted}, or export with fixed sizes"
    yield Problem("MDL003", listed(found), str(path), fix)


def _sizes(dims: Sequence[Any] | None, rank: int) -> list[int | None]:
    """Stored sizes of an input's axes, None for an open one; `rank` Nones if it has no shape."""
    if dims is None:
        return [None] * rank
    return [None if _is_open(each) else int(each.dim_value) for each in dims]


def _is_open(dim: Any) -> bool:
    """True for an axis without a size, or with -1, which some exporters write for none."""
    return not dim.HasField("dim_value") or dim.dim_value == -1
