"""NonMaxSuppressionV4: limits, equal scores, boxes without an area."""

from opsmith.testing.op_tests import *
from runtimes.families.non_max_suppression_cases import inputs, suppressed

CASES = (
    Case("any_score", suppressed()),
    Case("score", suppressed(score=0.25)),
    Case("all_overlaps", suppressed(overlap=1.0)),
    Case("no_overlap", suppressed(overlap=0.0)),
    Case("more_than_boxes", suppressed(most=20)),
)


class TestNonMaxSuppressionV4(OpTests):
    cases = (*CASES, Case("one_box", suppressed((1, 4), 1)))
    rejected = (
        refused("flat", suppressed((12,), scores=(12,)), "boxes f32[12] are not Nx4"),
        refused("few", suppressed(scores=(11,)), "or scores f32[11] not N"),
        refused("none", suppressed(most=0), "are 0, not 1 or more"),
        refused("beyond", suppressed(overlap=1.5), "overlap 1.5 is not 0 to 1"),
    )

    def test_overlapping_boxes_are_chosen_as_by_litert(self) -> None:
        for case in CASES:
            reference = Reference(merged_model([case]))
            for given in inputs():
                got, want = self.in_numpy(case.build).run(given), reference.run(given)
                assert [each.tobytes() for each in got] == [each.tobytes() for each in want]

    @pytest.mark.slow
    def test_kernels_find_the_same(self) -> None:
        self.check_kernels(CASES, [given * len(CASES) for given in inputs()])
