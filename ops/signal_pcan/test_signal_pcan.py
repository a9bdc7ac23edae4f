"""SignalPCAN: the gain of a real table, the soft threshold, and tables of random numbers."""

from collections.abc import Mapping
from fractions import Fraction

from opsmith.testing.op_tests import *


def power_law(noise: float) -> float:
    """Gain that micro_speech's table approximates."""
    return float(min(2**21 * (noise / 2**7 + 80) ** -0.95, 2**15 - 1))


def power_law_table() -> Array:
    """Table of parabolas through the power law at the ends and middle of each power of two."""
    table = [round(power_law(0)), round(power_law(1))]
    for digits in range(2, 33):
        low, high = 2 ** (digits - 1), 2**digits
        start, middle, end = (round(power_law(each)) for each in (low, (low + high) / 2, high))
        slope = 4 * (middle - start) - (end - start)
        table += [start, slope, (end - start) - slope, 0]
    return np.array(table[:125], np.int16)


def pcan(
    channels: Sequence[int] = (40,),
    shift: int = 6,
    *,
    noise: Sequence[int] | None = None,
    table: Array | None = None,
    elements: int = 125,
) -> Build:
    """Gain control to build, by a constant table or one that is an input."""
    tensor = (channels, "uint32")
    inputs: Mapping[str, Given] = {
        "x": tensor,
        "noise": tensor if noise is None else (noise, "uint32"),
        "gain_lut": ((elements,), "int16") if table is None else table,
    }
    return custom_node("SignalPCAN", inputs, {"y": tensor}, {"snr_shift": shift})


TABLE = power_law_table()
ENDS = {2**n + d for n in range(2, 32) for d in (-1, 0, 1)} | {0, 1, 2, 2**32 - 1}
NOISE = np.array([*sorted(ENDS), *(int(1.01**i) for i in range(400, 2200))], np.uint32)


def parabola(noise: int) -> Fraction:
    """Gain of the table without rounding."""
    if noise <= 2:
        return Fraction(int(TABLE[noise]))
    digits = noise.bit_length()
    aligned = noise << 11 - digits if digits < 11 else noise >> digits - 11
    at = Fraction(aligned - 1024, 1024)
    start, slope, curve = (int(each) for each in TABLE[4 * digits - 6 : 4 * digits - 3])
    return start + at * (slope + at * curve)


class TestSignalPcan(OpTests):
    oracle = "numpy"
    cases = (
        Case("usual", pcan(table=TABLE)),
        Case("one_channel", pcan((1,), table=TABLE)),
        Case("no_shift", pcan(shift=0, table=TABLE)),
        Case("far_shift", pcan(shift=63, table=TABLE)),
        Case("any_table", pcan(elements=130)),
    )
    rejected = (
        Rejected(
            Case("noise", pcan((4,), noise=(5,))), "must be a vector as noise_estimate u32[5]"
        ),
        refused("rank", pcan((2, 2)), "x u32[2x2] must be a vector"),
        refused("table", pcan(elements=124), "gain_lut i16[124] must be a vector of 125"),
        refused("shift", pcan(shift=64), "snr_shift 64 is not 0 to 63"),
    )

    def gains(self) -> list[int]:
        """Gains at NOISE: outputs for channels of 2^18, without the soft threshold."""
        asked = self.in_numpy(pcan(NOISE.shape, 12, table=TABLE))
        (found,) = asked.run([np.full(NOISE.shape, 2**18, np.uint32), NOISE])
        return [each + 64 for each in found.tolist()]

    def test_gains_are_those_of_the_parabola(self) -> None:
        for noise, gain in zip(NOISE.tolist(), self.gains(), strict=True):
            if gain >= 128:  # else the threshold is soft
                assert abs(gain - parabola(noise)) < Fraction(54, 100)

    def test_gains_are_near_the_power_law(self) -> None:
        for noise, gain in zip(NOISE.tolist(), self.gains(), strict=True):
            if gain >= 128:
                assert abs(gain - power_law(noise)) < 64

    @pytest.mark.slow
    def test_the_threshold_is_exact_but_for_rounding_down(self) -> None:
        """Compares with x^2 / 4 below 2 and x - 1 above."""
        x = np.arange(2**15, dtype=np.uint32)
        table = np.full(125, 1, np.int16)
        asked = self.in_numpy(pcan(x.shape, 0, table=table))
        (found,) = asked.run([x, np.zeros_like(x)])
        for each, y in zip(x.tolist(), found.tolist(), strict=True):
            real = Fraction(each, 2**12)
            exact = 64 * (real * real / 4 if real < 2 else real - 1)
            assert y <= exact < y + 1

    @pytest.mark.slow
    def test_kernels_find_all_gains(self) -> None:
        case = Case("x", pcan(NOISE.shape, 6, table=TABLE))
        sets = [[np.full(NOISE.shape, 2**n, np.uint32), NOISE] for n in (0, 10, 18, 31)]
        self.check_kernels([case], sets)
