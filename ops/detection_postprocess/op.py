"""DetectionPostprocess: the best of many boxes, without those that overlap a better one too much.

TFLite_Detection_PostProcess, as LiteRT (kernels/detection_postprocess.cc) and TensorFlow Lite Micro
have it: boxes are centres and sizes relative to anchors. The fast way gives each box its best
classes and suppresses among all boxes; the regular one suppresses within each class. Of equal
scores the first counts as better, as in TensorFlow Lite Micro, and NaN is worse than all. What lies
after the detections is zero, while LiteRT's fast way leaves the memory as it was. Where a box is
inside out there is no detection; LiteRT ends with an error. exp is computed in double precision, so
that boxes equal LiteRT's unless it lies within 2^-40 of where rounding to float32 changes. uint8,
which TensorFlow Lite Micro does not take, is dequantised as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.families.params import by_name
from toolchain.ir import DType, Tensor
from toolchain.op import (
    Array,
    Attribute,
    Convert,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    Variant,
    every_node,
    f32,
    i32,
    u8,
)
from toolchain.op.options import flexbuffer

from .exponential import exponential

Floats = NDArray[np.float32]
FACTORS = ("y_scale", "x_scale", "h_scale", "w_scale", "nms_score_threshold", "nms_iou_threshold")
COUNTS = ("max_detections", "max_classes_per_detection", "num_classes")
INPUTS = ("boxes", "scores", "anchors")
OUTPUTS = ("detection_boxes", "detection_classes", "detection_scores", "num_detections")
IGNORED = ("_output_quantized", "_output_types", "_support_output_type_float_in_quantized_op")


@dataclass(frozen=True, kw_only=True)
class Params:
    """The sizes, and what a detection is."""

    boxes: int
    box_length: int  # numbers of a box, of which four are read
    labels: int  # scores of a box: the classes, and the background where it has one
    background: int  # 1 where the first label is the background
    classes: int
    classes_per_box: int  # of the fast way
    max_detections: int
    max_classes_per_detection: int
    detections_per_class: int  # of the regular way
    use_regular_nms: bool
    score_threshold: float
    iou_threshold: float
    y_scale: float
    x_scale: float
    h_scale: float
    w_scale: float
    boxes_scale: float  # what follows is of uint8
    boxes_zero_point: int
    scores_scale: float
    anchors_scale: float
    anchors_zero_point: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """Boxes, classes and scores, with room for all detections; how many there are."""
    most, classes = (node.attributes[name] for name in COUNTS[:2])
    shapes = ((1, most * classes, 4), (1, most * classes), (1, most * classes), (1,))
    return [TensorType(f32, shape) for shape in shapes]


def check(node: NodeView) -> Iterator[str]:
    """Tensors that belong together, and limits within their ranges."""
    boxes, scores, anchors = (node[name] for name in INPUTS)
    count = boxes.shape[1] if len(boxes.shape) == 3 else 0
    if not count or boxes.shape[0] != 1 or boxes.shape[2] < 4:
        yield f"boxes {boxes.type} is not 1xNx4"
    if len(scores.shape) != 3 or scores.shape[:2] != (1, count):
        yield f"scores {scores.type} is not 1x{count}xC"
    elif scores.shape[2] - node.attributes["num_classes"] not in (0, 1):
        yield f"scores {scores.type} is not for {node.attributes['num_classes']} classes"
    if anchors.shape != (count, 4):
        yield f"anchors {anchors.type} is not {count}x4"
    for name in (*COUNTS, "detections_per_class"):
        if not 1 <= node.attributes[name] < 2**15:
            yield f"{name} {node.attributes[name]} is not 1 to 32767"
    if not 0 < np.float32(node.attributes["nms_iou_threshold"]) <= 1:
        yield f"nms_iou_threshold {node.attributes['nms_iou_threshold']} is not above 0 to 1"


def check_uint8(node: NodeView) -> Iterator[str]:
    """What dequantising needs. LiteRT rounds scores twice where their zero point is not 0."""
    yield from (problems := list(per_tensor_problems(node, *INPUTS)))
    if not problems:
        yield from zero_problems(node, "scores")


def rounded(name: str) -> Any:
    """An attribute as float32 has it."""
    return lambda node: float(np.float32(node.attributes[name]))


QUANTIZED = {"scale": 1.0, "zero_point": 0}  # what floats have instead


def quantized(name: str, fact: str) -> Any:
    """The scale or the zero point of an input."""
    return lambda node: QUANTIZED[fact] if node[name].dtype == f32 else getattr(node[name], fact)


params = by_name(
    Params,
    boxes=lambda node: node["boxes"].shape[1],
    box_length=lambda node: node["boxes"].shape[2],
    labels=lambda node: node["scores"].shape[2],
    background=lambda node: node["scores"].shape[2] - node.attributes["num_classes"],
    classes=lambda node: node.attributes["num_classes"],
    classes_per_box=lambda node: min(
        node.attributes["max_classes_per_detection"], node.attributes["num_classes"]
    ),
    score_threshold=rounded("nms_score_threshold"),
    iou_threshold=rounded("nms_iou_threshold"),
    **{name: rounded(name) for name in FACTORS[:4]},
    **{f"{name}_scale": quantized(name, "scale") for name in INPUTS},
    **{f"{name}_zero_point": quantized(name, "zero_point") for name in ("boxes", "anchors")},
)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The detections in numpy."""
    p = params(node)
    values = [_value(node[name], x) for name, x in zip(INPUTS, inputs, strict=True)]
    boxes, scores = _decoded(p, values[0][0], values[2]), values[1][0][:, p.background :]
    found = [np.zeros(each.shape, np.float32) for each in infer(node)]
    if (boxes[:, 0] > boxes[:, 2]).any() or (boxes[:, 1] > boxes[:, 3]).any():
        return found
    places, count = (_of_each_class if p.use_regular_nms else _of_all_classes)(p, boxes, scores)
    for at, box, label in places:
        found[0][0, at], found[1][0, at], found[2][0, at] = boxes[box], label, scores[box, label]
    found[3][0] = count
    return found


