"""A test of many values runs for all of them and names those that fail."""

import pytest

from tests.each import for_each


def test_all_values_are_tried_and_those_that_fail_are_named() -> None:
    tried = []

    @for_each(1, 2, 3, 4, of="value {}".format)
    def even(value: int) -> None:
        tried.append(value)
        if value == 3:
            pytest.fail("three")
        assert value % 2 == 0, f"{value} is odd"

    with pytest.raises(pytest.fail.Exception) as caught:
        even()
    first, *lines = str(caught.value).splitlines()
    failures = [line for line in lines if line.startswith("value")]  # others are of pytest
    assert tried == [1, 2, 3, 4]
    assert first == "2 of 4 fail"
    assert [failure.partition(":")[0] for failure in failures] == ["value 1", "value 3"]
    assert "AssertionError: 1 is odd" in failures[0]
    assert "test_each.py:" in failures[0]
    assert "Failed: three" in failures[1]


def test_right_values_pass() -> None:
    for_each(2, 4)(lambda value: None)()


def test_a_test_of_no_values_fails() -> None:
    with pytest.raises(AssertionError):
        for_each()(lambda value: None)()
