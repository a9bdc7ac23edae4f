"""Pairs of nodes that one launch computes: exact, without races, reported, only where wanted."""

import json
from pathlib import Path
from typing import Any

import pytest

from opsmith.oracle.litert import Reference
from opsmith.testing.firmware import products, scons
from opsmith.testing.inputs import seeded_inputs
from opsmith.tflite.cases import cases, merged_model
from runtimes.families.depthwise_cases import Depthwise
from runtimes.families.separable_cases import Separable, of
from runtimes.gpu import simulator
from tests.bench.gpu.figures import converted, listed_ops
from tests.conftest import NO_PACKAGES
from tests.gpu import pocl
from tests.gpu.opencl_board import OPENCL, build, run

pytestmark = [pytest.mark.system, pytest.mark.slow]
EXACT = "bit-exact with LiteRT: yes"
# A form of each kind: whole chunks and steps of inner channels and not, pixels of several images.
FORMS = cases(
    whole=Separable(of(64, 2, 5), channels=33, y_scale=2.0),
    rest=Separable(Depthwise((2, 5, 3, 20), stride=(2, 2), y_scale=0.3), channels=17),
    apart=Separable(Depthwise(multiplier=2)),
)
# More pixels and channels than a group takes, and several steps of inner channels.
LARGE = cases(
    many=Separable(of(32, 23, 19), channels=70, y_scale=1.0),
    several_blocks=Separable(of(128, 14, 15), channels=300, y_scale=4.0),
    deep=Separable(of(192, 6, 6), channels=24, y_scale=5.0),
)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Arguments of SCons for a model of pairs, all on the GPU."""
    model = tmp_path_factory.mktemp("fused") / "pairs.tflite"
    model.write_bytes(merged_model(FORMS))
    return (*OPENCL, f"model={model}", "require_gpu=1")


def report(pairs: tuple[str, ...], name: str) -> Any:
    """Content of NAME.json in the build's folder, or in that of a variant of the build."""
    folder = products(*pairs)
    (found,) = folder.parent.glob(f"{folder.name}*/{name}.json")
    return json.loads(found.read_text("utf-8"))


def node_of(made: Any, name: str) -> Any:
    """Entry of a node in a report."""
    return next(node for node in made["nodes"] if node["name"] == name)


def test_pairs_are_exact_without_races_and_the_report_tells_of_them(pairs: tuple[str, ...]) -> None:
    if absent := simulator.absent():
        pytest.skip(absent)
    with simulator.simulated(thorough=True):
        done = scons(*pairs, "run")
    assert EXACT in done.stdout, done.stdout + done.stderr
    folder = products(*pairs)
    made = json.loads((folder / "report.json").read_text("utf-8"))
    ops = ["separable_conv_2d", "separable_conv_2d", "depthwise_conv_2d", "conv_2d"]
    assert sorted(node["op"] for node in made["nodes"]) == sorted(ops)
    assert len(made["emitted"]["launches"]) == len(ops)
    whole, apart = (node_of(made, f"{name}_y") for name in ("whole", "apart"))
    fused = "in one launch: whole_inner_y (operator 0 (DEPTHWISE_CONV_2D)), "
    assert whole["remarks"] == [f"{fused}whole_y (operator 1 (CONV_2D))"]
    refused = "not in one launch with apart_inner_y (operator 4 (DEPTHWISE_CONV_2D)): "
    refused += "separable_conv_2d: depthwise channels are not one to one, in fours"
    assert apart["remarks"] == [refused]
    assert any(" in one launch, " in node["why"] for node in made["placement"]["nodes"])
    inner = [each["id"] for each in made["tensors"] if "inner" in each["id"]]
    assert inner == ["apart_inner_y"]
    assert "separable_conv_2d" in (folder / "placement.dot").read_text("utf-8")


@pytest.mark.parametrize(("options", "why"), [
    (["--affinity=*:gpu,whole_inner_y:cpu"], "whole_inner_y runs on cpu"),
    (["--affinity=*:gpu,whole_y:cpu"], "whole_y runs on cpu"),
    (["--affinity=*:gpu", "--prefer=gpu_planes"], "prefer= names gpu_planes"),
])  # fmt: skip
def test_a_pair_is_apart_where_the_user_wants_a_kernel_or_a_side(
    options: list[str], why: str, tmp_path: Path
) -> None:
    model = tmp_path / "pairs.tflite"
    model.write_bytes(merged_model(FORMS))
    made = converted(tmp_path / "made", listed_ops(model, tmp_path), "host_gpu", "gpu", *options)
    node = node_of(made, "whole_y")
    assert node["op"] == "conv_2d"
    assert node["remarks"][-1].endswith(f": {why}")


@pytest.mark.few(0)  # as run does above
def test_crosscheck_and_profile_see_a_pair_as_one_node(pairs: tuple[str, ...]) -> None:
    if absent := simulator.absent():
        pytest.skip(absent)
    with simulator.simulated():
        done = scons(*pairs, "crosscheck", "profile")
    assert "every node is within atol=0 rtol=0: yes" in done.stdout, done.stdout + done.stderr
    check, seen = report(pairs, "crosscheck"), report(pairs, "profile")
    compared = {each["name"] for each in check["tensors"]}
    assert {"whole/y", "apart/y"} < compared
    assert "whole/inner_y" not in compared
    assert "apart/inner_y" in compared
    assert node_of(seen, "whole_y")["op"] == "separable_conv_2d"


@pytest.mark.few(0)
def test_large_pairs_are_exact_on_pocl(tmp_path: Path) -> None:
    if missing := pocl.absent():
        pytest.skip(f"{NO_PACKAGES}: {missing}")
    model = tmp_path / "large.tflite"
    model.write_bytes(merged_model(LARGE))
    reference = Reference(model)
    sets = seeded_inputs(reference.inputs, 2)
    firmware = build(model, tmp_path, affinity="*:gpu")
    made = json.loads((firmware / "report.json").read_text("utf-8"))
    assert [node["op"] for node in made["nodes"]] == ["separable_conv_2d"] * len(LARGE)
    with pocl.on_pocl(tmp_path, optimised=False):
        answers = run(firmware, sets)
    for given, outputs in zip(sets, answers, strict=True):
        for wanted, got in zip(reference.run(given), outputs, strict=True):
            assert wanted.tobytes() == got.tobytes()
