"""Tables of functions of one tensor give every element, of which exp stands for all."""

import numpy as np
import pytest

from opsmith.testing.checkout import ROOT
from opsmith.testing.op_cases import check_on_host
from opsmith.tflite.cases import Case
from runtimes.families.unary_cases import Unary

I8 = Unary("EXP", 0.02, 4, 0.05, -128, shape=(2**8,), version=2)
I16 = Unary("EXP", 2e-4, 0, 1e-3, 0, shape=(2**16,), version=2).of_type("int16")


@pytest.mark.slow
def test_every_element_of_int8_and_int16() -> None:
    every = [np.arange(-(2**7), 2**7).astype("i1"), np.arange(-(2**15), 2**15).astype("i2")]
    check_on_host(ROOT / "ops/exp", [Case("int8", I8), Case("int16", I16)], sets=[every])
