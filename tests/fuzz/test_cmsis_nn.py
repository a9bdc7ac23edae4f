"""`python -m tests.fuzz.cmsis_nn` calls the library rightly and counts what differs.

A stand-in of our own takes the library's place; the real one is compared where OPSMITH_CMSIS_NN
has `host/libcmsis-nn.so`.
"""

import os
import subprocess
from pathlib import Path

import pytest

from opsmith.numerics import Numerics
from opsmith.testing.checkout import ROOT
from tests.fuzz.cmsis_nn.__main__ import BEGIN, END, PAGE, Found, asked, compared, table
from tests.fuzz.cmsis_nn.library import Library
from tests.fuzz.graphs.layers import convolution
from tests.oracles import need_oracle

pytestmark = pytest.mark.slow

STAND_IN = ROOT / "tests/data/cmsis_nn"
OF_STAND_IN = (  # with what it computes as TensorFlow Lite Micro does
    "ADD int8",
    "AVERAGE_POOL_2D int8",
    "CONV_2D int8/int8/int32",
    "DEPTHWISE_CONV_2D int8/int8/int32",
    "MAX_POOL_2D int8",
)
DIFFERING = (
    "CONV_2D int16/int8/int64",
    "DEPTHWISE_CONV_2D int8/int4/int32",
    "MAXIMUM int8",
    "SOFTMAX int16/int16",
    "TRANSPOSE int8",
    "TRANSPOSE_CONV int8/int8/int32",
)


def test_calls_mean_what_the_functions_take(tmp_path: Path) -> None:
    need_oracle(Numerics.TFLM)
    made = tmp_path / "libcmsis-nn.so"
    flags = ["-std=c++17", "-O1", "-fPIC", "-shared", f"-I{STAND_IN / 'include'}", f"-I{ROOT}"]
    subprocess.run(["g++", *flags, str(STAND_IN / "stand_in.cc"), "-o", str(made)], check=True)
    library, kinds = Library(made), asked()
    for name in OF_STAND_IN:
        whole = [kind for kind in kinds[name] if kind.make is not convolution]  # not in groups
        found = compared(library, whole, 6, name)
        assert (found.models, found.differ, found.refused) == (6, 0, 0), (name, found)


def test_what_the_library_computes_differently_is_on_the_page() -> None:
    part = PAGE.read_text("utf-8").split(BEGIN)[1].split(END)[0].splitlines()
    rows = [line for line in part if line.startswith("| ")][1:]
    assert [row.split("|")[1].strip() for row in rows[:-1]] == [*DIFFERING]
    assert rows[-1].split("|")[3].split()[0] == "0"
    folder = os.environ.get("OPSMITH_CMSIS_NN")
    if folder and (made := Path(folder, "host", "libcmsis-nn.so")).is_file():
        library, kinds = Library(made), asked()
        differ = {name for name in kinds if compared(library, kinds[name], 20, name).differ}
        assert differ and differ <= {*DIFFERING}  # some do in one of fifty models


def test_ops_that_do_not_differ_have_one_row() -> None:
    found = {"a": Found(2, 0, 30), "b": Found(2, 1, 40, 3, 9), "c": Found(2, 0, 30)}
    assert table(found).splitlines()[2:] == [
        "| b | 1 of 2 | 3 of 40 | 9 |",
        "| 2 other ops and types | 0 of 4 | 0 of 60 | 0 |",
    ]
