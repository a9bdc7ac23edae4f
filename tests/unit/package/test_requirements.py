"""Tests that requirements of ops become one package of each name, or an error that names the
ops.
"""

import pytest

from opsmith.package.requirements import references
from tests.refusals import refusal


@pytest.mark.parametrize(("required", "joined"), [
    ({"fft/1.2": ("a", "b")}, ["fft/1.2"]),
    ({"fft/[>=1 <2]": ("a",), "mel/3.0": ("b",)}, ["fft/[>=1 <2]", "mel/3.0"]),
    ({"fft/1.2": ("a",), "fft/[>=1 <2]": ("b",)}, ["fft/[=1.2 >=1 <2]"]),
    ({"fft/[>=1.1]": ("a",), "fft/[<2]": ("b",)}, ["fft/[>=1.1 <2]"]),
])  # fmt: skip
def test_one_package_meets_all_who_require_it(
    required: dict[str, tuple[str, ...]], joined: list[str]
) -> None:
    assert references(required) == joined


@pytest.mark.parametrize("other", ["fft/2.0", "fft/[>=1 | >=3]"])
def test_versions_that_exclude_each_other_are_an_error_that_names_the_ops(other: str) -> None:
    (problem,) = refusal(references, {"fft/1.2": ("gain", "mix"), other: ("pitch",)}).problems
    assert problem.code == "BLD087"
    assert problem.where == f"op gain and mix requires fft/1.2; op pitch requires {other}"
