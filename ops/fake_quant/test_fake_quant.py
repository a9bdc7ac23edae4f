"""FakeQuant: few and many bits, ranges that begin or end with 0, and ties."""

from opsmith.testing.op_tests import *


def fake_quant(
    low: float = -1.0,
    high: float = 2.0,
    bits: int = 8,
    x: Sequence[int] = (300,),
    *,
    narrow: bool = False,
) -> Build:
    """FAKE_QUANT to build."""
    options = {"min": low, "max": high, "num_bits": bits, "narrow_range": narrow}
    return one_node("FAKE_QUANT", {"x": (x, "float32")}, {"y": (x, "float32")}, options)


class TestFakeQuant(OpTests):
    cases = (
        Case("bits_8", fake_quant()),
        Case("bits_4", fake_quant(bits=4, low=-0.3)),
        Case("bits_16", fake_quant(bits=16, low=-7.3, high=0.1)),
        Case("from_0", fake_quant(0.0, 6.0)),
        Case("to_0", fake_quant(-3.7, 0.0, x=(2, 3, 7))),
        Case("one_element", fake_quant(x=(1,))),
    )
    rejected = (
        refused("narrow", fake_quant(narrow=True), "narrow_range", "MDL013"),
        refused("bits_1", fake_quant(bits=1), "num_bits is 1, which must be 2 to 16"),
        refused("above_0", fake_quant(0.5), "from min 0.5 to max 2 there is no range"),
        refused("empty", fake_quant(0.0, 0.0), "from min 0 to max 0 there is no range"),
    )

    @pytest.mark.slow
    def test_kernels_round_ties_and_clamp_what_is_no_number(self) -> None:
        ties = (np.arange(-50, 300) + 0.5) / 16
        x = np.array([np.nan, np.inf, -np.inf, -0.0, *ties], np.float32)
        self.check_kernels([Case("x", fake_quant(-1.0, 14.9375, x=x.shape))], [[x]])
