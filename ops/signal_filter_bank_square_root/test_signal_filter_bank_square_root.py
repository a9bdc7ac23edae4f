"""SignalFilterBankSquareRoot: midpoints between squares, where the nearest integer changes."""

from fractions import Fraction

from opsmith.testing.op_tests import *


def square_root(
    x: Sequence[int], bits: Sequence[int] = (), y: Sequence[int] | None = None
) -> Build:
    """Roots to build of an input, shifted by an input."""
    inputs = {"x": (x, "uint64"), "bits": (bits, "int32")}
    output = (x if y is None else y, "uint32")
    return custom_node("SignalFilterBankSquareRoot", inputs, {"y": output})


def interesting() -> list[int]:
    """Small numbers, numbers around squares and midpoints between squares, and random ones."""
    roots = [2**n + d for n in range(1, 32) for d in (-1, 0, 1)] + [2**32 - 2, 2**32 - 1]
    found = [*range(2**12)]
    found += [r * r + d for r in roots for d in (-1, 0, 1)]
    found += [r * r + r + d for r in roots for d in (0, 1)]
    found += [2**64 - 1, 2**64 - 2, 2**32 - 1, 2**32, 65535 * 65536, 65535 * 65536 + 1]
    random = np.random.default_rng(0)
    numbers = random.integers(0, 2**64, 4000, np.uint64) >> random.integers(0, 64, 4000, np.uint64)
    return found + [int(each) for each in numbers]


NUMBERS = np.array(interesting(), np.uint64)


class TestSignalFilterBankSquareRoot(OpTests):
    oracle = "numpy"
    cases = (
        Case("channels", square_root((40,))),
        Case("one_element", square_root((1,))),
    )
    rejected = (
        refused("rank", square_root((2, 3)), "x u64[2x3] must be a vector"),
        refused("bits", square_root((2,), (1,)), "bits i32[1] must be one number"),
        refused("output", square_root((2,), (), (3,)), "'y' is u32[3] where u32[2]"),
    )

    def test_roots_are_the_nearest(self) -> None:
        """Checks that x lies between the squares of the midpoints below and above its root."""
        (found,) = self.in_numpy(square_root(NUMBERS.shape)).run([NUMBERS, np.array(0, np.int32)])
        half = Fraction(1, 2)
        for x, root in zip(NUMBERS.tolist(), found.tolist(), strict=True):
            assert x >= (root - half) ** 2 or root == 0
            assert x <= (root + half) ** 2 or root == (2**16 - 1 if x < 2**32 else 2**32 - 1)

    @pytest.mark.slow
    def test_kernels_find_all_of_them(self) -> None:
        case = Case("x", square_root(NUMBERS.shape))
        shifts = (0, 1, 7, 15, 31, 32, -1)
        sets: list[list[Array]] = [[NUMBERS, np.array(bits, np.int32)] for bits in shifts]
        self.check_kernels([case], sets)
