"""Test cases of ops that resize images: models of one node."""

from typing import Any

from runtimes.families.movement_cases import Build, Given, Shape, moving, numbers


def resized(
    source: str,
    x: Shape,
    size: Shape,
    *,
    corners: bool = False,
    half: bool = False,
    y: Shape | None = None,
    **others: Any,
) -> Build:
    """Node of a source op that resizes x to `size`; y follows unless given."""
    given: Given = {"x": x, "size": numbers(size)}
    options = {"align_corners": corners, "half_pixel_centers": half}
    made = [x[0], *(max(each, 1) for each in size[:2]), x[-1]] if y is None else y
    return moving(source, given, [made], options, version=3, **others)
