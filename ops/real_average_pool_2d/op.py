"""Real average pool: means of windows of int8 as ONNX's AveragePool, halves to even."""

from opsmith.op import *
from opsmith.op.even import even_quotients
from opsmith.op.rows import RowWindow
from runtimes.families.pool_windows import PoolGeometry, pool_geometry, pool_overlap, pool_sums
from runtimes.families.pooling import (
    EXAMPLE,
    POOL_OPTIONS,
    larger_than,
    pool_elements,
    pool_problems,
    pooled_range,
    pooling,
    word_problem,
)

LANE_PIXELS = 256  # most pixels whose bytes a halfword can sum


@dataclass(frozen=True, kw_only=True)
class CentredPool(PoolGeometry):
    """Geometry of windows over images, and the zero point of x and y."""

    zero_point: int


def params(node: NodeView) -> CentredPool:
    """Geometry of a node."""
    return CentredPool(**vars(pool_geometry(node)), zero_point=node["x"].zero_point)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Means of windows, in numpy."""
    point = node["x"].zero_point
    sums, counts = pool_sums(node, inputs[0].astype(np.int64) - point)
    return [(even_quotients(sums, counts) + point).astype(np.int8)]


def check(node: NodeView) -> Iterator[str]:
    """Problems of y's quantisation, which must be x's, and of the activation."""
    yield from (problems := list(pool_problems(node)))
    if not problems and node["x"].quantization != node["y"].quantization:
        yield "x and y must have the same quantisation"
    if node.attributes["activation"] != "NONE":
        yield "an activation is not part of it"


def rows(node: NodeView) -> RowWindow:
    """Window of rows where no window leaves the image; else places outside do not count."""
    p = pool_geometry(node)
    higher = {"stride_height": p.window_height}
    return RowWindow(p.window_height, p.stride_height, p.padding_top, attributes=higher)


def kernel(
    name: str,
    per_element: float,
    per_output: float,
    *problems: Callable[[NodeView], str],
    **others: Any,
) -> Kernel:
    """Kernel of a pool, with its instructions, for nodes without a problem."""
    plan = refusing(every_node(params, overlap=pool_overlap), *problems)
    cost = instructions(pool_elements, per_element, per_output)
    return Kernel(name, CentredPool, plan, numerics=ANY_RULE, cost=cost, **others)


X = ExampleTensor(i8, (1, 7, 6, 4), scale=0.1, zero_point=3)
OP = pooling(
    "real_average_pool_2d",
    Rename("tflite.CUSTOM.OpsmithAveragePool", attributes=POOL_OPTIONS, options=flexbuffer),
    (
        Variant(
            {"T": i8},
            (
                kernel("lanes", 2.5, 14.0, larger_than(LANE_PIXELS), word_problem),
                kernel("reference", 4.9, 57.0),
            ),
            check=check,
            evaluate=evaluate,
            numerics=dict.fromkeys(OTHER_RULES, lambda node: ""),
            hooks=Hooks(channels=Channels(ranges=pooled_range)),
            examples=(Example.of(EXAMPLE, x=X, y=X),),
        ),
    ),
    hooks=Hooks(streaming=Streaming(rows)),
)
