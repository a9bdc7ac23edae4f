"""SignalIrfft: every type, rows, against an exact transform."""

from opsmith.testing.op_tests import *

CODES = {"float32": 0, "int32": 2, "int16": 7}


def irfft(x: Sequence[int], length: int, dtype: str = "int16", code: int | None = None) -> Build:
    """Samples of a spectrum to build."""
    options = {"T": CODES[dtype] if code is None else code, "fft_length": length}
    output = ((*x[:-1], max(length, 1)), dtype)
    return custom_node("SignalIrfft", {"x": (x, dtype)}, {"y": output}, options)


# of a spectrum as large as each type holds: how far the samples may be from the exact ones
BOUND = {"int16": 8, "int32": 8, "float32": 2**-7}
LIMIT = {"int16": 2**14, "int32": 2**30, "float32": 2**14}


class TestSignalIrfft(OpTests):
    oracle = "numpy"
    cases = cases(
        int16_fours=irfft((2, 130), 128),
        int16_two=irfft((6,), 4),
        int32_fours=irfft((34,), 32, "int32"),
        int32_two=irfft((2, 3, 10), 8, "int32"),
        float32_fours=irfft((34,), 32, "float32"),
        float32_two=irfft((2, 10), 8, "float32"),
    )
    rejected = (
        refused("odd", irfft((8,), 6), "fft_length 6 is not a power of two from 4"),
        refused("far", irfft((4,), 2**15), "fft_length 32768 is not"),
        refused("short", irfft((8,), 8), "x i16[8] has no rows of 10"),
        refused("long", irfft((12,), 8), "x i16[12] has no rows of 10"),
        refused("scalar", irfft((), 8), "x i16[] must have an axis"),
        refused("type", irfft((10,), 8, code=2), "not of the type that option T names"),
        refused("strange", irfft((10,), 8, code=99), "'type' is '99'", "MDL013"),
    )

    @pytest.mark.parametrize("dtype", CODES)
    @pytest.mark.parametrize("length", [4, 8, 64, 512])
    def test_it_is_near_the_exact_samples(self, dtype: str, length: int) -> None:
        random = np.random.default_rng(length)
        x = random.uniform(-LIMIT[dtype], LIMIT[dtype], (20, length + 2)).astype(dtype)
        (found,) = self.in_numpy(irfft(x.shape, length, dtype)).run([x])
        parts = x.astype(np.float64)
        exact = np.fft.irfft(parts[:, ::2] + 1j * parts[:, 1::2], length)
        assert np.abs(found - exact).max() < BOUND[dtype]

    @pytest.mark.parametrize("dtype", CODES)
    def test_the_first_number_is_the_mean(self, dtype: str) -> None:
        x = np.array([800, 1, 0, 0, 0, 0, 0, 0, 0, 1], dtype)
        (found,) = self.in_numpy(irfft((10,), 8, dtype)).run([x])
        np.testing.assert_allclose(found, 100, atol=1 if dtype != "float32" else 0)
