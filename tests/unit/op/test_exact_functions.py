"""Functions of float32 give the bits of LiteRT's for every kind of float."""

import numpy as np
import pytest

from opsmith.ir import Array
from opsmith.testing.checkout import ROOT
from opsmith.testing.differences import assert_equal
from opsmith.testing.known_ops import known_beside
from opsmith.testing.legal import Oracle, oracle_of
from opsmith.testing.op_cases import check_on_host
from opsmith.tflite.cases import Case, merged_model
from runtimes.families.matmul_cases import DynamicMatMul
from runtimes.families.unary_cases import of_float
from tests.fuzz import every_float

pytestmark = pytest.mark.slow

ELEMENTS = 4096
EXTREMES = (0.0, 2.0**-149, 2.0**-126, 2.0**-12, 0.75, 1.0, 16.7, 88.8, 120.0, 3.4e38, np.inf)
# Whose exponentials and cosine LiteRT gets by FMA, and else would not.
FMA = tuple(map(float.fromhex, ("0x1.04845ep+5", "0x1.f8cbb2p+5", "0x1.78edb2p+4")))


def floats() -> list[Array]:
    """Extremes with their neighbours, random bits, which include NaN, and common sizes."""
    rng = np.random.default_rng(11)
    near = np.array(EXTREMES, np.float32)
    near = np.concatenate(
        [near, np.nextafter(near, np.float32(0)), np.array([*FMA, np.nan], np.float32)]
    )
    extremes = np.resize(np.concatenate([near, -near]), ELEMENTS)
    bits = rng.integers(0, 2**32, ELEMENTS, np.uint32).view(np.float32)
    return [extremes, bits, *(rng.normal(0, by, ELEMENTS).astype("f4") for by in (0.1, 1, 10, 50))]


@pytest.mark.parametrize(
    ("oracle", "names"),
    [("litert", ("COS", "EXP", "LOG", "LOGISTIC", "SIN", "TANH")), ("optimised", ("ELU",))],
)
def test_functions_have_the_bits_of_litert(oracle: Oracle, names: tuple[str, ...]) -> None:
    cases = [Case(name.lower(), of_float(name, shape=(ELEMENTS,))) for name in names]
    folder = ROOT / "ops" / cases[0].name
    sets = [[values] * len(names) for values in floats()]
    content, ops = merged_model(cases), known_beside(folder)
    litert, numpy = (oracle_of(content, ops, by) for by in (oracle, "numpy"))
    results, wanted = ([each.run(values) for values in sets] for each in (numpy, litert))
    assert_equal("numpy", litert.outputs, results, wanted)
    check_on_host(folder, cases, oracle=oracle, sets=sets)


def test_functions_in_integers_have_the_bits_of_doubles() -> None:
    for function in every_float.FUNCTIONS:
        assert every_float.equal(function, step=16_381), function


def test_functions_of_vectors_have_the_bits_of_floats() -> None:
    assert every_float.equal_in_vectors(step=65_521)


def test_zero_points_between_two_integers_are_those_of_doubles() -> None:
    rng = np.random.default_rng(5)
    step = (rng.uniform(1, 2, ELEMENTS) * 2.0 ** rng.integers(-110, 110, ELEMENTS)).astype("f4")
    low = rng.integers(0, 255, ELEMENTS) + np.float32(0.5)
    rows = np.stack([-low * step, (255 - low) * step], axis=1).astype(np.float32)
    rows = (rows.view(np.int32) + rng.integers(-9, 10, rows.shape, np.int32)).view(np.float32)
    case = Case("ranges", DynamicMatMul((ELEMENTS, 2), 3, asymmetric=True))
    folder = ROOT / "ops" / "fully_connected"
    check_on_host(folder, [case], sets=[[rows], [-rows]])
