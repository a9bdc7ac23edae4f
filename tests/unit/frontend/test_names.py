"""Names of a model become C identifiers."""

import time

import pytest

from opsmith.frontend.names import identifier, identifiers


def test_last_two_parts_of_a_path_are_kept() -> None:
    assert identifier("functional_1/block/conv2d/Relu;functional_1/bias") == "conv2d_Relu"


def test_serving_prefix_and_output_number_go() -> None:
    assert identifier("serving_default_image:0") == "image"


def test_reserved_words_get_an_underscore() -> None:
    assert identifier("invoke") == "invoke_"
    assert identifier("float") == "float_"


@pytest.mark.parametrize("name", ["INPUT", "OUTPUT", "PI", "B0", "ADC1", "GPIO_PIN_0"])
def test_what_headers_of_vendors_define_gets_an_underscore(name: str) -> None:
    assert identifier(name) == f"{name}_"
    assert identifiers([name, name]) == [f"{name}_", f"{name}_2_"]


@pytest.mark.parametrize("name", ["X", "x", "Relu", "Y_2", "MatMul_1", "conv2d_RELU"])
def test_other_names_keep_their_capitals(name: str) -> None:
    assert identifier(name) == name


def test_nothing_usable_still_gives_a_name() -> None:
    assert identifier("") == "t"
    assert identifier("7") == "t_7"
    assert identifier("é") == "t"


@pytest.mark.slow
def test_many_equal_names_take_no_time() -> None:
    start = time.process_time()
    found = identifiers(["same", "same_7"] * 20_000)
    assert time.process_time() - start < 2
    assert len(set(found)) == 40_000


def test_the_number_of_a_repeated_name_makes_no_macro() -> None:
    assert identifiers(["X", "X", "X"]) == ["X", "X_2", "X_3"]
    assert identifiers(["M_PI", "M_PI", "M_PI"]) == ["M_PI_", "M_PI_2_", "M_PI_3_"]
    assert identifiers(["M_PI_2", "M_PI", "M_PI"]) == ["M_PI_2_", "M_PI_", "M_PI_3_"]
