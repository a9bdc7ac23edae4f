"""SignalFramer: whole signals cut into frames, complete from the first frame on or later."""

from opsmith.testing.op_tests import *


def framer(x: Sequence[int], size: int, step: int, prefill: bool = False) -> Build:
    """Frames to build of each row of x, of this size and a step apart."""
    y = (*x[:-1], max(sum(x[-1:]) // (step or 1), 1), size)
    options = {"frame_size": size, "frame_step": step, "prefill": prefill}
    outputs = {"y": (y, "int16"), "valid": ((), "bool")}
    return custom_node("SignalFramer", {"x": (x, "int16")}, outputs, options)


SIGNAL = np.arange(1, 25, dtype=np.int16)
FRAMES = [  # size, step, prefill; when the first frame is complete, and its first sample
    (6, 2, True, 0, -4),
    (6, 2, False, 2, 0),
    (5, 2, True, 0, -3),
    (5, 2, False, 2, 0),
    (2, 2, False, 0, 0),
    (1, 2, False, 0, 0),
]


def pieces(x: int) -> list[list[Array]]:
    """Signal in pieces of equal length."""
    return [[each] for each in SIGNAL.reshape(-1, x)]


class TestSignalFramer(OpTests):
    oracle = "numpy"
    cases = cases(
        overlapping=framer((16,), 12, 4),
        prefilled=framer((16,), 12, 4, prefill=True),
        uneven=framer((2, 3, 6), 7, 3),
        apart=framer((8,), 3, 4),
        one_element=framer((1,), 1, 1, prefill=True),
    )
    rejected = (
        refused("scalar", framer((), 4, 2), "x i16[] must have an axis"),
        refused("step", framer((8,), 4, 3), "are no multiple of frame_step 3"),
        refused("no_step", framer((8,), 4, 0), "are no multiple of frame_step 0"),
        refused("long_step", framer((8,), 16, 16), "are no multiple of frame_step 16"),
        refused("prefill", framer((8,), 2, 4, prefill=True), "prefill needs a frame_size of"),
    )

    @pytest.mark.parametrize(("size", "step", "prefill", "first", "at"), FRAMES)
    @pytest.mark.parametrize("together", [2, 4])
    def test_a_signal_becomes_frames(
        self, size: int, step: int, prefill: bool, first: int, at: int, together: int
    ) -> None:
        asked = self.in_numpy(framer((together,), size, step, prefill))
        answers = [asked.run(each) for each in pieces(together)]
        frames = np.concatenate([y for y, _ in answers])
        known = np.concatenate([np.zeros(4, np.int16), SIGNAL])
        for i, frame in enumerate(frames):
            start = 4 + at + (i - first) * step
            wanted = known[start : start + size] if i >= first else np.zeros(size)
            np.testing.assert_array_equal(frame, wanted)
        steps = together // step
        assert [bool(valid) for _, valid in answers] == [
            i * steps >= first for i in range(len(answers))
        ]

    @pytest.mark.slow
    def test_kernels_make_them_too(self) -> None:
        both = [Case(f"{p}", framer((4,), 5, 2, prefill=p)) for p in (False, True)]
        self.check_kernels(both, [each * 2 for each in pieces(4)])
