"""FloorDiv: signs, types and broadcasts against LiteRT, which divides no integer by 0."""

from opsmith.testing.op_tests import *
from runtimes.families.division_cases import any_divisor, division_cases, division_refusals

INTEGERS = ("int8", "int16", "int32")


class TestFloorDiv(OpTests):
    cases = division_cases("FLOOR_DIV", (*INTEGERS, "float32"))
    rejected = division_refusals("FLOOR_DIV")

    @pytest.mark.slow
    def test_what_litert_has_no_answer_for_is_as_numpy_says(self) -> None:
        """Compares divisors of an input, with zeros and -1."""
        check_on_host(self.folder, any_divisor("FLOOR_DIV", INTEGERS), oracle="numpy")
