"""Faster kernels of int8 layers on a GPU: dot products of four inputs; planes of one channel."""

from opsmith.op import *
from opsmith.op.params import of_facts, part_of
from runtimes.core.per_channel import bias_of
from runtimes.families.convolution import FilterGeometry
from runtimes.families.layer import ELEMENT_FACTS, Quantized
from runtimes.families.window import Geometry
from runtimes.gpu.kernel import gpu_kernel, items
from runtimes.gpu.layer_kernels import KINDS, NodeWeights, Rescaling, constants_of, multiplied

GROUP = 128  # work-items
CHANNELS = 4  # of a work-item
ENOUGH = 128  # groups that keep a large device busy
MOST_TEAMS = 8  # of a group
MOST_COLUMNS = 32  # of a tile
TEAM = 32  # work-items that make a tile together
CHUNK = 16  # inputs of a window that are multiplied together
CHUNKS = 4  # of a step of a team
DOT_COST = 0.5  # instructions for each multiplication
PLANES_COST = 3.0


@dataclass(frozen=True)
class Tile:
    """Division of a work-group's outputs, and of each sum, between teams of work-items."""

    teams: int  # of 32 work-items
    parts: int  # of a sum, each a team's; as many teams make one tile
    rows: int  # pixels of a tile
    columns: int  # channels of a tile
    wide: int  # channels that a work-item makes by itself, where it does

    def groups(self, pixels: int, channels: int) -> int:
        """Number of groups that compute a layer."""
        rows = self.rows * (self.teams // self.parts)
        return -(-pixels // rows) * -(-channels // self.columns)


@dataclass(frozen=True, kw_only=True)
class DotParams(Quantized, FilterGeometry):
    """Geometry of filters, tiles of work-groups, and the rescaling of sums."""

    rescaling: int  # as enum Rescaling of runtimes/core/rescaling.cl
    inside: bool  # no window leaves its image
    chunks: int  # of 16 inputs, of a row of a window
    window_chunks: int
    steps: int  # of four chunks, of a window
    filled_channels: int  # whole tiles of them
    teams: int  # as in Tile
    parts: int
    rows: int
    columns: int
    wide: int


@dataclass(frozen=True)
class DotTables:
    """Weights, and biases, multipliers and shifts with an entry per output channel."""

    weights: NDArray[np.int8]  # [steps][filled channels][4][16]
    bias: NDArray[np.int32]  # with what the zero point of x adds
    multiplier: NDArray[np.int64]  # as runtimes/core/rescaling.cl takes it
    shift: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class PlanesParams(Quantized, Geometry):
    """Geometry of filters, zero points, bounds of y, and the rescaling of sums."""

    rescaling: int  # as enum Rescaling of runtimes/core/rescaling.cl


@dataclass(frozen=True)
class PlanesTables:
    """Weights, and biases, multipliers and shifts with an entry per channel."""

    weights: NDArray[np.int8]  # [taps / 4][channels][4], of rows of columns
    bias: NDArray[np.int32]  # with what the zero point of x adds
    multiplier: NDArray[np.int32]
    shift: NDArray[np.int32]


def dot_kernels(
    weights: Callable[[NodeView], NodeWeights], rescaling: Callable[[NodeView], Rescaling]
) -> tuple[Kernel, ...]:
    """Kernels for pixels of a multiple of sixteen channels, of four, or any number."""
    forms = (("gpu_dot16", 16, "int4"), ("gpu_dot4", 4, "int"), ("gpu_dot1", 1, "int8_t"))
    return tuple(_dot_kernel(weights, rescaling, *form) for form in forms)


def _dot_kernel(
    weights: Callable[[NodeView], NodeWeights],
    rescaling: Callable[[NodeView], Rescaling],
    name: str,
    size: int,
    word: str,
) -> Kernel:
    def plan(node: NodeView) -> Plan | Refused:
        found = weights(node)
        filters = found.filters
        if refused := _refused(found, node):
            return refused
        if filters.filter_channels % size:
            return Refused(f"{filters.filter_channels} channels, not a multiple of {size}")
        chunks = -(-filters.filter_width * filters.filter_channels // CHUNK)
        steps = -(-filters.filter_height * chunks // CHUNKS)
        pixels = filters.batches * filters.output_height * filters.output_width
        tile = best_tile(pixels, filters.output_channels, steps)
        filled = -(-filters.output_channels // tile.columns) * tile.columns
        params = of_facts(
            DotParams,
            node,
            ELEMENT_FACTS,
            **part_of(FilterGeometry, filters),
            rescaling=KINDS[type(rescaling(node))],
            inside=_stays_inside(filters),
            chunks=chunks,
            window_chunks=filters.filter_height * chunks,
            steps=steps,
            filled_channels=filled,
            **vars(tile),
        )

        group = tile.teams * TEAM
        count = tile.groups(pixels, filters.output_channels) * group
        sums = tile.teams * tile.rows * tile.columns
        tables = partial(dot_tables, node, found, rescaling(node), steps, filled)
        return Plan(params, tables, work=Work((count,), (group,), {"sums": (i32, sums)}))

    return gpu_kernel(
        DotParams,
        plan,
        DotTables,
        name,
        header="runtimes/gpu/dot.cl",
        function="dot_layer",
        arguments=("p", "in", "out", "tables", "local_memory"),
        defines={"BYTES": str(size), "WORD": word},
        numerics=ANY_RULE,
        cost=multiplied(weights, DOT_COST if size > 1 else 2.0),
    )


def dot_tables(
    node: NodeView, found: NodeWeights, rescaling: Rescaling, steps: int, filled: int
) -> DotTables:
    """Constants of a node; weights of zero fill the channels up to `filled`."""
    filters = found.filters
    rows = found.values.reshape(filters.output_channels, filters.filter_height, -1)
    filling = (0, -rows.shape[-1] % CHUNK)
    flat = np.pad(rows, ((0, filled - len(rows)), (0, 0), filling)).reshape(filled, -1)
    flat = np.pad(flat, ((0, 0), (0, steps * CHUNKS * CHUNK - flat.shape[-1])))
    by_step = flat.reshape(filled, steps, CHUNKS * CHUNK).transpose(1, 0, 2)
    constants = constants_of(rescaling, filters.output_channels)
    bias = _folded(node, rows.reshape(len(rows), -1))
    return DotTables(np.ascontiguousarray(by_step), bias, *constants)


def best_tile(pixels: int, channels: int, steps: int) -> Tile:
    """Small tiles where a layer has many, else larger tiles whose sums teams share."""
    if pixels == 1:
        tile = Tile(MOST_TEAMS, 1, 1, MOST_COLUMNS, 1)
    else:
        columns = next(n for n in (8, 16, MOST_COLUMNS) if n >= min(channels, MOST_COLUMNS))
        tile = Tile(MOST_TEAMS // 2, 1, 8, columns, CHANNELS)
        if tile.groups(pixels, channels) < ENOUGH:
            tile = Tile(MOST_TEAMS, 1, 8 if pixels <= 8 else 16, columns, CHANNELS)
    while tile.groups(pixels, channels) < ENOUGH and tile.parts < min(steps, tile.teams):
        tile = replace(tile, parts=2 * tile.parts)
    while tile.teams > tile.parts and tile.rows * (tile.teams // tile.parts // 2) >= pixels:
        tile = replace(tile, teams=tile.teams // 2)
    return tile


def _stays_inside(filters: Geometry) -> bool:
    return all(
        axis.padding == 0
        and (axis.output - 1) * axis.stride + (axis.window - 1) * axis.dilation < axis.size
        for axis in filters.axes
    )


def planes_kernel(
    weights: Callable[[NodeView], NodeWeights], rescaling: Callable[[NodeView], Rescaling]
) -> Kernel:
    """Kernel of depthwise convolutions, one filter per channel, in groups of four channels."""

    def plan(node: NodeView) -> Plan | Refused:
        found = weights(node)
        filters = found.filters
        if found.zero_point or node["x"].dtype.size > 1 or found.values.dtype != np.int8:
            return Refused("not of int8 by symmetric weights")
        if problem := planes_problem(filters):
            return Refused(problem)
        kind = KINDS[type(rescaling(node))]
        window = part_of(Geometry, filters)
        params = of_facts(PlanesParams, node, ELEMENT_FACTS, rescaling=kind, **window)
        tables = partial(planes_tables, node, found, rescaling(node))
        outputs = node["y"].elements // CHANNELS
        return Plan(params, tables, work=items(outputs, GROUP))

    return gpu_kernel(
        PlanesParams,
        plan,
        PlanesTables,
        "gpu_planes",
        header="runtimes/gpu/planes.cl",
        function="planes",
        arguments=("p", "in", "out", "tables"),
        numerics=ANY_RULE,
        cost=multiplied(weights, PLANES_COST),
    )


def planes_problem(filters: FilterGeometry) -> str:
    """Reason why channels cannot be computed in fours, each by its own filter, or ""."""
    inputs, outputs = filters.input_channels, filters.output_channels
    fits = outputs == inputs and outputs % CHANNELS == 0
    return "" if fits else "channels are not one to one, in fours"


def planes_tables(node: NodeView, found: NodeWeights, rescaling: Rescaling) -> PlanesTables:
    """Constants of a node's depthwise filters."""
    rows = found.values.reshape(found.filters.output_channels, -1)
    multiplier, shift = constants_of(rescaling, found.filters.output_channels)
    taps = np.pad(rows, ((0, 0), (0, -rows.shape[1] % 4)))
    by_tap = np.ascontiguousarray(taps.reshape(len(rows), -1, 4).transpose(1, 0, 2))
    return PlanesTables(by_tap, _folded(node, rows), multiplier.astype(np.int32), shift)


def _folded(node: NodeView, rows: Array) -> NDArray[np.int32]:
    """Biases less the zero point of x times each row of weights; they wrap at 32 bits."""
    sums = rows.sum(axis=1, dtype=np.int64)
    folded = bias_of(node).astype(np.int64) - node["x"].zero_point * sums
    return np.asarray(folded.astype(np.int32))


def _refused(found: NodeWeights, node: NodeView) -> Refused | None:
    if found.zero_point or found.values.dtype != np.int8 or node["x"].dtype.size > 1:
        return Refused("not of int8 by symmetric weights")
    spread = (found.filters.spacing_height, found.filters.spacing_width) != (1, 1)
    grouped = found.filters.filter_channels != found.filters.input_channels
    return Refused("several groups, or spread pixels") if spread or grouped else None
