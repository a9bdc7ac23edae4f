"""SignalRfft: every length, rows and missing samples, against an exact transform."""

from opsmith.testing.op_tests import *

CODES = {"float32": 0, "int32": 2, "int16": 7}


def rfft(
    x: Sequence[int],
    length: int,
    y: Sequence[int] | None = None,
    dtype: str = "int16",
    code: int | None = None,
) -> Build:
    """Spectrum of an input to build."""
    output = ((*x[:-1], length + 2) if y is None else y, dtype)
    options = {"T": CODES[dtype] if code is None else code, "fft_length": length}
    return custom_node("SignalRfft", {"x": (x, dtype)}, {"y": output}, options)


LENGTHS = [2**n for n in range(2, 12)]
BOUND = {4: 4, 8: 4, 16: 5, 32: 8, 64: 8, 128: 9, 256: 9, 512: 12, 1024: 12, 2048: 14}


def signals(length: int) -> list[Array]:
    """Signals: noise, tones between the bins at full scale, an impulse and a square wave."""
    random, time = np.random.default_rng(length), np.arange(length)
    found = [random.integers(-(2**15), 2**15, length) for _ in range(20)]
    found += [32767 * np.sin(2 * np.pi * f * length * time / length) for f in (0.011, 0.13, 0.37)]
    found += [np.where(time == 1, 32767, 0), np.where(time % 8 < 4, 32767, -32767)]
    return [np.rint(each).astype(np.int16) for each in found]


class TestSignalRfft(OpTests):
    oracle = "numpy"
    cases = (
        *(Case(f"length_{length}", rfft((length,), length)) for length in LENGTHS),
        Case("padded", rfft((480,), 512)),
        Case("padded_odd", rfft((5,), 16)),
        Case("one_sample", rfft((1,), 8)),
        Case("rows", rfft((3, 30), 32)),
        Case("rows_of_rows", rfft((2, 3, 7), 8)),
        Case("int32_fours", rfft((2, 64), 128, dtype="int32")),
        Case("int32_two", rfft((3,), 4, dtype="int32")),
        Case("float32_fours", rfft((2, 64), 128, dtype="float32")),
        Case("float32_two", rfft((3,), 4, dtype="float32")),
    )
    rejected = (
        refused("odd", rfft((4,), 6), "fft_length 6 is not a power of two from 4"),
        refused("two", rfft((2,), 2), "fft_length 2 is not"),
        refused("negative", rfft((2,), -4, (2,)), "'y' is i16[2] where"),
        refused("far", rfft((2,), 2**15), "fft_length 32768 is not"),
        refused("long", rfft((9,), 8), "x i16[9] has no rows of up to 8"),
        refused("scalar", rfft((), 8, (10,)), "x i16[] must have an axis"),
        refused("output", rfft((8,), 8, (9,)), "'y' is i16[9] where i16[10]"),
        refused("float", rfft((8,), 8, code=0), "not of the type that option T names"),
        refused("strange", rfft((8,), 8, code=99), "'type' is '99'", "MDL013"),
    )

    @pytest.mark.parametrize("length", LENGTHS)
    def test_it_is_near_the_exact_spectrum(self, length: int) -> None:
        x = np.stack(signals(length))
        (found,) = self.in_numpy(rfft(x.shape, length)).run([x])
        exact = np.fft.rfft(x.astype(np.float64)) / length
        difference = found[:, ::2] + 1j * found[:, 1::2] - exact
        assert np.abs(difference).max() < BOUND[length]

    def test_int32_and_float32_are_nearer(self) -> None:
        x = np.stack(signals(256)).astype(np.int64)
        exact = np.fft.rfft(x)
        for dtype, factor, bound in (("int32", 2**15 / 256, 16), ("float32", 1, 4)):
            given = (x * 2**15 if dtype == "int32" else x).astype(dtype)
            (found,) = self.in_numpy(rfft(x.shape, 256, dtype=dtype)).run([given])
            parts = found.astype(np.float64)
            difference = parts[:, ::2] + 1j * parts[:, 1::2] - exact * factor
            assert np.abs(difference).max() < bound

    @pytest.mark.slow
    def test_kernels_find_the_same(self) -> None:
        for length in (4, 256, 512):
            case = Case("x", rfft((length,), length))
            self.check_kernels([case], [[x] for x in signals(length)])
