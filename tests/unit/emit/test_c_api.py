"""model_c.h: the calls of a model in C and in C++, whatever its tensors are called."""

import subprocess
from pathlib import Path

import pytest

from opsmith.testing.checkout import ROOT
from tests.golden.golden_models import MODELS

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror")
GOLDEN = ROOT / "tests" / "golden"


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("compiler", "file"),
    [("gcc -std=c99 -x c", "model_c.h"), ("g++ -std=c++17 -x c++", "model_c.cc")],
    ids=["C", "C++"],
)
def test_it_compiles_without_a_warning(model: str, compiler: str, file: str) -> None:
    source = f'#include "{GOLDEN / model / file}"\n'
    command = [*compiler.split(), *WARNINGS, "-fsyntax-only", f"-I{ROOT}", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_each_call_of_the_interface_for_cpp_has_one_in_c() -> None:
    for model in MODELS:
        folder = Path(GOLDEN, model)
        c = (folder / "model_c.h").read_text(encoding="utf-8")
        cpp = (folder / "model.h").read_text(encoding="utf-8")
        for call in ("invoke", "reset", "push_row", "push_frame", "input", "output"):
            assert (f" {model}_{call}(" in c) == (f" {call}(" in cpp), (model, call)
        assert c.count("_quantize_") == c.count("_dequantize_") == cpp.count("QuantizedElements<")
