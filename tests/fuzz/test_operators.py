"""Random graphs have every operator that an op claims, but for those that are named here."""

import pytest

from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.graphs.schedule import KINDS

BESIDE = {  # operators that come with nodes of another kind
    "ASSIGN_VARIABLE": "VAR_HANDLE",
    "READ_VARIABLE": "VAR_HANDLE",
    "RFFT2D": "COMPLEX_ABS",
}
OF_READERS = ("CUSTOM.Opsmith", "onnx.", "aten.")  # readers of formats write them; LiteRT has none
EXAMPLES = {"CUSTOM.MyTopK"}  # of how a custom operator becomes an op, here top_k


@pytest.mark.slow
def test_random_graphs_have_every_operator() -> None:
    made, left = {kind.op for kind in KINDS}, set()
    for name, each in shipped_ops().by_name.items():
        for source in (rename.source.removeprefix("tflite.") for rename in each.op.legalize):
            if not {source, name, BESIDE.get(source)} & made and not source.startswith(OF_READERS):
                left.add(source)
    assert left == EXAMPLES
    assert {*BESIDE.values()} <= made
