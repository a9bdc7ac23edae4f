"""The benchmark of what instances gain: which nodes count, and what misleads."""

from typing import Any

import pytest

from tests.bench.gains import Gain, gains


def node(index: int, name: str, *, specialised: bool, kernel: str = "dsp") -> dict[str, Any]:
    """Node as in report.json."""
    return {
        "index": index,
        "name": name,
        "op": "conv_2d",
        "kernel": kernel,
        "specialised": specialised,
    }


def offer(gain: float, *nodes: str, what: str = "instance") -> dict[str, Any]:
    """Offer as in report.json."""
    return {"what": what, "nodes": list(nodes), "gain": gain}


def test_gains_are_of_nodes_that_have_a_kernel_in_both_forms() -> None:
    cheap = {
        "nodes": [
            node(0, "a", specialised=False),
            node(1, "b", specialised=False),
            node(2, "c", specialised=True),  # an instance already
            node(3, "d", specialised=False),
        ],
        "flash_offers": [
            offer(30, "a"),
            offer(50, "b"),
            offer(80, "a", "b"),  # both together
            offer(900, "d"),
            offer(700, "a", what="winograd"),
        ],
    }
    fast = {
        "nodes": [
            node(0, "a", specialised=True),
            node(1, "b", specialised=True),
            node(2, "c", specialised=True),
            node(3, "d", specialised=True, kernel="winograd"),
        ]
    }
    general = {0: 130, 1: 300, 2: 9, 3: 9}
    instances = {0: 100, 1: 200, 2: 9, 3: 5}
    (found,) = gains(general, cheap, instances, fast)
    assert found == Gain("conv_2d dsp", 2, 430, 300, 1.5, 80)
    assert found.measured == 130


@pytest.mark.parametrize(
    ("declared", "total", "misleads"),
    [(100, 1_000, False), (201, 1_000, True), (49, 1_000, True), (201, 20_000, False)],
)
def test_what_is_twice_or_half_misleads_where_it_matters(
    declared: float, total: int, misleads: bool
) -> None:
    assert Gain("conv_2d dsp", 1, 200, 100, 2.0, declared).misleads(total) is misleads
