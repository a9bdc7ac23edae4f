"""Kernel of SeparableConv2D for GPUs, planes_and_dot of runtimes/gpu/dot.cl.

A group of work-items computes the depthwise part of a few pixels into its shared memory, and
multiplies these by weights of some output channels.
"""

from opsmith.op import *
from opsmith.op.params import part_of
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.window import Geometry
from runtimes.gpu.dot import CHANNELS, CHUNK, DotTables, dot_tables, planes_problem, planes_tables
from runtimes.gpu.kernel import gpu_kernel
from runtimes.gpu.layer_kernels import KINDS, weights_of

from .parts import depthwise, pointwise
from .tile import pair_of


@dataclass(frozen=True, kw_only=True)
class Params(Geometry):
    """Geometry of the depthwise filters, requantisation of both parts, and the tile."""

    input_zero_point: int
    inner_zero_point: int
    inner_min: int
    inner_max: int
    output_channels: int
    output_zero_point: int
    activation_min: int
    activation_max: int
    rescaling: int  # as enum Rescaling of runtimes/core/rescaling.cl
    inner_rescaling: int  # likewise
    pitch: int  # bytes from an inner pixel to the next
    window_chunks: int  # of 16 inner channels, of a pixel
    steps: int  # of four chunks
    filled_channels: int  # of y, in whole tiles
    parts: int  # of a sum that teams share: none do
    wide: int  # channels of y that a work-item makes by itself, where it does
    rows: int  # as in Tile
    columns: int
    teams: int


@dataclass(frozen=True)
class Tables(DotTables):
    """Constants of the pointwise part, and of the depthwise part as in PlanesTables."""

    plane_weights: NDArray[np.int8]
    plane_bias: NDArray[np.int32]
    plane_multiplier: NDArray[np.int32]
    plane_shift: NDArray[np.int32]


def problem(node: NodeView) -> str:
    """Reason against a node, or ""."""
    if found := planes_problem(weights_of(DEPTHWISE, depthwise(node)).filters):
        return f"depthwise {found}"
    pair = pair_of(node)
    return "" if any(pair.tiles()) else f"{pair.inner:,} inner channels are too many to share"


def cost(node: NodeView) -> float:
    """Cost of both parts in one launch."""
    return pair_of(node).cost


def plan(node: NodeView) -> Plan:
    """Plan with the best tile, and the constants of both parts."""
    planes, points, pair = depthwise(node), pointwise(node), pair_of(node)
    of_planes, of_points = weights_of(DEPTHWISE, planes), weights_of(CONVOLUTION, points)
    rescaling, tile = CONVOLUTION.rescaling(points), pair.tile
    (inner_min, inner_max), (least, most) = clamp_range(planes), clamp_range(points)
    params = Params(
        **part_of(Geometry, of_planes.filters),
        input_zero_point=node["x"].zero_point,
        inner_zero_point=planes["y"].zero_point,
        inner_min=inner_min,
        inner_max=inner_max,
        output_channels=pair.channels,
        output_zero_point=node["y"].zero_point,
        activation_min=least,
        activation_max=most,
        rescaling=KINDS[type(rescaling)],
        inner_rescaling=KINDS[type(DEPTHWISE.rescaling(planes))],
        pitch=pair.pitch,
        window_chunks=-(-pair.inner // CHUNK),
        steps=pair.steps,
        filled_channels=-(-pair.channels // tile.across) * tile.across,
        parts=1,
        wide=CHANNELS,
        **vars(tile),
    )

    def tables() -> Tables:
        dot = dot_tables(points, of_points, rescaling, params.steps, params.filled_channels)
        plane = planes_tables(planes, of_planes, DEPTHWISE.rescaling(planes))
        return Tables(**vars(dot), **{f"plane_{name}": each for name, each in vars(plane).items()})

    local = {"tile": (i8, tile.rows * pair.pitch), "sums": (i32, tile.rows * tile.across)}
    return Plan(params, tables, work=Work((pair.groups(tile) * tile.items,), (tile.items,), local))


GPU = gpu_kernel(
    Params,
    refusing(plan, problem),
    Tables,
    header="runtimes/gpu/dot.cl",
    function="planes_and_dot",
    arguments=("p", "in", "out", "tables", "local_memory"),
    numerics=ANY_RULE,
    defines={"PLANES": "", "DotParams": Params.__name__, "DotTables": Tables.__name__},
    cost=cost,
)
KERNELS = (GPU,)
