"""Tests that functions of a node are called once for each, whatever they are equal to."""

from dataclasses import dataclass, field

import numpy as np

from opsmith.op.view import NodeView


@dataclass  # equal to others, and without a hash
class Fact:
    kind: str
    value: int = field(compare=False)
    asked: int = field(default=0, compare=False)

    def __call__(self, node: NodeView) -> int:
        self.asked += 1
        return self.value

    def method(self, node: NodeView) -> int | None:
        self.asked += 1
        return None


def test_functions_that_are_equal_are_asked_each_once() -> None:
    node, one, other = NodeView("n", "op", {}, {}), Fact("sum", 1), Fact("sum", 2)
    assert one == other
    assert [node.once(each) for each in (one, other, one, other)] == [1, 2, 1, 2]
    assert (one.asked, other.asked) == (1, 1)


def test_a_method_is_asked_once_of_each_object_and_node() -> None:
    one, other = Fact("sum", 1), Fact("sum", 2)
    for node in (NodeView("n", "op", {}, {}), NodeView("n", "op", {}, {})):
        for each in (one, other, one, other):
            assert node.once(each.method) is None
    assert (one.asked, other.asked) == (2, 2)


def test_arrays_are_not_kept() -> None:
    node = NodeView("n", "op", {}, {})
    found = [node.once(lambda _: np.zeros(3)), node.once(lambda _: np.ones(3))]
    assert [array[0] for array in found] == [0, 1]
    assert not node._found
