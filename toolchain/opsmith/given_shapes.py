"""Shapes of inputs as `input_shape=` gives them, NAME:1x49x10x1, and how messages ask for them."""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate

from opsmith.errors import Problem, did_you_mean, printable

Shape = tuple[int, ...]
_PLAIN = re.compile(r"[\w.:/-]{1,80}", re.ASCII)  # names that a shell and input_shape= take as is
_MOST = 3000  # characters of the shapes in advice, a message's part being cut later
_LISTED = 9  # inputs that a message names
_GIVEN = re.compile(r"(.+):([0-9]{1,9}(?:x[0-9]{1,9})*)", re.ASCII)


def given_shapes(
    texts: Sequence[str], names: Mapping[str, str], where: str
) -> tuple[dict[str, Shape], list[Problem]]:
    """Given shapes by input, and problems MDL023 of the texts. `names` has an input for each name
    that a user may write, of which each input has an identifier.
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
            what += did_you_mean(found[1], filter(_PLAIN.fullmatch, names))
            fix = f"name one of: {', '.join(typed(names).values())}"
            problems.append(Problem("MDL023", what, at, fix))
        else:
            name, shape = names[found[1]], tuple(map(int, found[2].split("x")))
            if shapes.setdefault(name, shape) != shape:
                what = f"input '{printable(name)}' is given two shapes"
                problems.append(Problem("MDL023", what, at, "give each input one shape"))
    return shapes, problems


def request(given: Mapping[str, Shape], left: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Advice to give all shapes at once: those given so far, and those of the inputs that are left,
    in which a letter n stands for a size. `names` has an input for each name that a user may write.
    """
    known = {name: written(shape) for name, shape in given.items() if name not in left}
    plain, shapes = typed(names), {**known, **left}
    pieces = [f"{plain[name]}:{shape}" for name, shape in shapes.items()]
    ends = accumulate(len(each) + 1 for each in pieces)
    fitting = max(1, sum(end <= _MOST for end in ends))
    more = f", and so on for {len(pieces) - fitting} more" if fitting < len(pieces) else ""
    return f"give input_shape={','.join(pieces[:fitting])}, a number for each n{more}"


def listed(sentences: Sequence[str]) -> str:
    """Sentences about inputs, joined; the first ones where they are many."""
    more = f"; and {len(sentences) - _LISTED} more" if len(sentences) > _LISTED else ""
    return "; ".join(sentences[:_LISTED]) + more


def typed(names: Mapping[str, str]) -> dict[str, str]:
    """Name that a user can type as it is for each input: its own, or else its identifier. `names`
    has an input for each name that a user may write.
    """
    own_last = sorted(names.items(), key=lambda each: each[0] == each[1])
    plain = {of: name for name, of in own_last if _PLAIN.fullmatch(name)}
    return {of: plain[of] for of in dict.fromkeys(names.values())}


def written(sizes: Sequence[int | None]) -> str:
    """Sizes as `input_shape=` has them, n for an open one."""
    return "x".join("n" if size is None else str(size) for size in sizes) or "scalar"
