"""SignalFilterBankLog: distance from the logarithm, and its start and saturation."""

from opsmith.testing.op_tests import *


def log(
    x: Sequence[int] = (40,), bits: int = 3, scale: int = 64, y: Sequence[int] | None = None
) -> Build:
    """Logarithm of an input to build."""
    output = (x if y is None else y, "int16")
    options = {"input_correction_bits": bits, "output_scale": scale}
    return custom_node("SignalFilterBankLog", {"x": (x, "uint32")}, {"y": output}, options)


NEAR_POWERS = {2**n + d for n in range(2, 33) for d in range(-3, 4)} - {2**32 + d for d in range(4)}
X = np.array([*range(2**18), *sorted(NEAR_POWERS)], np.uint32)
FINE = 1475  # units that keep ln(2^32) below 32768


class TestSignalFilterBankLog(OpTests):
    oracle = "numpy"
    cases = (
        Case("usual", log()),
        Case("one_channel", log((1,))),
        Case("no_bits", log(bits=0)),
        Case("far_bits", log(bits=31)),
        Case("fine", log(bits=0, scale=FINE)),
        Case("saturates", log(scale=5000)),
        Case("wraps", log(scale=2**31 - 1)),
        Case("no_scale", log(scale=0)),
    )
    rejected = (
        refused("rank", log((2, 3)), "x u32[2x3] must be a vector"),
        refused("bits", log(bits=32), "input_correction_bits 32 is not 0 to 31"),
        refused("scale", log(scale=-1), "output_scale -1 is not 0 to 2^31"),
        refused("output", log((4,), y=(5,)), "'y' is i16[5] where i16[4]"),
    )

    def test_it_is_near_the_logarithm(self) -> None:
        (found,) = self.in_numpy(log(X.shape, 0, FINE)).run([X])
        assert np.abs(found[1:] / FINE - np.log(X[1:].astype(np.float64))).max() < 0.003
        assert found[0] == found[1] == 0

    @pytest.mark.slow
    def test_kernels_agree_on_all_of_them(self) -> None:
        self.check_kernels([Case("x", log(X.shape, 0, FINE))], [[X]])
