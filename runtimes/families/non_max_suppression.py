"""Non-maximum suppression: boxes by falling score, without those that overlap a better one.

As in LiteRT (kernels/internal/reference/non_max_suppression.h), a chosen box is examined once more,
and drops out because it overlaps itself; a box without an area does not, and is chosen again. Boxes
of equal scores come in the order of libstdc++'s heap.
"""

from opsmith.op import *
from runtimes.core.real_exponential import real_exponential

CONSTANTS = ("most", "overlap", "score")
SIGMA = "sigma"  # of scores that fall where boxes overlap


@dataclass(frozen=True)
class Params:
    """Number of boxes, and most boxes that are chosen."""

    boxes: int
    most: int


@dataclass(frozen=True)
class Tables:
    """Limits of overlaps and scores, and the decay of scores."""

    limits: NDArray[np.float32]  # overlap, score, decay


def suppression(name: str, source: str, *, decays: bool) -> Op:
    """Op that gives the indices of chosen boxes and their count; with `decays`, also their scores,
    which overlaps lower.
    """
    scalars = (*CONSTANTS, SIGMA) if decays else CONSTANTS
    outputs = ("chosen", "best", "count") if decays else ("chosen", "count")
    shapes = {"boxes": (6, 4), "scores": (6,), "chosen": (3,), "best": (3,), "count": ()}
    types = {"chosen": i32, "count": i32}
    values = {"most": np.array(3, np.int32), "overlap": np.array(0.5, np.float32)}
    values |= {each: np.array(0.25, np.float32) for each in ("score", SIGMA)}
    example = {each: ExampleTensor(f32, shapes[each]) for each in ("boxes", "scores")}
    example |= {
        each: ExampleTensor(i32 if each == "most" else f32, (), data=values[each])
        for each in scalars
    }
    example |= {each: ExampleTensor(types.get(each, f32), shapes[each]) for each in outputs}

    def infer(node: NodeView) -> Sequence[TensorType]:
        boxes, scores = node["boxes"], node["scores"]
        if len(boxes.shape) != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
            raise OpError(f"boxes {boxes.type} are not Nx4, or scores {scores.type} not N")
        for scalar in scalars:
            if node[scalar].elements != 1:
                raise OpError(f"{scalar} {node[scalar].type} is not one number")
        most = int(node["most"].data.reshape(-1)[0])
        if most < 1:
            raise OpError(f"the most boxes that are chosen are {most}, not 1 or more")
        return [TensorType(types.get(each, f32), (most,) * (each != "count")) for each in outputs]

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        places, scores = _chosen(inputs[0], inputs[1], params(node).most, tables(node).limits)
        found = [np.zeros(node[each].shape, node[each].dtype.numpy) for each in outputs]
        found[0][: len(places)], found[-1][...] = places, len(places)
        if decays:
            found[1][: len(places)] = scores
        return found

    reference = Kernel(
        "reference",
        Params,
        every_node(params, tables, scratch=dict.fromkeys(("heap", "falling", "compared"), _boxes)),
        Tables,
        scratch={"heap": i32, "falling": f32, "compared": i32},
        cost=lambda node: 35.0 * node["boxes"].shape[0] * node["chosen"].elements,
    )
    return Op(
        name,
        legalize=(Rename(f"tflite.{source}"),),
        inputs=(
            Input("boxes", f32),
            Input("scores", f32),
            *(Input(each, i32 if each == "most" else f32, constant=True) for each in scalars),
        ),
        outputs=tuple(Output(each, types.get(each, f32)) for each in outputs),
        infer=infer,
        check=_problems,
        evaluate=evaluate,
        variants=(Variant({}, (reference,)),),
        examples=(Example(example),),
    )


def _problems(node: NodeView) -> Iterator[str]:
    overlap, _, decay = tables(node).limits
    if not 0 <= overlap <= 1:
        yield f"overlap {overlap} is not 0 to 1"
    if not decay <= 0 or np.isinf(decay) or _sigma(node) < 0:
        yield f"sigma {_sigma(node)} is not 0 or an ordinary number above it"