def _value(tensor: Tensor, x: Array) -> Floats:
    """The float32 values of elements."""
    if tensor.dtype == f32:
        return x
    return (x.astype(np.int32) - tensor.zero_point).astype(np.float32) * np.float32(tensor.scale)


def _decoded(p: Params, boxes: Floats, anchors: Floats) -> Floats:
    """The corners of each box: from centre and size, which are relative to an anchor."""
    scales = np.array([p.y_scale, p.x_scale, p.h_scale, p.w_scale])
    with np.errstate(all="ignore"):
        relative, sizes = boxes[:, :4] / scales, anchors[:, 2:].astype(np.float64)
        centres = (relative[:, :2] * sizes + anchors[:, :2]).astype(np.float32)
        halves = (0.5 * exponential(relative[:, 2:]) * sizes).astype(np.float32)
        return np.concatenate([centres - halves, centres + halves], axis=1)


def _of_all_classes(p: Params, boxes: Floats, scores: Floats) -> tuple[list[Any], int]:
    """Places of detections, their boxes and their classes, by the fast way; how many boxes."""
    ranked = np.argsort(-scores, axis=1, kind="stable")
    best = np.take_along_axis(scores, ranked, axis=1)[:, 0]
    chosen = _selected(p, boxes, best, p.max_detections)
    found = [
        (i * p.max_classes_per_detection + k, box, ranked[box, k])
        for i, box in enumerate(chosen)
        for k in range(p.classes_per_box)
    ]
    return found, len(chosen)


def _of_each_class(p: Params, boxes: Floats, scores: Floats) -> tuple[list[Any], int]:
    """The same by the regular way."""
    found = [
        (box, label)
        for label in range(p.classes)
        for box in _selected(p, boxes, scores[:, label], p.detections_per_class)
    ]
    found = sorted(found, key=lambda each: -scores[each])[: p.max_detections]
    return [(i, *each) for i, each in enumerate(found)], len(found)


def _selected(p: Params, boxes: Floats, scores: Floats, limit: int) -> list[int]:
    """The best boxes of which none overlaps a better one too much."""
    found: list[int] = []
    for box in np.argsort(-scores, kind="stable").tolist():
        overlaps = any(_overlap(boxes[each], boxes[box]) > p.iou_threshold for each in found)
        if scores[box] >= p.score_threshold and not overlaps and len(found) < limit:
            found.append(box)
    return found


def _overlap(a: Floats, b: Floats) -> np.float32:
    """The area that two boxes share, as a fraction of the area of both."""
    with np.errstate(all="ignore"):
        first, second = ((each[2] - each[0]) * (each[3] - each[1]) for each in (a, b))
        if first <= 0 or second <= 0:
            return np.float32(0)
        sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
        height, width = np.maximum(sides, np.float32(0))
        shared = height * width
        return np.float32(shared / (first + second - shared))


def example(dtype: DType, scale: float | None = None) -> Example:
    """Three detections of two classes among six boxes."""
    given = zip(INPUTS, ((1, 6, 4), (1, 6, 3), (6, 4)), strict=True)
    made = zip(OUTPUTS, ((1, 3, 4), (1, 3), (1, 3), (1,)), strict=True)
    return Example(
        {name: ExampleTensor(dtype, shape, scale=scale) for name, shape in given}
        | {name: ExampleTensor(f32, shape) for name, shape in made},
        {
            **dict.fromkeys(FACTORS[:4], 5.0),
            "nms_score_threshold": 0.1,
            "nms_iou_threshold": 0.5,
            "max_detections": 3,
            "max_classes_per_detection": 1,
            "num_classes": 2,
        },
    )


SCRATCH = {
    "boxes": lambda node: 4 * params(node).boxes,
    "scores": lambda node: params(node).boxes,
    "chosen": lambda node: params(node).boxes,
    "found": lambda node: max(params(node).max_detections, params(node).classes_per_box),
}
KERNELS = (
    Kernel(
        "reference",
        Params,
        every_node(params, scratch=SCRATCH),
        scratch={"boxes": f32, "scores": f32, "chosen": i32, "found": i32},
    ),
)
OP = Op(
    "detection_postprocess",
    legalize=(
        Rename(
            "tflite.CUSTOM.TFLite_Detection_PostProcess",
            options=flexbuffer,
            attributes={
                **{name: Convert(name, float) for name in FACTORS},
                "use_regular_nms": Convert("use_regular_nms", bool),
            },
            ignore=IGNORED,
        ),
    ),
    inputs=tuple(Input(name, "T") for name in INPUTS),
    outputs=tuple(Output(name, f32) for name in OUTPUTS),
    attributes=(
        *(Attribute(name, float) for name in FACTORS),
        *(Attribute(name, int) for name in COUNTS),
        Attribute("detections_per_class", int, default=100),
        Attribute("use_regular_nms", bool, default=False),
    ),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=(
        Variant({"T": f32}, KERNELS, examples=(example(f32),)),
        Variant(
            {"T": u8},
            KERNELS,
            check=check_uint8,
            examples=(example(u8, scale=0.1),),
        ),
    ),
)
