"""Kernels of layer.cl for each combination of element types."""

from opsmith.op import *
from opsmith.op.kernel import REFERENCE_ONLY
from runtimes.core.per_channel import bias_of
from runtimes.core.rescaling import FixedPoint, Narrow, OfBytes, Scales, Singles
from runtimes.core.vector_activation import NUMBERS
from runtimes.families.convolution import FilterGeometry
from runtimes.families.layer import ELEMENT_FACTS, Layer, Quantized, RealClamped, weights_zero_point
from runtimes.gpu.kernel import each_element, gpu_kernel

DYNAMIC_GROUP = 256  # work-items that find the range of an image together
MOST_GROUPS = 128  # groups for one image, each of which finds the whole range
Rescaling = OfBytes | Narrow
KINDS = {FixedPoint: 0, Narrow: 1, Scales: 2, Singles: 3}  # Rescaling of runtimes/core/rescaling.cl


@dataclass(frozen=True, kw_only=True)
class Filters(FilterGeometry):
    """Geometry of filters over images."""

    spacing_height: int = 1  # from a pixel of x to the next, in those that strides count
    spacing_width: int = 1


@dataclass(frozen=True)
class NodeWeights:
    """Weights of a node, their zero point, and the geometry of its filters."""

    filters: Filters
    values: Array  # [output channels][rows][columns][filter channels]
    zero_point: int


@dataclass(frozen=True, kw_only=True)
class IntegerParams(Quantized, Filters):
    """Geometry of filters, zero points, bounds of y, and the rescaling of sums."""

    weights_zero_point: int
    rescaling: int  # as enum Rescaling of runtimes/core/rescaling.cl


@dataclass(frozen=True)
class IntegerTables:
    """Weights, and biases, multipliers and shifts with an entry per output channel."""

    weights: NDArray[np.int8]  # [rows][columns][filter channels][output channels]
    bias: NDArray[np.int64]
    multiplier: NDArray[np.int64]  # as runtimes/core/rescaling.cl takes it
    shift: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Filters):
    """Geometry of filters, and bounds of y."""


@dataclass(frozen=True)
class RealTables:
    """Weights, and a bias per output channel."""

    weights: NDArray[np.float32]  # [rows][columns][filter channels][output channels]
    bias: NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class DynamicParams(RealParams):
    """Geometry of a float32 layer with int8 weights, bounds of y, and quantisation of images."""

    groups: int  # of work-items, for an image
    asymmetric: bool  # by their range, not by their largest magnitude
    one_by_one: bool  # sums times the scale of the weights, and then that of x


@dataclass(frozen=True, kw_only=True)
class VectorParams(Filters):
    """Geometry of weights over rows of x, and the quantisation of these rows."""

    groups: int  # of work-items, for a row
    asymmetric: bool  # by their range, not by their largest magnitude
    activation: int  # as enum VectorActivation of runtimes/core/vector_activation.cl
    signed_zero: bool  # where all of x is 0, the sign of a bias of 0 stays


@dataclass(frozen=True)
class DynamicTables:
    """Weights, and biases and scales with an entry per output channel."""

    weights: NDArray[np.int8]  # [rows][columns][filter channels][output channels]
    bias: NDArray[np.float32]
    scale: NDArray[np.float32]


def weights_of(layer: Layer, node: NodeView) -> NodeWeights:
    """Weights of a node of this layer."""
    values, window = layer.by_channel(node), layer.window(node)
    channels, _, _, inputs = values.shape
    filters = Filters(**vars(window), filter_channels=inputs, output_channels=channels)
    weights = node[layer.weights]
    zero_point = 0 if weights.quantization is None else weights_zero_point(weights)
    return NodeWeights(filters, values, zero_point)


def integer_kernel(
    weights: Callable[[NodeView], NodeWeights],
    rescaling: Callable[[NodeView], Rescaling],
    *,
    wide: bool = False,
) -> Kernel:
    """Kernel of integer layers; sums have 64 bits if `wide`."""

    def plan(node: NodeView) -> Plan:
        found = weights(node)
        lowered = 128 if found.values.dtype == np.uint8 else 0  # so that they are int8
        params = of_facts(
            IntegerParams,
            node,
            ELEMENT_FACTS,
            **vars(found.filters),
            weights_zero_point=found.zero_point - lowered,
            rescaling=KINDS[type(rescaling(node))],
        )

        def tables() -> IntegerTables:
            values = (found.values.astype(np.int16) - lowered).astype(np.int8)
            bias = bias_of(node).astype(np.int64)
            return IntegerTables(packed(values), bias, *constants_of(rescaling(node), len(bias)))

        return Plan(params, tables, work=each_element(node))

    defines = {"SUM": "uint64_t" if wide else "uint32_t", "WEIGHT": "int8_t"}
    return _kernel(IntegerParams, weights, plan, IntegerTables, defines)


