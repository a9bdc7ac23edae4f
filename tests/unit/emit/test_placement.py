"""Where the nodes of whole models run, and what crosses between the sides."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.device import Device
from opsmith.board.emitter import Emitter
from opsmith.emit.placement import placement
from opsmith.errors import ToolchainError
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.pipeline import Configuration
from opsmith.testing.changed_ops import with_kernels
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled
from tests.unit.stream_models import speech

DEVICE = Device(
    "gpu", launch_ns=1, border_ns=10, byte_ns=1, instruction_ns=0, cpu_instruction_ns=100
)
EMITTER = Emitter(Path("gpu/emitter.py"), ("calls.h",))


def on_device(*names: str) -> OpIndex:
    """Shipped ops, of which the named ones have their reference kernel on the device, too."""

    def again(kernels: tuple[Kernel, ...]) -> tuple[Kernel, ...]:
        return (*kernels[:-1], replace(kernels[-1], name="gpu", emitter=EMITTER), kernels[-1])

    ops = shipped_ops()
    for name in names:
        ops = with_kernels(ops, name, again)
    return ops


def placed(model: bytes, folder: Path, ops: OpIndex, **options: Any) -> Any:
    """Report of where the nodes of a model run that is compiled for the device."""
    configuration = Configuration(device=DEVICE)
    return placement(compiled(model, ops, configuration=configuration, **options), ops, DEVICE)


def between_sums(op: str) -> bytes:
    """Model of a sum, a node of the given op, and a sum of that node's output."""
    m = ModelWriter()
    x = m.input("x", (1, 6), "int8", 0.05, 0)
    shape = (2, 3) if op == "RESHAPE" else (1, 6)
    first = m.tensor("first", (1, 6), "int8", 0.1, 0)
    then, y = (m.tensor(name, shape, "int8", 0.1, 0) for name in ("then", "y"))
    m.node("ADD", [x, x], [first], version=2)
    if op == "RESHAPE":
        m.node(op, [first], [then], {"new_shape": [2, 3]})
    else:
        m.node(op, [first, first], [then], version=2)
    m.node("ADD", [then, then], [y], version=2)
    m.output(y)
    return m.bytes()


@pytest.mark.slow
def test_a_view_between_nodes_of_the_device_runs_nowhere_and_nothing_crosses(
    tmp_path: Path,
) -> None:
    found = placed(between_sums("RESHAPE"), tmp_path, on_device("add"))
    assert [node["side"] for node in found["nodes"]] == ["gpu", None, "gpu"]
    assert [border["before"] for border in found["borders"]] == [0, None]
    assert found["bytes"] == 6 + 6
    assert found["sides"] == {"cpu": {"nodes": 0, "ns": 0}, "gpu": {"nodes": 2, "ns": 2}}
    assert found["ns"] == 2 * 10 + (6 + 6) + 2 * 1


def test_a_node_of_the_processor_gets_what_it_reads_and_gives_it_back(tmp_path: Path) -> None:
    found = placed(between_sums("MUL"), tmp_path, on_device("add"))
    assert [node["side"] for node in found["nodes"]] == ["gpu", "cpu", "gpu"]
    assert [(each["before"], each["to"]) for each in found["borders"]] == [
        (0, "gpu"),
        (1, "cpu"),
        (2, "gpu"),
        (None, "cpu"),
    ]
    assert [each["tensors"][0]["reader"] for each in found["borders"]] == [
        "first",
        "then",
        "y",
        None,
    ]
    assert found["borders"][1]["why"] == "then runs on cpu: no kernel for gpu"
    assert found["borders"][3]["why"] == "the application reads the outputs"


@pytest.mark.slow
def test_what_the_device_requires_is_checked_once_views_are_known(tmp_path: Path) -> None:
    ops = on_device("add")
    found = placed(between_sums("RESHAPE"), tmp_path, ops, require_gpu=True)
    assert [node["why"] for node in found["nodes"]][::2] == ["require_gpu=1"] * 2
    with pytest.raises(ToolchainError, match="BLD036: then .mul. would run on the processor"):
        placed(between_sums("MUL"), tmp_path, ops, require_gpu=True)


@pytest.mark.slow
def test_streamed_nodes_of_the_device_have_borders_of_their_own(tmp_path: Path) -> None:
    found = placed(speech(), tmp_path, on_device("conv_2d"), stream="rows")
    nodes = found["sides"]["gpu"]["nodes"]
    assert nodes == 3
    assert len(found["borders"]) == 2 * nodes
    assert {border["why"] for border in found["borders"]} == {
        "with branches, loops or streams, each node on the device runs alone"
    }
