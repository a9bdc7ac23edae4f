"""Walks: what is known of the channels of y holds, whatever way y goes through x."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from opsmith.ir import Tensor
from opsmith.ir.types import i8
from opsmith.op import Example, NodeView, Op, Rename
from opsmith.op.channels import Range
from runtimes.families.walk import Walk, walk_through
from tests.each import for_each

WALKS = {
    "axes that are not those of y": ((8, 2), (2, 4), Walk(0, ((2, 5), (2, 2), (2, 1)))),
    "space to depth": ((1, 4, 4, 3), (1, 2, 2, 12),
        Walk(0, ((1, 48), (2, 24), (2, 6), (2, 12), (2, 3), (3, 1)))),
    "every other row, flat": ((6, 2), (6,), Walk(2, ((3, 4), (2, 1)))),
    "channels as they are": ((4, 3), (2, 3), Walk(3, ((2, 6), (3, 1)))),
    "one element": ((4,), (), Walk(2, ())),
}  # fmt: skip


@dataclass(frozen=True)
class Walked:
    """Node whose y takes a walk through x."""

    x: tuple[int, ...]
    y: tuple[int, ...]
    walk: Walk

    def op(self) -> Op:
        source, each = Rename("tflite.CUSTOM.Walked"), Example.of(x=self.x, y=self.y)
        return walk_through("walked", source, lambda _: self.walk, each)

    def view(self) -> NodeView:
        tensors = {"x": Tensor("x", "x", i8, self.x), "y": Tensor("y", "y", i8, self.y)}
        return NodeView("walked", "walked", tensors, {})

    def channels(self) -> set[tuple[int, int]]:
        """Channels of x and of y of each element, found one by one."""
        of, to = (shape[-1] if shape else 1 for shape in (self.x, self.y))
        return {(int(e) % of, i % to) for i, e in enumerate(self.walk.elements())}


def random_walk(seed: int) -> Walked:
    """Random walk of up to four axes, with positive, negative and zero strides; rows of y may end
    within axes.
    """
    random = np.random.default_rng(seed)
    rank, of = int(random.integers(0, 5)), int(random.integers(1, 5))
    sizes, steps = random.integers(1, 5, rank).tolist(), random.integers(-6, 13, rank).tolist()
    ends = [(size - 1) * step for size, step in zip(sizes, steps, strict=True)]
    first = int(random.integers(0, 6)) - sum(end for end in ends if end < 0)
    rows = -(-(first + sum(end for end in ends if end > 0) + 1) // of)
    count = math.prod(sizes)
    to = int(random.choice([each for each in range(1, count + 1) if count % each == 0]))
    walk = Walk(first, tuple(zip(sizes, steps, strict=True)))
    return Walked((rows, of), (count // to, to), walk)


CASES = {Walked(*each): name for name, each in WALKS.items()} | {
    random_walk(seed): f"seed {seed}" for seed in range(200)
}


@pytest.mark.slow
@for_each(*CASES, of=CASES.__getitem__)
def test_ranges_of_channels_are_those_of_their_elements(node: Walked) -> None:
    hook, pairs = node.op().hooks.channels.ranges, node.channels()
    assert hook is not None
    of = 1 + np.arange(node.x[-1], dtype=np.int64)
    (found,) = hook(node.view(), {"x": Range(-of, of * 2)})
    for channel, (low, high) in enumerate(zip(found.low, found.high, strict=True)):
        widest = max(1 + x for x, y in pairs if y == channel)
        assert (low, high) == (-widest, 2 * widest)


@pytest.mark.slow
@for_each(*CASES, of=CASES.__getitem__)
def test_live_channels_of_y_keep_the_channels_they_read(node: Walked) -> None:
    hook, pairs = node.op().hooks.channels.live, node.channels()
    assert hook is not None
    of, to = (shape[-1] if shape else 1 for shape in (node.x, node.y))
    for alive in range(to):
        given = {"x": np.zeros(of, np.bool_), "y": np.arange(to) == alive}
        live = hook(node.view(), given, {})
        assert live["y"][alive]
        assert all(live["x"][x] for x, y in pairs if live["y"][y])


def test_channels_that_stay_come_and_go_together() -> None:
    node = Walked(*WALKS["channels as they are"])
    hook = node.op().hooks.channels.live
    assert hook is not None
    given = {"x": np.zeros(3, np.bool_), "y": np.array([False, True, False])}
    live = hook(node.view(), given, {})
    assert live["x"].tolist() == live["y"].tolist() == [False, True, False]
