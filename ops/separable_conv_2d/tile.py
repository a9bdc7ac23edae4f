"""Tiles of a separable convolution, one for each group of work-items, and their cost.

Groups for other channels of the same pixels compute the depthwise part again: wide tiles repeat
less, and small ones keep more of the device busy.
"""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.depthwise import DEPTHWISE
from runtimes.gpu.dot import (
    CHANNELS,
    CHUNK,
    CHUNKS,
    DOT_COST,
    ENOUGH,
    MOST_COLUMNS,
    MOST_TEAMS,
    PLANES_COST,
    TEAM,
    best_tile,
)
from runtimes.gpu.layer_kernels import multiplied, weights_of
from runtimes.gpu.source import MOST_LOCAL

from .parts import depthwise, pointwise

STEP = CHUNK * CHUNKS  # inner channels that a team multiplies together
BUSY = ENOUGH * MOST_TEAMS * TEAM  # work-items that keep a large device busy


@dataclass(frozen=True)
class GroupTile:
    """Part of y that a group of work-items computes."""

    rows: int  # pixels
    columns: int  # channels of y, of a team
    teams: int  # of 32 work-items

    @property
    def across(self) -> int:
        """Number of channels of y in a tile."""
        return self.teams * self.columns

    @property
    def items(self) -> int:
        """Number of work-items of a group."""
        return self.teams * TEAM


@dataclass(frozen=True)
class Pair:
    """Sizes of both parts of a node, and the costs that their own kernels declare."""

    pixels: int
    inner: int  # channels
    channels: int  # of y
    depthwise_cost: float
    pointwise_cost: float

    @property
    def cost(self) -> float:
        """Cost of the node with its best tile."""
        return self._cost(self.tile)

    @property
    def steps(self) -> int:
        """Number of steps of 64 inner channels, the last of which is filled up."""
        return -(-self.inner // STEP)

    @property
    def pitch(self) -> int:
        """Bytes from one inner pixel to the next: an odd number of steps, so that neighbouring
        pixels begin in different banks of memory.
        """
        return (self.steps | 1) * STEP

    @property
    def tile(self) -> GroupTile:
        """Cheapest tile; of equally cheap tiles the quickest, which reads weights least often, with
        most work-items.
        """

        def key(tile: GroupTile) -> tuple[float, float, int, int, int]:
            seldom = (-tile.rows, -tile.columns, -tile.teams)
            return (self._cost(tile), self._busy(tile), *seldom)

        return min(self.tiles(), key=key)

    def tiles(self) -> Iterator[GroupTile]:
        """Tiles whose pixels and sums fit the memory of a group."""
        for rows in (8, 16):
            for columns in (8, 16, MOST_COLUMNS):
                for teams in range(1, min(MOST_TEAMS, -(-self.channels // columns)) + 1):
                    tile = GroupTile(rows, columns, teams)
                    if rows * (self.pitch + i32.size * tile.across) <= MOST_LOCAL:
                        yield tile

    def groups(self, tile: GroupTile) -> int:
        """Number of groups of this tile that compute a node."""
        return -(-self.pixels // tile.rows) * -(-self.channels // tile.across)

    def _cost(self, tile: GroupTile) -> float:
        """Cost of the fused launch, with the first part's recomputation, and with the time that the
        device is busier than in two launches.
        """
        again = -(-self.channels // tile.across)
        both = self.depthwise_cost + self.pointwise_cost
        longer = self._busy(tile) - self._busy_apart()
        return max(again * self.depthwise_cost + self.pointwise_cost, both + longer)

    def _busy(self, tile: GroupTile) -> float:
        """Time that groups of a tile take, as instructions that the device could do meanwhile."""
        windows = -(-tile.rows * self.inner // CHANNELS // tile.items)  # of a work-item
        sums = tile.rows * tile.columns / TEAM
        of_item = windows * self._of_window + sums * self._of_sum
        return of_item * max(self.groups(tile) * tile.items, BUSY)

    def _busy_apart(self) -> float:
        """Instructions of both parts by separate kernels, as dot.py plans them."""
        tile = best_tile(self.pixels, self.channels, self.steps)
        items = tile.groups(self.pixels, self.channels) * tile.teams * TEAM
        sums = tile.rows * tile.columns / TEAM / tile.parts
        windows = self.pixels * self.inner // CHANNELS
        return self._of_window * max(windows, BUSY) + sums * self._of_sum * max(items, BUSY)

    @property
    def _of_window(self) -> float:
        """Instructions for four inner channels of a pixel."""
        return self.depthwise_cost * CHANNELS / (self.pixels * self.inner)

    @property
    def _of_sum(self) -> float:
        """Instructions for an element of y."""
        return self.pointwise_cost / (self.pixels * self.channels)


def pair_of(node: NodeView) -> Pair:
    """Sizes and costs of a node."""
    batches, height, width, channels = node["y"].shape
    planes = multiplied(partial(weights_of, DEPTHWISE), PLANES_COST)
    points = multiplied(partial(weights_of, CONVOLUTION), DOT_COST)
    return Pair(
        batches * height * width,
        node["filter"].shape[3],
        channels,
        planes(depthwise(node)),
        points(pointwise(node)),
    )
