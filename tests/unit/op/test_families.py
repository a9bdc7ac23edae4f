"""Families: an op's own fields are besides those of its family; params and tables fit any x."""

import numpy as np
import pytest

from opsmith.ir import Tensor
from opsmith.ir.types import i8
from opsmith.op import Attribute, Channels, Example, Hooks, NodeView, Plan, Range, Ranges, Rename
from opsmith.op.params import Rows, by_name
from runtimes.families.reduction import Folding, reduction
from runtimes.families.take import TakeParams, TakeTables, taken
from runtimes.families.unary import unary

SOURCE = Rename("tflite.CUSTOM.Other")


def test_traits_of_a_function_are_besides_elementwise() -> None:
    assert unary("other", SOURCE, (), traits={"placeholder"}).traits == {
        "placeholder",
        "elementwise",
    }


def test_attributes_and_hooks_of_a_reduction_are_besides_its_own() -> None:
    def ranges(node: NodeView, ranges: Ranges) -> list[Range]:
        return [ranges[node["x"].id]]

    given = Hooks(channels=Channels(ranges=ranges))
    op = reduction("other", SOURCE, (), attributes=(Attribute("k", int),), hooks=given)
    assert [each.name for each in op.attributes] == ["keep_dims", "k"]
    assert set(op.hooks.given) == {"channels.live", "channels.ranges", "lines"}
    assert op.hooks.channels.ranges is ranges


def test_a_function_that_no_device_has_is_folded_all_the_same() -> None:
    variant = Folding(np.bitwise_and, lambda _: -1).variant(i8)
    assert [kernel.name for kernel in variant.kernels] == ["reference"]


@pytest.mark.parametrize(
    ("shape", "rows"), [((), Rows(1, 1)), ((3,), Rows(1, 3)), ((2, 4, 3), Rows(8, 3))]
)
def test_rows_of_x_are_along_its_last_axis(shape: tuple[int, ...], rows: Rows) -> None:
    node = NodeView("node", "other", {"x": Tensor("x", "x", i8, shape)}, {})
    assert by_name(Rows)(node) == rows


def test_what_is_taken_of_channels_needs_no_table_of_pixels() -> None:
    taken_of = (np.arange(1), np.arange(50), np.arange(90), np.array([2, 1, 0]))
    op = taken("other", SOURCE, lambda node: taken_of, Example.of(x=(1,)), (i8,))
    node = NodeView("node", "other", {"x": Tensor("x", "x", i8, (1, 50, 90, 3))}, {})
    plan = op.variants[0].kernels[-1].plan(node)
    assert isinstance(plan, Plan)
    assert plan.params == TakeParams((1, 1, 1, 1, 1, 50, 90, 3), row=1)
    assert callable(plan.tables)
    tables = plan.tables()
    assert isinstance(tables, TakeTables)
    assert tables.offsets.size == 5 + 50 + 90 + 3
