"""SignalEnergy: start and end indices, and the largest sums, against exact arithmetic."""

from opsmith.testing.op_tests import *

EDGES = (-32768, -32767, -256, -1, 0, 1, 255, 32767)


def energy(x: Sequence[int], start: int, end: int, y: Sequence[int] | None = None) -> Build:
    """Energy to build of a spectrum that is an input."""
    size = [int(np.prod(x)) // 2] if y is None else y
    options = {"start_index": start, "end_index": end}
    return custom_node("SignalEnergy", {"x": (x, "int16")}, {"y": (size, "uint32")}, options)


class TestSignalEnergy(OpTests):
    oracle = "numpy"
    cases = (
        Case("spectrum", energy((514,), 5, 241)),
        Case("all", energy((32,), 0, 16)),
        Case("none", energy((8,), 2, 2)),
        Case("one", energy((2,), 0, 1)),
        Case("last", energy((8,), 3, 4)),
    )
    rejected = (
        Rejected(
            Case("far", energy((8,), 0, 5)), "indices 0 to 5 are not in order within y u32[4]"
        ),
        refused("negative", energy((8,), -1, 4), "indices -1 to 4"),
        refused("order", energy((8,), 3, 2), "indices 3 to 2"),
        refused("odd", energy((7,), 0, 3), "must be a vector of pairs"),
        refused("rank", energy((2, 4), 0, 4), "must be a vector of pairs"),
        refused("output", energy((8,), 0, 4, (8,)), "'y' is u32[8] where u32[4]"),
    )

    def test_squared_magnitudes_are_exact(self) -> None:
        pairs = [(a, b) for a in EDGES for b in EDGES]
        asked = self.in_numpy(energy((2 * len(pairs),), 1, len(pairs) - 1))
        (found,) = asked.run([np.array(pairs, np.int16).reshape(-1)])
        exact = [a * a + b * b for a, b in pairs]
        assert found.tolist() == [0, *exact[1:-1], 0]
