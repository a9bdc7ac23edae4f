"""ArgMin: every type along every axis, against LiteRT."""

from opsmith.testing.op_tests import *
from runtimes.families.argument_cases import (
    argument_cases,
    argument_refusals,
    nan_at_each_place,
    with_nan,
)

SOURCE = "ARG_MIN"


class TestArgMin(OpTests):
    cases = argument_cases(SOURCE)
    rejected = argument_refusals(SOURCE)

    @pytest.mark.slow
    def test_kernels_pass_over_nan_as_litert_does(self) -> None:
        """Compares inputs with NaN, which seeded inputs do not have."""
        self.check_kernels(*with_nan(SOURCE))

    @pytest.mark.slow
    def test_kernels_pass_over_nan_at_each_place(self) -> None:
        cases, sets = nan_at_each_place(SOURCE)
        check_on_host(self.folder, cases, oracle="numpy", sets=sets)
