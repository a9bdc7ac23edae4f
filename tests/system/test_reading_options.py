"""Tests that options of how a model is read reach every step of a build, and that `run` compares
with LiteRT.
"""

from pathlib import Path

import pytest

from opsmith.tflite.writer import ModelWriter
from tests.system.project import Project, make_project
from tests.unit.litert_models import flatten, two_signatures

pytestmark = [pytest.mark.system]

ON_HOST = ("board=host", "run")
OPS = ("pack", "quantize", "relu", "reshape", "shape", "strided_slice")
EXACT = "bit-exact with LiteRT: yes"


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with a model of any batch, and a model of two functions."""
    made = make_project(projects / "p", ops=OPS)
    any_batch = ModelWriter()
    flatten(any_batch)
    (made.root / "any_batch.tflite").write_bytes(any_batch.bytes())
    (made.root / "two.tflite").write_bytes(two_signatures().bytes())
    return made


def test_an_open_batch_is_one_unless_input_shape_says_another_in_a_folder_of_its_own(
    project: Project,
) -> None:
    told = project.build(*ON_HOST, "model=any_batch.tflite").text
    assert "input 'x' may have any batch size: it is built for 1\n" in told
    assert "z: int8[1, 12]" in told
    assert EXACT in told
    told = project.build(*ON_HOST, "model=any_batch.tflite", "input_shape=x:3x4x3").text
    assert "may have any batch size" not in told
    assert "z: int8[3, 12]" in told
    assert EXACT in told
    folders = [path.name for path in Path(project.root, "build/host-reference").glob("any_batch*")]
    assert len(folders) == 2
    assert len(list(Path(project.root, "build/used_ops").glob("any_batch*"))) == 2


def test_signature_names_the_function_that_is_built(project: Project) -> None:
    told = project.build(*ON_HOST, "model=two.tflite", "signature=decode").text
    assert "y: int8[1, 6]" in told
    assert EXACT in told
    assert (project.root / "build/host-reference/two+signature-decode").is_dir()
    refused = project.scons("board=host", "model=two.tflite", "signature=decoder")
    assert refused.status == 2
    assert "error MDL024: the model has no signature 'decoder'" in refused.text
