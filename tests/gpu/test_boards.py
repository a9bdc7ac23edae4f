"""Each board's own figures decide where nodes run."""

from pathlib import Path
from typing import Any

import pytest

from opsmith.report.placement import placement_lines
from tests.bench.gpu.figures import converted, listed_ops, written_network

pytestmark = pytest.mark.slow  # half a second and more for each conversion


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Arguments for conversions of MobileNetV1."""
    folder = tmp_path_factory.mktemp("boards")
    return listed_ops(written_network(folder), folder)


def placed(given: list[str], board: str, folder: Path, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = converted(folder / board, given, board, "gpu", *more)
    return found


def test_where_the_gpu_is_slow_all_of_a_network_stays_on_the_cpu(
    given: list[str], tmp_path: Path
) -> None:
    model = placed(given, "raspberry_pi_5", tmp_path)
    sides = model["placement"]["sides"]
    assert (sides["cpu"]["nodes"], sides["gpu"]["nodes"]) == (30, 0)
    assert placement_lines(model)[-1].startswith("  nothing runs on gpu, which would take longer")
    there = placed(given, "raspberry_pi_5", tmp_path, "--affinity=*:gpu")["placement"]
    assert there["ns"] / model["placement"]["ns"] > 16


@pytest.mark.parametrize(("board", "pairs", "on_cpu"), [
    ("rk3588", 4, []),
    ("jetson_orin", 4, []),
    ("host_gpu", 7, ["softmax"]),  # the last node, faster there than a launch
])  # fmt: skip
def test_where_the_gpu_is_fast_a_network_runs_there(
    given: list[str], tmp_path: Path, board: str, pairs: int, on_cpu: list[str]
) -> None:
    model = placed(given, board, tmp_path)
    sides = model["placement"]["sides"]
    assert sides["gpu"]["nodes"] == 30 - pairs - len(on_cpu)
    there = {each["name"] for each in model["placement"]["nodes"] if each["side"] == "cpu"}
    assert [node["op"] for node in model["nodes"] if node["name"] in there] == on_cpu
    calls = (tmp_path / board / "gpu/calls.cc").read_text("utf-8")
    assert ("kernels.cl" in calls) == (board != "jetson_orin")  # which has no OpenCL
    assert ("kernels.ptx" in calls) == (board != "rk3588")
    assert "nothing runs" not in placement_lines(model)[-1]
