"""Params of DetectionPostprocess: sizes, limits, and quantisation of uint8 inputs."""

from opsmith.op import *

FACTORS = ("y_scale", "x_scale", "h_scale", "w_scale", "nms_score_threshold", "nms_iou_threshold")
COUNTS = ("max_detections", "max_classes_per_detection", "num_classes")
INPUTS = ("boxes", "scores", "anchors")


@dataclass(frozen=True, kw_only=True)
class Params:
    """Sizes, limits of detections, and quantisation of inputs."""

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


def rounded(name: str) -> Any:
    """Field that has an attribute as float32."""
    return lambda node: float(np.float32(node.attributes[name]))


QUANTIZED = {"scale": 1.0, "zero_point": 0}  # of inputs of float32


def quantized(name: str, fact: str) -> Any:
    """Field that has the scale or the zero point of an input."""
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
