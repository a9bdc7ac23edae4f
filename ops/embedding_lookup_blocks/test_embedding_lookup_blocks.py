"""EmbeddingLookupBlocks: widths, blocks of any size, known and computed indices, bad scales."""

from opsmith.testing.op_tests import *

LEAST = {2: -2, 4: -8, 8: -128}  # of integers of N bits
COMPUTED = ((3,), "int32")


def look_up(
    indices: Given = COMPUTED,
    rows: int = 5,
    block: int = 8,
    count: int = 3,
    bits: int = 4,
    scales: Sequence[int] | None = None,
) -> Build:
    """Lookup in a table whose rows have `count` blocks; `scales` replaces the scales' shape."""
    random = np.random.default_rng(bits)
    table = random.integers(LEAST[bits], -LEAST[bits], (rows, block * count)).astype(np.int8)
    table.flat[0] = LEAST[bits]
    halves = random.uniform(0.01, 2, scales or (rows, count)).astype(np.float16)
    number = len(indices) if isinstance(indices, np.ndarray) else indices[0][0]
    given = {"indices": indices, "x": table, "scales": halves.astype(np.float32)}
    made = {"y": ((number, block * count), "float32")}
    return custom_node("OpsmithEmbeddingLookupBlocks", given, made)


class TestEmbeddingLookupBlocks(OpTests):
    cases = (
        *(Case(f"int{bits}", look_up(bits=bits)) for bits in LEAST),
        Case("known", look_up(np.array([4, 0, 4], np.int32))),
        Case("odd_blocks", look_up(block=5)),
        Case("odd_blocks_that_fill_bytes", look_up(block=3, count=4, bits=2)),
        Case("one_element", look_up(((1,), "int32"), 1, 1, 1)),
    )
    rejected = (
        refused("beyond", look_up(np.array([5], np.int32)), "indices [5] are no positions"),
        refused("rows", look_up(scales=(4, 3)), "x i8[5x24] have no rows of scales f32[4x3]"),
        refused("divide", look_up(scales=(5, 5)), "24 x do not divide into 5 blocks"),
        refused("none", look_up(scales=(5, 0)), "have no rows of scales"),
    )
    oracle = "numpy"
