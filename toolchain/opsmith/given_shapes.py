"""Shapes of inputs as `input_shape=` gives them, NAME:1x49x10x1, and how messages ask for them."""

import re
from collections.abc import Mapping, Sequence

from opsmith.errors import Problem, did_you_mean, printable

Shape = tuple[int, ...]
_GIVEN = re.compile(r"(.+):([0-9]{1,9}(?:x[0-9]{1,9})*)", re.ASCII)


def given_shapes(
    texts: Sequence[str], names: Mapping[str, str], where: str
) -> tuple[dict[str, Shape], list[Problem]]:
    """Given shapes by input, and problems MDL023 of the texts. `names` has an input for each name
    that a user may write.
    """
    shapes: dict[str, Shape] = {}
    problems = []
    for text in texts:
        at, found = f"{where}: input_shape={printable(text)}", _GIVEN.fullmatch(text)
        if found is None:
            what, fix = "is no name and shape", "give NAME:SIZExSIZE, like x:1x49x10x1"
            problems.append(Problem("MDL023", f"'{printable(text)}' {what}", at, fix))
        elif found[1] not in names:
            what = f"the model has no input '{printable(found[1])}'"
            what += did_you_mean(found[1], names)
            fix = f"name one of: {', '.join(dict.fromkeys(names.values()))}"
            problems.append(Problem("MDL023", what, at, fix))
        else:
            name, shape = names[found[1]], tuple(map(int, found[2].split("x")))
            if shapes.setdefault(name, shape) != shape:
                what = f"input '{printable(name)}' is given two shapes"
                problems.append(Problem("MDL023", what, at, "give each input one shape"))
    return shapes, problems


def request(given: Mapping[str, Shape], left: Mapping[str, str]) -> str:
    """Advice to give all shapes at once: those given so far, and those of the inputs that are left,
    in which a letter n stands for a size.
    """
    known = {name: written(shape) for name, shape in given.items() if name not in left}
    shapes = ",".join(f"{name}:{shape}" for name, shape in {**known, **left}.items())
    return f"give input_shape={shapes}, a number for each n"


def written(sizes: Sequence[int | None]) -> str:
    """Sizes as `input_shape=` has them, n for an open one."""
    return "x".join("n" if size is None else str(size) for size in sizes) or "scalar"
