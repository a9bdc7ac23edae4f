"""Kernels that call CMSIS-NN, where the user has it: scratch, constants, and for which cores.

The library tells by functions how much scratch it wants; what they answer depends on the core that
it was compiled for. They are computed again here, for the releases that runtime.toml accepts, since
memory is planned at build time (Source/*/arm_*_get_buffer_sizes_s8.c of CMSIS-NN).
"""

from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.op import *
from runtimes.core.per_channel import bias_of, channel_multipliers
from runtimes.families.convolution import FilterGeometry, filter_padding
from runtimes.families.layer import Layer, Quantized
from runtimes.families.window import Geometry

(LIBRARY,) = load_runtime("cmsis", SHIPPED).libraries

Cost = Callable[[NodeView], float]


@dataclass(frozen=True, kw_only=True)
class NnConvolution(Quantized, FilterGeometry):
    """Geometry, zero points and output limits of a convolution for CMSIS-NN."""


@dataclass(frozen=True, kw_only=True)
class NnDepthwise(Quantized, Geometry):
    """Geometry, zero points and output limits of a depthwise convolution for CMSIS-NN."""

    output_channels: int


@dataclass(frozen=True)
class NnTables:
    """Filter, and biases, multipliers and shifts with an entry for each output channel."""

    filter: NDArray[np.int8]  # as the model has it
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int32]  # power of two, left is positive


def nn_kernels(
    types: Mapping[str, DType],
    params: type,
    plan: Callable[..., Plan | Refused],  # of node and core
    costs: Mapping[str, Cost],
    tables: type | None = None,
    *,
    buffer: bool = False,
) -> tuple[KernelsFor, ...]:
    """Kernels of a variant that call CMSIS-NN, one for each kind of core, with scratch or not."""
    kernels = (
        Kernel(
            "cmsis_nn",
            params=params,
            plan=partial(plan, core=core),
            tables=tables,
            scratch={"buffer": i8} if buffer else {},
            requires={LIBRARY.name, core},
            excludes=frozenset(LIBRARY.cores[:place]),
            libraries=("cmsis-nn",),
            cost=costs[core],
        )
        for place, core in enumerate(LIBRARY.cores)
    )
    return (KernelsFor(types, tuple(kernels)),)


def nn_convolution(
    layer: Layer,
    params: type,
    refused: Callable[[NodeView], Refused | None],
    buffer: Callable[[NodeView, str], int],  # bytes, of node and core
    costs: Mapping[str, tuple[float, float]],
) -> tuple[KernelsFor, ...]:
    """CMSIS-NN kernels of a convolution or a depthwise convolution."""

    def plan(node: NodeView, core: str) -> Plan | Refused:
        return refused(node) or Plan(
            layer.params(params, node),
            partial(_tables, node),
            {"buffer": buffer(node, core)},
        )

    types = {"T": i8, layer.type_variable: i8, "B": i32}
    of_cores = {core: layer.cost(*cost) for core, cost in costs.items()}
    return nn_kernels(types, params, plan, of_cores, NnTables, buffer=True)


def _tables(node: NodeView) -> NnTables:
    multiplier, shift = channel_multipliers(node)
    return NnTables(node["filter"].data, bias_of(node), multiplier, shift.astype(np.int32))


def convolution_buffer(node: NodeView, core: str, size: tuple[int, ...] | None = None) -> int:
    """Scratch bytes of arm_convolve_wrapper_s8 for one group; `size` replaces the filter's size."""
    height, width, depth = node["filter"].shape[1:] if size is None else size
    a, elements = node.attributes, height * width * depth
    plain = a["dilation_width"] == 1 and a["dilation_height"] == 1
    padded = filter_padding(node, 1) or filter_padding(node, 2)
    if (height, width) == (1, 1) and plain and not padded:
        return 0
    if core != "mve":
        return 4 * (-(-elements // 4) * 4)  # two columns of int16
    row = node["x"].shape[1] == 1 and a["dilation_width"] == 1 and height == 1
    if row and a["stride_width"] * depth % 4 == 0:
        return _row_buffer(node, width, depth, 4 * (-(-elements // 16) * 16))
    return 4 * (-(-elements // 16) * 16)  # four columns of whole vectors


def _row_buffer(node: NodeView, width: int, depth: int, otherwise: int) -> int:
    """Scratch bytes with Helium for a filter of one row over an image of one row; `otherwise` for
    other images and filters.
    """
    stride, before, outputs = (
        node.attributes["stride_width"],
        filter_padding(node, 2),
        node["y"].shape[2],
    )
    total = (outputs - 1) * stride + width - node["x"].shape[2]
    odd = total - 2 * int(total / 2)  # C's remainder, which has the sign of the total
    right = max(1, int((before + odd + stride - 1) / stride)) if before + odd else 0
    left = max(1, (before + stride - 1) // stride) if before else 0
    if right + left + max(outputs - right - left, 0) != outputs:
        return otherwise
    beyond = right * depth if odd else before * depth
    return max(width * depth + before * depth, (width - 1) * depth + beyond)
