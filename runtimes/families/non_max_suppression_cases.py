"""Test cases of both operators of non-maximum suppression, and overlapping boxes."""

from collections.abc import Callable, Sequence

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.writer import ModelWriter

Build = Callable[[ModelWriter], None]


def suppressed(
    boxes: Sequence[int] = (12, 4),
    most: int = 5,
    overlap: float = 0.5,
    score: float = -np.inf,
    sigma: float | None = None,
    scores: Sequence[int] | None = None,
) -> Build:
    """Node to build that chooses boxes; with `sigma`, of the operator that lowers scores."""

    def build(m: ModelWriter) -> None:
        given = [m.input("boxes", boxes, "float32")]
        given.append(m.input("scores", boxes[:1] if scores is None else scores, "float32"))
        given.append(m.constant("most", np.array(most, np.int32)))
        limits = {"overlap": overlap, "score": score} | ({} if sigma is None else {"sigma": sigma})
        given += [m.constant(name, np.array(each, "f4")) for name, each in limits.items()]
        made = [m.tensor("chosen", (most,), "int32")]
        made += [] if sigma is None else [m.tensor("best", (most,), "float32")]
        made.append(m.tensor("count", (), "int32"))
        version = 4 if sigma is None else 5
        m.node(f"NON_MAX_SUPPRESSION_V{version}", given, made)
        m.output(*made)

    return build


def inputs(boxes: int = 12) -> list[list[Array]]:
    """Inputs of overlapping boxes, given by either diagonal, some without an area, and scores, some
    equal, some NaN.
    """
    random = np.random.default_rng(boxes)
    found = []
    for levels in (2, 7, 1000):
        corners = random.integers(0, 6, (boxes, 4)).astype(np.float32)
        found.append([corners, (random.integers(0, levels, boxes) / levels).astype(np.float32)])
    found[-1][1][0] = np.nan
    return found
