"""A rig believes a firmware only what its build says, and shows its words escaped."""

import json
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.oracle.numpy_runs import numpy_values
from opsmith.oracle.question import Question
from opsmith.rig import arrays
from opsmith.rig.build import Build, PortTensor
from opsmith.rig.protocol import Session
from opsmith.rig.result import result_text
from opsmith.rig.rig import Rig
from opsmith.text import escaped, excerpt
from tests.refusals import refusal
from tests.unit.rig.peer import SHA, Peer
from tests.unit.rig.results import compared

INPUTS = (
    PortTensor("x", "int8", (10,), 10, None, None),
    PortTensor("y", "int8", (3,), 3, None, None),
)
OUTPUTS = (PortTensor("z", "int8", (10,), 10, None, None),)
KEPT = {"offset": 8, "bytes": 4, "memory": "ram", "what": "the \x1b[2J of node 1"}
NODE = {"op": "add", "kernel": "k\n", "source": "operator 0", "keeps": [KEPT]}


def rig(folder: Path, peer: Peer, **changes: object) -> Rig:
    """Rig whose firmware is the peer."""
    (folder / "report.json").write_text(json.dumps({"nodes": [NODE, {"op": "add"}]}))
    build = Build(folder, folder / "firmware.elf", "b", SHA, INPUTS, OUTPUTS)
    return Rig(Build(**(vars(build) | changes)), Session(peer, clock=peer.clock), peer.title)


def test_a_rig_is_a_function_of_arrays(tmp_path: Path) -> None:
    inputs = arrays.seeded(INPUTS)
    (output,) = rig(tmp_path, Peer()).invoke(inputs)
    np.testing.assert_array_equal(output, ~inputs[0])


def test_a_write_out_of_bounds_is_reported_escaped(tmp_path: Path) -> None:
    peer = Peer()
    peer.overrun = "0 0"
    (problem,) = refusal(rig(tmp_path, peer).invoke, arrays.seeded(INPUTS)).problems
    assert problem.code == "RIG018"
    assert problem.what == (
        r"node 0, add by k\n (operator 0), changed bytes 8 to 11 of "
        r"the arena in ram, the \x1b[2J of node 1"
    )


@pytest.mark.parametrize("place", ["0 1", "1 0", "2 0", "4294967295 0", "-1 0", "x y", "0"])
def test_a_write_out_of_bounds_that_cannot_be_is_reported(tmp_path: Path, place: str) -> None:
    peer = Peer()
    peer.overrun = place
    with pytest.raises(ToolchainError, match="RIG010"):
        rig(tmp_path, peer).invoke(arrays.seeded(INPUTS))


@pytest.mark.parametrize(
    "changes", [{"model_sha256": "0" * 64}, {"inputs": INPUTS[:1]}, {"outputs": OUTPUTS * 2}]
)
def test_another_firmware_than_that_of_the_build_is_reported(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    with pytest.raises(ToolchainError, match="RIG010"):
        rig(tmp_path, Peer(), **changes)


@pytest.mark.parametrize("text", [None, "", "[]", '{"add": 3}', '{"add": {}}', "\\xff"])
def test_a_garbled_list_of_ops_is_reported(tmp_path: Path, text: str | None) -> None:
    used = tmp_path / "used_ops.json"
    if text is not None:
        used.write_text(text)
    with pytest.raises(ToolchainError, match="RIG001: used_ops.json cannot be read"):
        numpy_values(Question(tmp_path / "m.tflite", used, [], []))


def test_names_of_tensors_are_printed_escaped() -> None:
    tensor = PortTensor("\x1b[2J\u202e\n\udcff", "int8", (2,), 2, None, None)
    value = np.array([1, 2], np.int8)
    text = result_text(compared(tensor, value, -value))
    assert text.replace("\n", "").isprintable()
    assert text.count(r"\x1b[2J\u202e\n\udcff: ") == 2


def test_text_is_escaped_and_cut() -> None:
    assert escaped("é \x07\x9b\u2028\\") == r"é \x07\x9b\u2028" + "\\"
    assert excerpt(b"\xff\r\n\x1b[0m\n\n") == "\\xff\n\\x1b[0m"
    assert excerpt("x" * 999) == "x" * 200
