"""ComplexAbs: magnitudes of every size, halves between floats, and NaN."""

from opsmith.testing.known_ops import loaded
from opsmith.testing.op_tests import *


def magnitudes(x: Sequence[int], length: int) -> Build:
    """Magnitudes to build of the spectrum of an input; a SQUEEZE drops an axis of it."""

    def build(m: ModelWriter) -> None:
        rows, count = x[:-1], length // 2 + 1
        lengths = m.constant("lengths", np.array((1, length), np.int32))
        given = [m.input("x", (*rows, 1, x[-1]), "float32"), lengths]
        z = m.tensor("z", (*rows, 1, count), "complex64")
        flat = m.tensor("flat", (*rows, count), "complex64")
        m.node("RFFT2D", given, [z])
        m.node("SQUEEZE", [z], [flat], {"squeeze_dims": [-2]})
        m.output(m.value("COMPLEX_ABS", [flat], m.tensor("y", (*rows, count), "float32")))

    return build


def pairs() -> Array:
    """Complex numbers of all magnitudes, and at halves between floats."""
    random = np.random.default_rng(3)
    numbers = random.normal(0, 1, 60_000) * 2.0 ** random.integers(-149, 128, 60_000)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4028235e38, 1.0, 3.0, 4.0]
    both = np.array(np.meshgrid(special, special)).reshape(2, -1).T
    near = np.ldexp(random.integers(1 << 22, 1 << 24, (60_000, 2)), -24)
    with np.errstate(over="ignore"):
        found = np.concatenate([numbers.reshape(-1, 2), both, near])
        return np.concatenate([found.astype(np.float32), next_to_halves()])


def next_to_halves() -> Array:
    """Complex numbers whose magnitude is within a double's last bit of half between two floats."""
    half = np.arange(2.0**24 + 1, 2.0**24 + 500_000, 2)  # floats have no odd ones
    first = half - 1
    found = []
    for bit in (-(2.0**-4), 2.0**-4):
        second = np.sqrt((half - first) * (half + first) + bit).astype(np.float32)
        hit = first**2 + second.astype(np.float64) ** 2 == half**2 + bit
        found.append(np.stack([first[hit].astype(np.float32), second[hit]], axis=-1))
    assert min(map(len, found)) > 100
    return np.concatenate(found)


def complex_input() -> bytes:
    """Model file whose input is complex."""
    m = ModelWriter()
    x = m.input("x", (len(pairs()),), "complex64")
    m.output(m.value("COMPLEX_ABS", [x], m.tensor("y", (len(pairs()),), "float32")))
    return m.bytes()


class TestComplexAbs(OpTests):
    oracle = "numpy"
    cases = (
        Case("rows", magnitudes((3, 30), 32)),
        Case("row", magnitudes((4,), 4)),
        Case("rows_of_rows", magnitudes((2, 2, 7), 8)),
    )
    rejected = (
        refused(
            "floats",
            one_node("COMPLEX_ABS", {"x": ((3, 2), "float32")}, {"y": ((3,), "float32")}),
            "x is not complex64",
        ),
    )

    def test_magnitudes_are_litert_s(self) -> None:
        (want,) = Reference(complex_input()).run([pairs()])
        (found,) = loaded(self.folder).module.evaluate(None, [pairs()])
        assert found.tobytes() == want.tobytes()

    @pytest.mark.slow
    def test_kernels_find_the_same(self) -> None:
        numbers = pairs()
        rows = np.pad(numbers[np.isfinite(numbers).all(axis=-1)], ((0, 0), (0, 2)))
        build = magnitudes(rows.shape, 4)  # the pair is the second number of each spectrum
        self.check_kernels([Case("x", build)], [[rows[:, np.newaxis]]])
