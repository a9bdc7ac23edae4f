"""The benchmark of what kernels save: nodes, cycles and lines of those that a model gets."""

import pytest

from tests.bench.kernels import savings, table
from tests.system.project import convolutions

pytestmark = pytest.mark.slow


def test_a_kernel_saves_what_the_next_best_would_take() -> None:
    found = savings({"m": convolutions(layers=2, channels=16)}, ["m3", "m4f"])
    used = {name: each for name, each in found.items() if each.nodes}
    assert {name[1]: each.nodes for name, each in used.items()} == {"plain": 2, "dsp": 2}
    assert used["ops/conv_2d/i8/dsp.h", "dsp"].cycles["m4f"] > 0
    assert not any(each.unknown for each in used.values())
    head, first, *_, last = table(found)
    assert head.split()[:2] == ["kernel", "lines"]
    assert first.split()[1] in ("plain", "dsp")
    assert last.endswith(f"{len(found)} kernels, of which {len(found) - 2} are chosen for no node")
