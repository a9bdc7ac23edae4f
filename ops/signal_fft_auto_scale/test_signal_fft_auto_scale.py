"""SignalFftAutoScale: every headroom, and the effect of a sample of -32768."""

from opsmith.testing.op_cases import check_on_board
from opsmith.testing.op_tests import *

SAMPLES = 16


def auto_scale(x: Sequence[int], bits: Sequence[int] = ()) -> Build:
    """Scaling to build of samples that are an input."""
    outputs = {"y": (x, "int16"), "bits": (bits, "int32")}
    return custom_node("SignalFftAutoScale", {"x": (x, "int16")}, outputs)


PLAIN = Case("x", auto_scale((SAMPLES,)))
# samples after one of -32768: what counts as the largest, and so the bits
AFTER_THE_LEAST = (((), 0), ((0,), 0), ((5,), 12), ((-5,), 0), ((-5, -3), 0), ((-5, 3), 13),
                   ((-5, -9), 11), ((3, -3), 13), ((9, -32768), 0), ((32767,), 0))  # fmt: skip


def samples(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Zeros followed by these values."""
    return np.array([0] * (SAMPLES - len(values)) + list(values), np.int16)


def edges() -> list[list[Array]]:
    """Inputs: samples after one of -32768, and magnitudes at both ends of a headroom."""
    sets = [[samples(100, -32768, *rest)] for rest, _ in AFTER_THE_LEAST]
    return sets + [[samples(most)] for most in (0, 1, 2, 3, 16383, 16384, 32767, -32767)]


class TestSignalFftAutoScale(OpTests):
    oracle = "numpy"
    cases = (Case("frame", auto_scale((480,))), Case("one_element", auto_scale((1,))), PLAIN)
    rejected = (
        refused("rank", auto_scale((2, 3)), "must be a vector"),
        refused("scalar", auto_scale(()), "must be a vector"),
        refused("bits", auto_scale((4,), (1,)), "'bits' is i32[1] where i32[]"),
    )

    @pytest.mark.parametrize("bits", range(15))
    def test_the_largest_gets_to_the_top(self, bits: int) -> None:
        asked = self.in_numpy(PLAIN.build)
        for largest in (2 ** (14 - bits), 2 ** (15 - bits) - 1):
            for x in (samples(largest, -1), samples(1, -largest), samples(-largest, 0, 0)):
                y, found = asked.run([x])
                assert found == bits
                np.testing.assert_array_equal(y, x * 2**bits)

    @pytest.mark.parametrize(("rest", "bits"), AFTER_THE_LEAST)
    def test_the_least_sample_starts_afresh(self, rest: tuple[int, ...], bits: int) -> None:
        x = samples(100, -32768, *rest)
        y, found = self.in_numpy(PLAIN.build).run([x])
        assert found == bits
        np.testing.assert_array_equal(y, (x.astype(np.int64) << bits).astype(np.int16))

    @pytest.mark.slow
    def test_kernels_do_so_too(self) -> None:
        self.check_kernels([PLAIN], edges())

    @pytest.mark.slow
    @pytest.mark.system
    @pytest.mark.qemu
    def test_so_do_those_of_a_board(self) -> None:
        check_on_board(self.folder, [PLAIN], "mps2_an386", oracle="numpy", sets=edges())
