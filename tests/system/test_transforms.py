"""A transformed model on a board whose kernels need the DSP extension: bytes are LiteRT's."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.litert import Reference
from opsmith.testing.firmware import build, run
from opsmith.testing.inputs import seeded_inputs
from opsmith.tflite.writer import ModelWriter
from tests.unit.transform.test_fold_borders import BORDERED
from tests.unit.transform.test_remove_channels import NETWORKS, add_networks
from tests.unit.transform.test_tabulate import Drawn

pytestmark = [pytest.mark.system, pytest.mark.qemu]


def test_firmware_answers_as_litert(tmp_path: Path) -> None:
    """All nodes that take borders in, nodes that do not, networks with channels to remove, and
    functions that become tables.
    """
    m = ModelWriter()
    for case in BORDERED:
        case.build(m)
    add_networks(m, NETWORKS)
    for dtype in ("int8", "uint8"):
        m.output(Drawn(5, dtype, m).draw(5))
    path = tmp_path / "transformed.tflite"
    path.write_bytes(m.bytes())
    reference = Reference(path)
    sets = seeded_inputs(reference.inputs, 3)
    results = run(build("mps2_an386", path, tmp_path), "mps2_an386", sets)
    for got, inputs in zip(results, sets, strict=True):
        for mine, wanted in zip(got, reference.run(inputs), strict=True):
            np.testing.assert_array_equal(mine, wanted)