def _boxes(node: NodeView) -> int:
    return node["boxes"].shape[0]


def params(node: NodeView) -> Params:
    """Numbers of boxes of a node: all, and the most that are chosen."""
    return Params(_boxes(node), node["chosen"].elements)


def tables(node: NodeView) -> Tables:
    """Limits of overlap and score, and the decay of scores, of a node."""
    overlap, score = (node[name].data.reshape(-1)[0] for name in CONSTANTS[1:])
    sigma = _sigma(node)
    with np.errstate(all="ignore"):
        decay = -0.5 / np.float64(sigma) if sigma > 0 else 0.0
        return Tables(np.array([overlap, score, decay], np.float32))


def _sigma(node: NodeView) -> float:
    return float(node[SIGMA].data.reshape(-1)[0]) if SIGMA in node.tensors else 0.0


def _chosen(
    boxes: Array, scores: Array, most: int, limits: NDArray[np.float32]
) -> tuple[list[int], list[np.float32]]:
    """Indices of the chosen boxes, and their scores when chosen."""
    falling, compared = scores.copy(), np.zeros(len(scores), np.int32)
    heap: list[int] = []
    for box in np.flatnonzero(scores > limits[1]).tolist():
        _push(heap, falling, box)
    found: list[int] = []
    best: list[np.float32] = []
    most = min(most, len(heap))
    while len(found) < most and heap:
        box = _pop(heap, falling)
        before = falling[box]
        dropped = _compare(boxes, box, found[compared[box] :], falling, limits)
        compared[box] = len(found)
        if dropped:
            continue
        if falling[box] == before:
            found.append(box)
            best.append(before)
        if falling[box] > limits[1]:
            _push(heap, falling, box)
    return found, best


def _compare(
    boxes: Array, box: int, chosen: list[int], falling: Array, limits: NDArray[np.float32]
) -> bool:
    """Lower the box's score for each chosen box; return True if one overlaps it too much."""
    for other in reversed(chosen):
        overlap = _overlap(boxes[box], boxes[other])
        if overlap >= limits[0]:
            return True
        if limits[2] != 0:
            falling[box] *= real_exponential(np.array(limits[2] * overlap * overlap))
        if falling[box] <= limits[1]:
            return False
    return False


def _overlap(a: Array, b: Array) -> np.float32:
    """Intersection over union of two boxes by their corners."""
    with np.errstate(all="ignore"):
        (low_a, high_a), (low_b, high_b) = map(_corners, (a, b))
        areas = [np.prod(high - low) for low, high in ((low_a, high_a), (low_b, high_b))]
        if areas[0] <= 0 or areas[1] <= 0:
            return np.float32(0)
        low, high = np.where(low_a < low_b, low_b, low_a), np.where(high_b < high_a, high_b, high_a)
        sides = high - low
        shared = np.prod(np.where(sides < 0, np.float32(0), sides))
        return np.float32(shared / (areas[0] + areas[1] - shared))


def _corners(box: Array) -> tuple[Array, Array]:
    """Least and greatest (y, x) of a box."""
    one, other = box[:2], box[2:]
    return np.where(other < one, other, one), np.where(one < other, other, one)


def _push(heap: list[int], scores: Array, box: int) -> None:
    heap.append(box)
    _rise(heap, scores, box, len(heap) - 1)


def _rise(heap: list[int], scores: Array, box: int, at: int) -> None:
    while at > 0 and scores[heap[(at - 1) // 2]] < scores[box]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = box


def _pop(heap: list[int], scores: Array) -> int:
    best, last, at = heap[0], heap.pop(), 0
    while (child := 2 * at + 2) <= len(heap):
        if child == len(heap) or scores[heap[child]] < scores[heap[child - 1]]:
            child -= 1
        heap[at] = heap[child]
        at = child
    if heap:
        _rise(heap, scores, last, at)
    return best
