"""SignalOverlapAdd: whole signals from frames of both types, and sums that saturate."""

from opsmith.testing.op_tests import *

CODES = {"float32": 0, "int16": 7}


def overlap_add(
    x: Sequence[int], step: int, dtype: str = "int16", code: int | None = None
) -> Build:
    """Sum of frames that are a step apart to build."""
    y = (*x[:-2], max(sum(x[-2:-1]) * step, 1))
    options = {"T": CODES[dtype] if code is None else code, "frame_step": step}
    return custom_node("SignalOverlapAdd", {"x": (x, dtype)}, {"y": (y, dtype)}, options)


class TestSignalOverlapAdd(OpTests):
    oracle = "numpy"
    cases = cases(
        int16=overlap_add((4, 16), 5),
        rows=overlap_add((2, 3, 2, 6), 3),
        apart=overlap_add((2, 5), 5),
        one_element=overlap_add((1, 1), 1),
        float32=overlap_add((2, 3, 7), 3, "float32"),
    )
    rejected = (
        refused("vector", overlap_add((8,), 4), "x i16[8] must have 2 dimensions or more"),
        refused("no_step", overlap_add((2, 4), 0), "'y' is i16[1] where"),
        refused("far", overlap_add((2, 4), 5), "frame_step 5 is not 1 to 4"),
        refused("type", overlap_add((2, 4), 2, code=0), "is not of the type that option T names"),
        refused("int32", overlap_add((2, 4), 2, code=2), "'type' is 'int32'", "MDL013"),
    )

    @pytest.mark.parametrize("dtype", ["int16", "float32"])
    def test_frames_become_a_signal(self, dtype: str) -> None:
        asked = self.in_numpy(overlap_add((2, 6), 4, dtype))
        frames = np.arange(1, 49).reshape(8, 6)
        found = [asked.run([each])[0] for each in frames.astype(dtype).reshape(4, 2, 6)]
        wanted = np.zeros(34)
        for i, frame in enumerate(frames):
            wanted[4 * i : 4 * i + 6] += frame
        np.testing.assert_array_equal(np.concatenate(found), wanted[:32])

    @pytest.mark.slow
    def test_sums_saturate_at_each_frame(self) -> None:
        """Adds 30,000 twice, less 30,000: the middle sum saturates to 32,767."""
        case = Case("x", overlap_add((3, 3), 1))
        x = np.full((3, 3), 30000, np.int16) * np.array([[1], [1], [-1]], np.int16)
        (y,) = self.in_numpy(case.build).run([x])
        assert y.tolist() == [30000, 32767, 2767]
        self.check_kernels([case], [[x], [-x], [x]])
