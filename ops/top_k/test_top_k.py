"""TopK: every element type, ties, and both ways to say k, against LiteRT and in numpy."""

from opsmith.testing.op_tests import *


def top_k(
    x: Sequence[int], k: int, dtype: str = "int8", scales: tuple[float, float] = (0.5, 0.5)
) -> Build:
    """TOPK_V2 to build."""
    count, version = np.array(k, np.int32), 3 if dtype == "int16" else 2
    given, made = _tensors(x, k, dtype, scales)
    return one_node("TOPK_V2", {"x": given, "count": count}, made, version=version)


def my_top_k(x: Sequence[int], dtype: str = "int8", **options: int) -> Build:
    """Custom op MyTopK to build, with options."""
    given, made = _tensors(x, options.get("k") or 1, dtype, (0.5, 0.5))
    return custom_node("MyTopK", {"x": given}, made, options)


def _tensors(
    x: Sequence[int], k: int, dtype: str, scales: tuple[float, float]
) -> tuple[Given, dict[str, Given]]:
    first, second = scales if dtype in ("int8", "uint8", "int16") else ((), ())
    shape = (*x[:-1], k)
    return (x, dtype, first), {"values": (shape, dtype, second), "indices": (shape, "int32")}


class TestTopK(OpTests):
    cases = (
        Case("int8", top_k((3, 16), 5)),
        Case("int16", top_k((2, 9), 4, "int16")),
        Case("float32", top_k((2, 9), 4, "float32")),
        Case("uint8", top_k((2, 9), 4, "uint8")),
        Case("int32", top_k((2, 9), 4, "int32")),
        Case("int64", top_k((2, 9), 4, "int64")),
        Case("many_ties", top_k((4, 512), 40)),
        Case("all_sorted", top_k((17,), 17)),
        Case("one_of_one", top_k((1,), 1)),
        Case("only_the_largest", top_k((2, 3, 4), 1)),
    )
    rejected = (
        refused("too_many", top_k((4,), 5), "k is 5; the last axis has 4 elements"),
        refused("none", my_top_k((4,), k=0), "k is 0"),
        refused("rescaled", top_k((4,), 2, scales=(0.5, 0.25)), "values must be quantised as x is"),
        Rejected(
            Case("unknown_option", my_top_k((4,), kk=2)),
            "option kk=2 is not known to top_k (k, sorted)",
            "MDL013",
        ),
        Rejected(
            Case("k_is_text", my_top_k((4,), sorted=7)),
            "attribute 'sorted' is 7, no bool",
            "MDL013",
        ),
    )

    @pytest.mark.slow
    def test_kernels_put_nan_last_as_litert_does(self) -> None:
        """Compares inputs with NaN, which seeded inputs do not have."""
        nan, infinite = np.nan, np.inf
        rows = [[nan, 1, 2, 3], [3, nan, nan, 1], [nan, -infinite, nan, infinite], [nan] * 4]
        x = np.array(rows, np.float32)
        self.check_kernels([Case("nan", top_k(x.shape, 3, "float32"))], [[x]])


class TestMyTopK(OpTests):
    """Tests of the custom name, which LiteRT does not have."""

    oracle = "numpy"
    cases = (
        Case("int8", my_top_k((3, 16), k=5)),
        Case("int16", my_top_k((3, 16), "int16", k=5)),
        Case("float32", my_top_k((3, 16), "float32", k=5)),
        Case("uint8", my_top_k((3, 16), "uint8", k=5)),
        Case("int32", my_top_k((3, 16), "int32", k=5)),
        Case("int64", my_top_k((3, 16), "int64", k=5)),
    )
