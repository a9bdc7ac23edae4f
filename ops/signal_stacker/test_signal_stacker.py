"""SignalStacker: sequences of frames, with contexts and steps."""

from opsmith.testing.op_tests import *


def stacker(
    channels: int, left: int, right: int, step: int, x: Sequence[int] | None = None
) -> Build:
    """Stacker to build of frames with their neighbours before and after."""
    options = {
        "num_channels": channels,
        "stacker_left_context": left,
        "stacker_right_context": right,
        "stacker_step": step,
    }
    outputs = {"y": ((channels * (left + 1 + right),), "int16"), "valid": ((), "bool")}
    given = {"x": ((channels,) if x is None else x, "int16")}
    return custom_node("SignalStacker", given, outputs, options)


# left and right context, step; what is stacked after each frame, by the number of the frame
SEQUENCES = [
    (2, 0, 1, ["111", "112", "123", "234", "345", "456"]),
    (0, 2, 1, [None, None, "123", "234", "345", "456"]),
    (1, 1, 2, [None, "112", None, "234", None, "456"]),
    (0, 1, 2, [None, "12", None, "34", None, "56"]),
    (2, 1, 3, [None, "1112", None, None, "2345", None]),
    (0, 0, 1, ["1", "2", "3", "4", "5", "6"]),
]


class TestSignalStacker(OpTests):
    oracle = "numpy"
    cases = cases(
        usual=stacker(10, 2, 0, 2),
        both=stacker(5, 1, 2, 3),
        one_element=stacker(1, 0, 0, 1),
    )
    rejected = (
        refused("size", stacker(4, 1, 1, 1, (5,)), "x i16[5] must be a vector of 4"),
        refused("rank", stacker(4, 1, 1, 1, (1, 4)), "must be a vector of 4"),
        refused("no_step", stacker(4, 1, 1, 0), "stacker_step 0 is not 1 to 3"),
        refused("far", stacker(4, 1, 1, 4), "stacker_step 4 is not 1 to 3"),
        refused("negative", stacker(4, -1, 1, 1), "stacker_left_context -1 is not 0 to"),
    )

    @pytest.mark.parametrize(("left", "right", "step", "stacked"), SEQUENCES)
    def test_frames_are_stacked(
        self, left: int, right: int, step: int, stacked: Sequence[str | None]
    ) -> None:
        asked = self.in_numpy(stacker(2, left, right, step))
        for number, wanted in enumerate(stacked, 1):
            y, valid = asked.run([np.array([number, -number], np.int16)])
            assert valid == (wanted is not None)
            frames = [int(each) for each in wanted or "0" * (left + 1 + right)]
            np.testing.assert_array_equal(y, np.outer(frames, [1, -1]).reshape(-1))

    @pytest.mark.slow
    def test_kernels_stack_them_too(self) -> None:
        both = [Case(f"{n}", stacker(2, *SEQUENCES[n][:3])) for n in (0, 2, 4)]
        sets = [[np.full(2, value, np.int16)] * 3 for value in range(1, 7)]
        self.check_kernels(both, sets)
