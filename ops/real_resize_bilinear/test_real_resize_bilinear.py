"""RealResizeBilinear: places of every kind, against exact fractions."""

from fractions import Fraction

from opsmith.testing.op_tests import *

KINDS = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def resize(
    x: Sequence[int],
    size: tuple[int, int],
    places: str = "half_pixel",
    points: tuple[int, int] = (3, 3),
) -> Build:
    """Resize of an image to build."""
    given: dict[str, Any] = {"x": (tuple(x), "int8", 0.05, points[0])}
    y = ((x[0], *size, x[3]), "int8", 0.05, points[1])
    given["size"] = np.array(size, np.int32)
    return custom_node("OpsmithResizeLinear", given, {"y": y}, {"places": places})


class TestRealResizeBilinear(OpTests):
    cases = (
        *(Case(f"larger_{kind}", resize((2, 3, 5, 5), (7, 8), kind)) for kind in KINDS),
        *(Case(f"smaller_{kind}", resize((1, 9, 10, 1), (4, 1), kind)) for kind in KINDS),
        Case("twice", resize((2, 3, 4, 7), (6, 8), points=(-128, -128))),
        Case("four_times", resize((1, 3, 2, 4), (12, 8), points=(127, 127))),
        Case("corners_shifted", resize((1, 3, 5, 3), (5, 9), "align_corners")),
        Case("same", resize((1, 3, 5, 2), (3, 5))),
        Case("from_one_pixel", resize((1, 1, 1, 3), (3, 4))),
        Case("one_element", resize((1, 1, 1, 1), (1, 1))),
    )
    rejected = (
        refused("points", resize((1, 2, 2, 1), (3, 3), points=(3, 4)), "the same quantisation"),
        refused(
            "parts", resize((1, 3, 3, 1), (2999, 2999)), "2999 x 2999 parts, more than 4194304"
        ),
        refused("kind", resize((1, 2, 2, 1), (3, 3), "cubic"), "is 'cubic'; known are", "MDL013"),
    )
    oracle = "numpy"

    @pytest.mark.parametrize("kind", KINDS)
    def test_elements_are_exact_and_rounded_once(self, kind: str) -> None:
        random = np.random.default_rng(3)
        for before, after in ((5, 8), (7, 3), (4, 8), (6, 1)):
            x = random.integers(-128, 128, (1, 1, before, 1)).astype(np.int8)
            (y,) = self.in_numpy(resize(x.shape, (1, after), kind)).run([x])
            values = [int(each) - 3 for each in x.reshape(-1)]
            wanted = [round(_at(values, kind, i, after)) + 3 for i in range(after)]
            assert y.reshape(-1).tolist() == wanted


def _at(values: list[int], kind: str, i: int, after: int) -> Fraction:
    """Element i of `after` by the definition, which interpolates between neighbours."""
    before = len(values)
    place = {
        "half_pixel": Fraction(2 * i + 1, 2) * Fraction(before, after) - Fraction(1, 2),
        "asymmetric": Fraction(i * before, after),
        "align_corners": Fraction(i * (before - 1), max(after - 1, 1)),
    }
    place["pytorch_half_pixel"] = place["half_pixel"] if after > 1 else Fraction(0)
    at = min(max(place[kind], Fraction(0)), Fraction(before - 1))
    low, high = at.numerator // at.denominator, -(-at.numerator // at.denominator)
    return values[low] + (at - low) * (values[high] - values[low])
