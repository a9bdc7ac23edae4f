"""Kernels named `single` need consent, and stay within the bounds that the report states."""

import re
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir.program import Program
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration
from opsmith.select.choice import Preferences
from opsmith.testing.differences import assert_equal
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model
from runtimes.families.unary_cases import of_float
from tests.programs import compiled

ELEMENTS = 4096
FUNCTIONS = ("COS", "EXP", "LOG", "LOGISTIC", "SIN")


def preferring(content: bytes, prefer: str) -> Program:
    configuration = Configuration(preferences=Preferences(prefer))
    return compiled(legal(content, shipped_ops()), configuration=configuration)


def test_they_are_not_taken_without_consent() -> None:
    program = preferring(merged_model([Case(f, of_float(f)) for f in FUNCTIONS]), "")
    assert {node.kernel.name for node in program.graph.nodes if node.kernel} == {"reference"}


@pytest.mark.slow
def test_they_stay_within_their_bounds(tmp_path: Path) -> None:
    content = merged_model([Case(f, of_float(f, shape=(ELEMENTS,))) for f in FUNCTIONS])
    program = preferring(content, "single")
    rng = np.random.default_rng(13)
    sets = [rng.integers(0, 2**32, ELEMENTS, np.uint32).view(np.float32)]
    sets += [rng.normal(0, by, ELEMENTS).astype(np.float32) for by in (0.1, 1, 10, 50, 1e5)]
    inputs = [[values] * len(FUNCTIONS) for values in sets]
    (firmware,) = build_hosts([(program, shipped_ops())], shipped_ops(), tmp_path, sanitize=True)
    litert = Reference(content)
    results, wanted = firmware.run(inputs), [litert.run(each) for each in inputs]
    for number, (node, detail) in enumerate(zip(program.graph.nodes, litert.outputs, strict=True)):
        (remark,) = node.remarks
        stated = re.fullmatch(r"NOT EXACT: single .* up to (\d+) units? in the last place", remark)
        assert stated, remark
        of_node = [[each[number]] for each in results], [[each[number]] for each in wanted]
        assert_equal(node.op, [detail], *of_node, int(stated[1]))
        with pytest.raises(AssertionError):  # else it would not need consent
            assert_equal(node.op, [detail], *of_node)
