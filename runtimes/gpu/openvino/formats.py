"""Layouts of tensors: order of B, F, Y and X in memory, and macros about it.

Models have channels last: a shape of four sizes is B, Y, X, F, of three B, Y, F, of two B, F. Axes
that a shape lacks have size 1.
"""

from collections.abc import Mapping, Sequence

FORMATS = ("BFYX", "BYXF", "YXFB", "FYXB")
ANY = "ANY"  # the kernel takes the tensor as it lies: with channels last
NATIVE = "BYXF"
AXES = ("", "B", "BF", "BYF", NATIVE)  # of a shape of N sizes
MOST_AXES = len(AXES) - 1
ORDER = "BFYX"  # of DIMS, PITCHES and the rest, whatever the format


def layout(given: str) -> str:
    """Order of the axes in memory, the contiguous one last."""
    return NATIVE if given == ANY else given


def order(rank: int, given: str) -> tuple[int, ...]:
    """Axis of a model's shape for each axis of the layout."""
    axes = AXES[rank]
    return tuple(axes.index(axis) for axis in layout(given) if axis in axes)


def moves(shape: Sequence[int], given: str) -> bool:
    """True if elements lie elsewhere in this layout than in a model."""
    axes = [axis for axis in order(len(shape), given) if shape[axis] > 1]
    return axes != sorted(axes)


def sizes(shape: Sequence[int], given: str, *, arranged: bool) -> Mapping[str, int]:
    """Sizes B, F, Y and X of a shape: as in a model, or `arranged` in this layout."""
    axes = AXES[len(shape)]
    if arranged:
        axes = "".join(axis for axis in layout(given) if axis in axes)
    return dict.fromkeys(ORDER, 1) | dict(zip(axes, shape, strict=True))


def pitches(found: Mapping[str, int], given: str) -> Mapping[str, int]:
    """Distance in elements of neighbours along each axis."""
    apart, step = {}, 1
    for axis in reversed(layout(given)):
        apart[axis] = step
        step *= found[axis]
    return apart
