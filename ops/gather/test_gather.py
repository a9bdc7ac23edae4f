"""Gather: every type and axis, with known and computed indices."""

from typing import Any

import numpy as np
import pytest

from opsmith.ir import Array
from opsmith.testing.op_cases import check_on_host
from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.indices_cases import Build, Shape, looking_up
from runtimes.families.movement_cases import Given, moving

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "float32")
BATCHES = ((0, 2), (1, 1))


def gather(
    x: Shape, indices: object, y: Shape, axis: int = 0, batch_dims: int = 0, **others: Any
) -> Build:
    """GATHER to build."""
    options = {"axis": axis, "batch_dims": batch_dims}
    return looking_up("GATHER", x, indices, y, options, **others)


class TestGather(OpTests):
    cases = (
        *(Case(t, gather((4, 5), (2, 0), (2, 5), computed=True, dtype=t)) for t in TYPES),
        *(
            Case(f"{t}_{index}", gather((4, 5), (2, 0), (2, 5), dtype=t, index_type=index))
            for t in TYPES
            for index in ("int64", "int16")
        ),
        Case("int64_computed", gather((5,), (3, 0, 1), (3,), computed=True, index_type="int64")),
        Case("int16_computed", gather((5,), (3, 0, 1), (3,), computed=True, index_type="int16")),
        Case("known", gather((2, 4, 3), (3, 3, 1, 0), (2, 4, 3), 1)),
        Case("columns", gather((3, 37), (36, 0, 5), (3, 3), -1, computed=False)),
        Case("table", gather((3, 4, 2), ((1, 0), (2, 3)), (3, 2, 2, 2), 1)),
        Case("scalar", gather((3, 4), 1, (4,), computed=True)),
        Case("batches", gather((2, 3, 4), BATCHES, (2, 2, 4), 1, 1)),
        Case("batches_computed", gather((2, 3, 4), BATCHES, (2, 3, 2), 2, 1, computed=True)),
        Case("batches_from_behind", gather((2, 3, 4), BATCHES, (2, 2, 4), 1, -1)),
        Case("one_element", gather((1,), (0,), (1,))),
        Case("other_scale", gather((4,), (0,), (1,), y_scale=0.25)),
    )
    rejected = (
        refused("negative", gather((4,), (-1, 0), (2,)), "indices [-1] are no positions"),
        refused("beyond", gather((4,), (0, 4), (2,)), "indices [4] are no positions"),
        refused("axis", gather((4,), (0,), (1,), 1), "x i8[4] has no axis 1"),
        refused("batches", gather((4,), (0,), (1,), 0, 1), "batch_dims 1 does not fit axis 0"),
        refused("sizes", gather((3, 4), BATCHES, (3, 2), 1, 1), "differ in their 1 batch_dims"),
    )

    @pytest.mark.slow
    def test_indices_beyond_the_axis_lead_to_its_ends(self) -> None:
        """Checks that firmware takes the nearest position; LiteRT fails, which firmware cannot."""
        x = np.arange(20, dtype=np.int8).reshape(4, 5)
        anywhere = (-(2**31), -1, 0, 3, 4, 2**31 - 1)
        wide = (-(2**40), -1, 0, 3, 4, 2**32 + 1)
        values: list[Array] = [x, np.array(anywhere, np.int32), x, np.array(wide, np.int64)]
        given: list[Given] = [{"x": x.shape, "indices": each} for each in values[1::2]]
        builds = [moving("GATHER", each, [(6, 5)], {"axis": 0}, known=False) for each in given]
        cases = [Case(f"gather_{i}", build) for i, build in enumerate(builds)]
        check_on_host(self.folder, cases, oracle="numpy", sets=[values])
        for build, inputs in zip(builds, (values[:2], values[2:]), strict=True):
            (taken,) = self.in_numpy(build).run(inputs)
            assert taken[:, 0].tolist() == [0, 0, 0, 15, 15, 15]
