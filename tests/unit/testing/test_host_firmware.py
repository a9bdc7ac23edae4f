"""Programs for this machine: a kept folder has the C++ of one program, not of those before it."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from opsmith.discover.discover import discover
from opsmith.ir.program import Program
from opsmith.op.examples import example_graphs
from opsmith.op.index import OpIndex
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.host_sources import write_sources
from tests.programs import compiled

ROOT = Path(__file__).resolve().parents[3]


def relu() -> tuple[Program, OpIndex]:
    ops = discover([ROOT / "ops" / "relu"])
    graph = example_graphs(ops["relu"])[0]
    return compiled(graph, ops), ops


@pytest.mark.slow
def test_what_an_earlier_program_alone_had_is_not_compiled(tmp_path: Path) -> None:
    program, ops = relu()
    write_sources(program, ops, tmp_path)
    made = sorted(tmp_path.rglob("*.cc"))
    earlier = tmp_path / program.graph.name / "queue" / "jobs.cc"
    earlier.parent.mkdir()
    earlier.write_text("#error\n", encoding="utf-8")
    write_sources(program, ops, tmp_path)
    assert made
    assert sorted(tmp_path.rglob("*.cc")) == made


@pytest.mark.slow
def test_undefined_behaviour_and_leaving_a_tensor_end_a_program_and_are_named(
    tmp_path: Path,
) -> None:
    program, ops = relu()
    (firmware,) = build_hosts([(program, ops)], ops, tmp_path, sanitize=True, guarded=True)
    inputs = [np.ones(tensor.shape, tensor.dtype.numpy) for tensor in firmware.inputs]
    assert len(firmware.run([inputs])) == 1
    source = tmp_path / program.graph.name / "nodes_relu.cc"
    right = source.read_text(encoding="utf-8")
    beyond = firmware.outputs[0].elements
    for wrong, said in {
        "static int step = 1 << 30; step += step;": "runtime error: signed integer overflow",
        f"out.y[{beyond}] = 0;": "use-after-poison",  # where another tensor may be
    }.items():
        text, count = re.subn(r"(void relu_0\([^{]*\) \{\n)", rf"\1  {wrong}\n", right)
        assert count == 1
        source.write_text(text, encoding="utf-8")
        subprocess.run(firmware.command, check=True)
        with pytest.raises(AssertionError, match=said):
            firmware.run([inputs])
