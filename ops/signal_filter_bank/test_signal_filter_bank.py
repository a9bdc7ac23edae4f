"""SignalFilterBank: triangular bands of a front end, odd ones, and refused ones."""

from opsmith.testing.op_tests import *

RANDOM = np.random.default_rng(0)
WIDTHS = (4, 4, 8, 12, 16, 24)
OFFSETS = np.cumsum((0, *WIDTHS))[:-1].tolist()
WEIGHTS = RANDOM.integers(0, 4097, sum(WIDTHS)).tolist()
STARTS = [4 + offset for offset in OFFSETS]
MEL = {"weights": WEIGHTS, "starts": STARTS, "weight_starts": OFFSETS, "widths": WIDTHS}


def bank(
    bins: int = 80,
    channels: int | None = None,
    y: int | None = None,
    **others: Sequence[int],
) -> Build:
    """Filter bank to build, of a front end or others; a weight and its unweight add up to 4096."""
    tables = {name: np.array(values, np.int16) for name, values in (MEL | others).items()}
    tables = {"weights": tables["weights"], "unweights": 4096 - tables["weights"]} | tables
    channels = len(tables["widths"]) - 1 if channels is None else channels
    made = {"y": ((channels if y is None else y,), "uint64")}
    options = {"num_channels": channels}
    return custom_node("SignalFilterBank", {"x": ((bins,), "uint32"), **tables}, made, options)


def negative() -> list[int]:
    """Weights of either sign."""
    found: list[int] = RANDOM.integers(-(2**15), 2**15, sum(WIDTHS)).tolist()
    return found


small = partial(bank, 4, weights=(1, 2, 3))


class TestSignalFilterBank(OpTests):
    oracle = "numpy"
    cases = (
        Case("mel", bank()),
        Case("overlapping", bank(starts=(0, 2, 5, 9, 20, 30))),
        Case("backwards", bank(starts=(70, 60, 40, 20, 3, 0))),
        Case("shared_weights", bank(weight_starts=(0, 0, 0, 4, 8, 9))),
        Case("empty_bands", bank(widths=(0, 4, 0, 12, 0, 0))),
        Case("negative", bank(weights=negative(), unweights=negative())),
        Case("one_channel", small(starts=(0, 1), weight_starts=(0, 1), widths=(1, 2))),
        Case("empty_band_elsewhere", small(starts=(9, 1), weight_starts=(-7, 1), widths=(0, 2))),
    )
    rejected = (
        refused("bins", bank(bins=71), "band 5 leaves x u32[71]"),
        refused("start", bank(starts=(-1, 4, 8, 9, 9, 9)), "band 0 leaves x"),
        refused("weights", bank(weight_starts=(0, 65, 0, 0, 0, 0)), "band 1 leaves w"),
        refused("width", bank(widths=(4, 4, -1, 4, 4, 4)), "a width is negative"),
        refused("channels", bank(channels=6), "starts i16[6] must be a vector of 7"),
        refused("output", bank(y=6), "'y' is u64[6] where u64[5]"),
        refused("none", bank(channels=0, y=1), "'y' is u64[1] where u64[0]"),
        refused("few", bank(unweights=(1, 2)), "must be a vector as unweights are"),
    )

    def test_sums_are_exact(self) -> None:
        x = RANDOM.integers(0, 2**32, 80, np.uint32)
        (found,) = self.in_numpy(bank()).run([x])

        def band(index: int, weights: Sequence[int]) -> int:
            start, first, width = STARTS[index], OFFSETS[index], WIDTHS[index]
            bins, own = x[start : start + width].tolist(), weights[first : first + width]
            return sum(weight * each for weight, each in zip(own, bins, strict=True))

        rest = [4096 - weight for weight in WEIGHTS]
        wanted = [band(i + 1, WEIGHTS) + band(i, rest) for i in range(len(WIDTHS) - 1)]
        assert found.tolist() == wanted
