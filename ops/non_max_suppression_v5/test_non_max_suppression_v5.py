"""NonMaxSuppressionV5: limits, equal scores, boxes without an area."""

from opsmith.testing.op_tests import *
from runtimes.families.non_max_suppression_cases import inputs, suppressed

CASES = (
    Case("any_score", suppressed(sigma=0.5)),
    Case("score", suppressed(score=0.25, sigma=0.5)),
    Case("all_overlaps", suppressed(overlap=1.0, sigma=0.5)),
    Case("no_overlap", suppressed(overlap=0.0, sigma=0.5)),
    Case("more_than_boxes", suppressed(most=20, sigma=0.5)),
    Case("hard", suppressed(sigma=0.0)),
    Case("wide", suppressed(sigma=100.0, score=0.25)),
)


class TestNonMaxSuppressionV5(OpTests):
    cases = (*CASES, Case("one_box", suppressed((1, 4), 1, sigma=0.5)))
    rejected = (
        refused("flat", suppressed((12,), scores=(12,), sigma=0.5), "boxes f32[12] are not Nx4"),
        refused("few", suppressed(scores=(11,), sigma=0.5), "or scores f32[11] not N"),
        refused("none", suppressed(most=0, sigma=0.5), "are 0, not 1 or more"),
        refused("beyond", suppressed(overlap=1.5, sigma=0.5), "overlap 1.5 is not 0 to 1"),
        refused("sigma", suppressed(sigma=-1.0), "sigma -1.0 is not 0 or an ordinary number"),
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
