"""DetectionPostprocess: the best of many boxes, without those that overlap a better one too much.

TFLite_Detection_PostProcess, as LiteRT (kernels/detection_postprocess.cc) and TensorFlow Lite Micro
have it: boxes are centres and sizes relative to anchors. The fast way gives each box its best
classes and suppresses among all boxes; the regular one suppresses within each class. Of equal
scores the first counts as better, as in TensorFlow Lite Micro, and NaN is worse than all. What lies
after the detections is zero, while LiteRT's fast way leaves the memory as it was. Where a box is
inside out there is no detection; LiteRT ends with an error. exp is computed in double precision, so
that boxes equal LiteRT's unless exp lies within 2^-40 of a point where rounding to float32 changes.
uint8, which TensorFlow Lite Micro does not take, is dequantised as it is read.
"""

from opsmith.op import *
from runtimes.core.per_tensor import per_tensor_problems, zero_problems

from .detections import Floats, decoded, of_all_classes, of_each_class
from .params import COUNTS, FACTORS, INPUTS, Params, params

OUTPUTS = ("detection_boxes", "detection_classes", "detection_scores", "num_detections")
IGNORED = ("_output_quantized", "_output_types", "_support_output_type_float_in_quantized_op")


def infer(node: NodeView) -> Sequence[TensorType]:
    """Types of boxes, classes and scores, with room for all detections, and of their number."""
    most, classes = (node.attributes[name] for name in COUNTS[:2])
    shapes = ((1, most * classes, 4), (1, most * classes), (1, most * classes), (1,))
    return [TensorType(f32, shape) for shape in shapes]


def check(node: NodeView) -> Iterator[str]:
    """Problems of tensors whose sizes do not match, and of limits out of range."""
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
    """Problems of quantisation: LiteRT rounds scores twice where their zero point is not 0."""
    yield from (problems := list(per_tensor_problems(node, *INPUTS)))
    if not problems:
        yield from zero_problems(node, "scores")


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Detections in numpy: boxes, classes, scores, and their number."""
    p = params(node)
    values = [_value(node[name], x) for name, x in zip(INPUTS, inputs, strict=True)]
    boxes, scores = decoded(p, values[0][0], values[2]), values[1][0][:, p.background :]
    found = [np.zeros(each.shape, np.float32) for each in infer(node)]
    if (boxes[:, 0] > boxes[:, 2]).any() or (boxes[:, 1] > boxes[:, 3]).any():
        return found
    places, count = (of_each_class if p.use_regular_nms else of_all_classes)(p, boxes, scores)
    for at, box, label in places:
        found[0][0, at], found[1][0, at], found[2][0, at] = boxes[box], label, scores[box, label]
    found[3][0] = count
    return found


def _value(tensor: Tensor, x: Array) -> Floats:
    """float32 values of elements."""
    if tensor.dtype == f32:
        return x
    return (x.astype(np.int32) - tensor.zero_point).astype(np.float32) * np.float32(tensor.scale)


def example(dtype: DType, scale: float | None = None) -> Example:
    """Example of three detections of two classes among six boxes."""
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
    departs=Departure("a box that is inside out", "fails", "no detection", fails=True),
    variants=(
        Variant({"T": f32}, KERNELS, examples=(example(f32),)),
        Variant({"T": u8}, KERNELS, check=check_uint8, examples=(example(u8, scale=0.1),)),
    ),
)
