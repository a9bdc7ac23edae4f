"""Table: values in the order of the elements' bit patterns."""

from opsmith.testing.op_tests import *


def looked_up(values: bytes, shape: tuple[int, ...] = (3, 70), dtype: str = "int8") -> Build:
    """Table to build between two quantisations, which have no effect."""
    x, y = (shape, dtype, 0.1, 3), (shape, dtype, 0.02, 7)
    return custom_node("OpsmithTable", {"x": x}, {"y": y}, values)


RANDOM = np.random.default_rng(7).bytes(256)


class TestTable(OpTests):
    cases = (
        Case("random", looked_up(RANDOM)),
        Case("same", looked_up(bytes(range(256)), (1, 4, 5, 3))),
        Case("constant", looked_up(bytes([200]) * 256, (17,))),
        Case("uint8", looked_up(RANDOM, (3, 70), "uint8")),
        Case("none", looked_up(b"")),
        Case("one", looked_up(RANDOM, (1,))),
        Case("scalar", looked_up(RANDOM, ())),
    )
    rejected = (refused("short", looked_up(RANDOM[:255]), "values has 255 bytes instead of 256"),)
    oracle = "numpy"
