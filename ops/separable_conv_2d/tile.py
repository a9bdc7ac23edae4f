"""Tiles of a separable convolution, one for each group of work-items, and their cost.

Groups for other channels of the same pixels compute the depthwise part again: wide tiles repeat
less, and small ones keep more of the device busy.
"""

from functools import partial

from opsmith.op import *
from opsmith.runtimes.families.convolution import CONVOLUTION
from opsmith.runtimes.families.depthwise import DEPTHWISE
from opsmith.runtimes.gpu.dot import (
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
from opsmith.runtimes.gpu.layer_kernels import multiplied, weights_of
from opsmith.runtimes.gpu.source import MOST_LOCAL

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
        """Channels of y."""
        return self.teams * self.columns

    @property
    def items(self) -> int:
        """Work-items."""
        return self.teams * TEAM


@dataclass(frozen=True)
class Pair:
    """The sizes of both parts of a node, and what their kernels declare to take, apart."""

    pixels: int
    inner: int  # channels
    channels: int  # of y
    depthwise_cost: float
    pointwise_cost: float

    @property
    def cost(self) -> float:
        """Cost of the node, in its tiles."""
        return self._cost(self.tile)

    @property
    def steps(self) -> int:
        """Steps of 64 inner channels; the last one is filled up."""
        return -(-self.inner // STEP)

    @property
    def pitch(self) -> int:
        """Bytes from an inner pixel to the next: an odd number of steps, so that pixels next to
        each other begin in different banks of memory.
        """
        return (self.steps | 1) * STEP

    @property
    def tile(self) -> GroupTile:
        """The cheapest; of equal ones the quickest, which reads weights least often, by most
        work-items.
        """

        def key(tile: GroupTile) -> tuple[float, float, int, int, int]:
            seldom = (-tile.rows, -tile.columns, -tile.teams)
            return (self._cost(tile), self._busy(tile), *seldom)

        return min(self.tiles(), key=key)

    def tiles(self) -> Iterator[GroupTile]:
        """Tiles whose pixels and sums a group can share."""
        for rows in (8, 16):
            for columns in (8, 16, MOST_COLUMNS):
                for teams in range(1, min(MOST_TEAMS, -(-self.channels // columns)) + 1):
                    tile = GroupTile(rows, columns, teams)
                    if rows * (self.pitch + i32.size * tile.across) <= MOST_LOCAL:
                        yield tile

    def groups(self, tile: GroupTile) -> int:
        """Number of groups that compute a node."""
        return -(-self.pixels // tile.rows) * -(-self.channels // tile.across)

    def _cost(self, tile: GroupTile) -> float:
        """Cost of both parts, of which groups compute the first again; or with as much more as the
        device is busy for longer than apart.
        """
        again = -(-self.channels // tile.across)
        both = self.depthwise_cost + self.pointwise_cost
        longer = self._busy(tile) - self._busy_apart()
        return max(again * self.depthwise_cost + self.pointwise_cost, both + longer)

    def _busy(self, tile: GroupTile) -> float:
        """Time that groups of such tiles take, in instructions of a whole device meanwhile."""
        windows = -(-tile.rows * self.inner // CHANNELS // tile.items)  # of a work-item
        sums = tile.rows * tile.columns / TEAM
        of_item = windows * self._of_window + sums * self._of_sum
        return of_item * max(self.groups(tile) * tile.items, BUSY)

    def _busy_apart(self) -> float:
        """Instructions of both parts by kernels of their own, as dot.py plans them."""
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
    """The sizes and costs of a node."""
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