def real_kernel(weights: Callable[[NodeView], NodeWeights]) -> Kernel:
    """Kernel of float32 layers."""

    def plan(node: NodeView) -> Plan:
        found = weights(node)
        params = of_facts(RealParams, node, ELEMENT_FACTS, **vars(found.filters))
        return Plan(
            params,
            lambda: RealTables(packed(found.values), bias_of(node)),
            work=each_element(node),
        )

    defines = {"REAL": "", "SUM": "float", "WEIGHT": "float"}
    return _kernel(RealParams, weights, plan, RealTables, defines)


def dynamic_kernel(
    weights: Callable[[NodeView], NodeWeights],
    scale: Callable[[NodeView], NDArray[np.float32]],
    asymmetric: Callable[[NodeView], bool],
    one_by_one: Callable[[NodeView], bool],
    *,
    sums_floats: bool = False,
) -> Kernel:
    """Kernel of float32 layers with int8 weights.

    With `sums_floats`, each product is a float, and is rescaled before it is added.
    """

    def params(node: NodeView, **given: Any) -> DynamicParams:
        return of_facts(DynamicParams, node, ELEMENT_FACTS, one_by_one=one_by_one(node), **given)

    more = {"DYNAMIC_PRODUCTS": ""} if sums_floats else {}
    return _dynamic_kernel(weights, scale, asymmetric, DynamicParams, params, more)


def vector_kernel(
    weights: Callable[[NodeView], NodeWeights],
    scale: Callable[[NodeView], NDArray[np.float32]],
    asymmetric: Callable[[NodeView], bool],
) -> Kernel:
    """Kernel of float32 rows by int8 weights, in LiteRT's way to multiply a matrix by vectors
    (`Dynamic.of_vectors`).
    """

    def params(node: NodeView, **given: Any) -> VectorParams:
        bias = bias_of(node)
        return VectorParams(
            activation=NUMBERS[node.attributes["activation"]],
            signed_zero=bool((np.signbit(bias) & (bias == 0)).any()),
            **given,
        )

    return _dynamic_kernel(weights, scale, asymmetric, VectorParams, params, {"VECTORS": ""})


def _dynamic_kernel(
    weights: Callable[[NodeView], NodeWeights],
    scale: Callable[[NodeView], NDArray[np.float32]],
    asymmetric: Callable[[NodeView], bool],
    params: type,
    params_of: Callable[..., Any],
    defines: dict[str, str],
) -> Kernel:

    def plan(node: NodeView) -> Plan:
        found = weights(node)
        outputs = node["y"].elements // found.filters.batches
        groups = min(-(-outputs // DYNAMIC_GROUP), MOST_GROUPS)
        given = {**vars(found.filters), "groups": groups, "asymmetric": asymmetric(node)}
        items = found.filters.batches * groups * DYNAMIC_GROUP
        return Plan(
            params_of(node, **given),
            lambda: DynamicTables(packed(found.values), bias_of(node), scale(node)),
            work=Work((items,), (DYNAMIC_GROUP,), {"shared": (f32, DYNAMIC_GROUP)}),
        )

    sums = "float" if "DYNAMIC_PRODUCTS" in defines else "int"
    all_defines = {"DYNAMIC": "", "SUM": sums, "WEIGHT": "int8_t", **defines}
    return _kernel(params, weights, plan, DynamicTables, all_defines)


def multiplied(
    weights: Callable[[NodeView], NodeWeights], per_mac: float
) -> Callable[[NodeView], float]:
    """Cost of a layer, by its multiplications with weights."""

    def cost(node: NodeView) -> float:
        f = weights(node).filters
        inputs = f.filter_height * f.filter_width * f.filter_channels
        return 10.0 + node["y"].elements * (4.0 + per_mac * inputs)

    return cost


def _kernel(
    params: type,
    weights: Callable[[NodeView], NodeWeights],
    plan: Callable[[NodeView], Plan],
    tables: type,
    defines: dict[str, str],
) -> Kernel:
    return gpu_kernel(
        params,
        plan,
        tables,
        header="runtimes/gpu/layer.cl",
        function="layer",
        arguments=("p", "in", "out", "tables", *(["local_memory"] if "DYNAMIC" in defines else [])),
        cost=multiplied(weights, 8.0),
        defines=defines | {"Params": params.__name__, "Tables": tables.__name__},
        numerics=ANY_RULE if params is IntegerParams else REFERENCE_ONLY,
    )


def packed(values: Array) -> Any:
    """Weights with neighbouring output channels side by side."""
    return np.ascontiguousarray(np.moveaxis(values, 0, -1))


def constants_of(
    rescaling: Rescaling, channels: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Multipliers and shifts in the form that functions of runtimes/core/rescaling.cl take."""
    match rescaling:
        case FixedPoint():
            multiplier, shift = rescaling.constants
        case Narrow():
            multiplier = np.frombuffer(rescaling.multipliers, np.int16).astype(np.int64)
            shift = np.frombuffer(rescaling.shifts, np.int8).astype(np.int64)
        case Singles():
            multiplier = rescaling.factors.view(np.uint32).astype(np.int64)
            shift = np.zeros(channels, np.int64)
        case Scales():
            scales = np.broadcast_to(rescaling.slope, channels)
            multiplier = np.ascontiguousarray(scales).view(np.int64)
            shift = np.zeros(channels, np.int64)
    return multiplier, shift.astype(np.int32)
