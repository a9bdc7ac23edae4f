"""Rfft2d: planes that are cut and padded, every length, and the distance from LiteRT."""

from opsmith.oracle.evaluate import NumpyReference
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.testing.op_tests import *

LENGTHS = [2**n for n in range(2, 12)]
SEEN = 2.0**-23  # of the sum of a plane's magnitudes, of which 2^-18 is the bound that is proved


def spectrum(x: Sequence[int], lengths: Sequence[int], part: str = "REAL") -> Build:
    """Part of the spectrum of an input to build; `part` is the operator that takes it."""

    def build(m: ModelWriter) -> None:
        given = [m.input("x", x, "float32"), m.constant("lengths", np.array(lengths, np.int32))]
        shape = (*x[:-2], lengths[0], lengths[-1] // 2 + 1)
        z = m.tensor("z", shape, "complex64")
        m.node("RFFT2D", given, [z])
        m.output(m.value(part, [z], m.tensor("y", shape, "float32")))

    return build


def without_numbers(m: ModelWriter) -> None:
    """Add a spectrum that the file stores as floats."""
    x, lengths = m.input("x", (1, 4), "float32"), m.constant("n", np.array((1, 4), np.int32))
    m.output(m.value("RFFT2D", [x, lengths], m.tensor("y", (1, 3, 2), "float32")))


class TestRfft2d(OpTests):
    oracle = "numpy"
    cases = (
        *(Case(f"length_{length}", spectrum((1, length), (1, length))) for length in LENGTHS),
        Case("padded", spectrum((3, 1, 9), (1, 16), "IMAG")),
        Case("cut", spectrum((2, 1, 9), (1, 8), "IMAG")),
        Case("first_rows", spectrum((2, 3, 7), (1, 8))),
        Case("one_sample", spectrum((1, 1), (1, 4), "IMAG")),
        Case("plane", spectrum((2, 4, 16), (4, 16))),
        Case("two_rows", spectrum((2, 8), (2, 8), "IMAG")),
        Case("tall", spectrum((2, 40, 5), (32, 4), "IMAG")),
        Case("padded_plane", spectrum((2, 3, 5), (8, 8))),
    )
    rejected = (
        refused("rows", spectrum((3, 8), (3, 8)), "fft_length [3, 8] is not two powers of two"),
        refused("odd", spectrum((1, 6), (1, 6)), "fft_length [1, 6] is not two powers of two"),
        refused("two", spectrum((1, 2), (1, 2)), "the second 4 or more"),
        refused("large", spectrum((4, 4), (64, 512)), "whose product is at most 16384"),
        refused("far", spectrum((1, 2), (1, 2**15)), "fft_length [1, 32768] is not"),
        refused("vector", spectrum((8,), (1, 8)), "x f32[8] must have two axes or more"),
        refused("floats", without_numbers, "y is not complex64"),
    )

    @pytest.mark.parametrize("part", ["REAL", "IMAG"])
    @pytest.mark.parametrize(
        ("x", "lengths"),
        [
            ((4, 1, 512), (1, 512)),
            ((4, 1, 480), (1, 2048)),
            ((4, 3, 21), (1, 16)),
            ((4, 1, 5), (1, 4)),
            ((4, 4, 16), (4, 16)),
            ((4, 30, 21), (32, 16)),
        ],
    )
    def test_it_is_near_litert(self, x: Sequence[int], lengths: Sequence[int], part: str) -> None:
        m = ModelWriter()
        spectrum(x, lengths, part)(m)
        ours = NumpyReference(legal(m.bytes(), shipped_ops()), shipped_ops())
        samples = np.random.default_rng(lengths[1]).normal(0, 1000, x).astype(np.float32)
        samples[0] = np.sin(np.arange(x[-1]))  # a tone
        samples[1] = 1  # whose spectrum is zero but for one number
        (got,), (want,) = ours.run([samples]), Reference(m.bytes()).run([samples])
        magnitudes = np.abs(samples[:, : lengths[0], : lengths[1]])
        sums = magnitudes.sum(axis=(-2, -1), keepdims=True)
        assert (np.abs(got - want.astype(np.float64)) <= SEEN * sums).all()
