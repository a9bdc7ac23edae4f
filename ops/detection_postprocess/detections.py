"""Detections in numpy: boxes are decoded, ranked, and suppressed by better ones they overlap."""

from opsmith.op import *

from .params import Params

DEGREE = 13  # of Taylor's series: the rest is below 2^-52 within log(2) / 2
FARTHEST = 700.0  # beyond it the result is 0 or infinite, as float32 has it

Floats = NDArray[np.float32]


def decoded(p: Params, boxes: Floats, anchors: Floats) -> Floats:
    """Corners of each box, from its centre and size relative to an anchor."""
    scales = np.array([p.y_scale, p.x_scale, p.h_scale, p.w_scale])
    with np.errstate(all="ignore"):
        relative, sizes = boxes[:, :4] / scales, anchors[:, 2:].astype(np.float64)
        centres = (relative[:, :2] * sizes + anchors[:, :2]).astype(np.float32)
        halves = (0.5 * exponential(relative[:, 2:]) * sizes).astype(np.float32)
        return np.concatenate([centres - halves, centres + halves], axis=1)


def of_all_classes(p: Params, boxes: Floats, scores: Floats) -> tuple[list[Any], int]:
    """Detections by the fast way: places, boxes and classes, and the number of boxes."""
    ranked = np.argsort(-scores, axis=1, kind="stable")
    best = np.take_along_axis(scores, ranked, axis=1)[:, 0]
    chosen = _selected(p, boxes, best, p.max_detections)
    found = [
        (i * p.max_classes_per_detection + k, box, ranked[box, k])
        for i, box in enumerate(chosen)
        for k in range(p.classes_per_box)
    ]
    return found, len(chosen)


def of_each_class(p: Params, boxes: Floats, scores: Floats) -> tuple[list[Any], int]:
    """Detections by the regular way: places, boxes and classes, and the number of boxes."""
    found = [
        (box, label)
        for label in range(p.classes)
        for box in _selected(p, boxes, scores[:, label], p.detections_per_class)
    ]
    found = sorted(found, key=lambda each: -scores[each])[: p.max_detections]
    return [(i, *each) for i, each in enumerate(found)], len(found)


def _selected(p: Params, boxes: Floats, scores: Floats, limit: int) -> list[int]:
    """Best boxes, of which none overlaps a better box too much."""
    found: list[int] = []
    for box in np.argsort(-scores, kind="stable").tolist():
        overlaps = any(_overlap(boxes[each], boxes[box]) > p.iou_threshold for each in found)
        if scores[box] >= p.score_threshold and not overlaps and len(found) < limit:
            found.append(box)
    return found


def _overlap(a: Floats, b: Floats) -> np.float32:
    """Area that two boxes share, as a fraction of the area of both."""
    with np.errstate(all="ignore"):
        first, second = ((each[2] - each[0]) * (each[3] - each[1]) for each in (a, b))
        if first <= 0 or second <= 0:
            return np.float32(0)
        sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
        height, width = np.maximum(sides, np.float32(0))
        shared = height * width
        return np.float32(shared / (first + second - shared))


def exponential(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(x), within 2^-40 of it."""
    within = np.clip(np.where(np.isnan(x), 0, x), -FARTHEST, FARTHEST)
    powers = np.trunc(within * (1 / math.log(2)) + np.where(within < 0, -0.5, 0.5))
    rest = within - powers * math.log(2)
    sums = np.ones_like(rest)
    for n in range(DEGREE, 0, -1):
        sums = sums * rest / n + 1
    found = sums * np.exp2(powers)
    found = np.where(x > FARTHEST, np.inf, np.where(x < -FARTHEST, 0, found))
    return np.where(np.isnan(x), x, found)
