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
    assert identifiers(["M_PI", "M_PI", "M_PI"]) == ["M_PI_", "M_PI_2_", "M_PI_3_"]
    assert identifiers(["M_PI_2", "M_PI", "M_PI"]) == ["M_PI_2_", "M_PI_", "M_PI_3_"]
