"""Tests of transformed models on a board whose kernels need the DSP extension: bytes are
LiteRT's.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.litert import Reference
from opsmith.testing.firmware import build, run
from opsmith.testing.inputs import seeded_inputs
from opsmith.tflite.writer import ModelWriter
from tests.unit.transform.test_fold_borders import BORDERED
from tests.unit.transform.test_remove_channels import NETWORKS, merged

pytestmark = [pytest.mark.system, pytest.mark.qemu]


def borders() -> bytes:
    """Model of all nodes that take borders in, and of nodes that do not."""
    m = ModelWriter()
    for case in BORDERED:
        case.build(m)
    return m.bytes()


def channels() -> bytes:
    """Model of all networks with channels to remove."""
    return merged(NETWORKS)


@pytest.mark.parametrize("model", [borders, channels])
def test_firmware_answers_as_litert(model: Callable[[], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"{model.__name__}.tflite"
    path.write_bytes(model())
    reference = Reference(path)
    sets = seeded_inputs(reference.inputs, 3)
    results = run(build("mps2_an386", path, tmp_path), "mps2_an386", sets)
    for got, inputs in zip(results, sets, strict=True):
        for mine, wanted in zip(got, reference.run(inputs), strict=True):
            np.testing.assert_array_equal(mine, wanted)
