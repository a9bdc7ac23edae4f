"""BatchMatMul: transposed operands, batches that broadcast, and all element types."""

from opsmith.testing.op_tests import *
from runtimes.families.matmul_cases import BatchMatMul

CONSTANT = np.random.default_rng(5).integers(-128, 128, (7, 5)).astype(np.int8)


def dynamic(a: Sequence[int], *b: int, adj_x: bool = False, adj_y: bool = False) -> BatchMatMul:
    """Product of floats and constant bytes to build."""
    values = np.random.default_rng(6).integers(-128, 128, b).astype(np.int8)
    return BatchMatMul(a, values, adj_x, adj_y, types=("float32", "int8"), by_range=True)


def most(depth: int) -> BatchMatMul:
    """Product with the largest sums that `depth` products can have."""
    values = np.full((depth, 2), 127, np.int8)
    return BatchMatMul((1, 2, depth), values, types=("float32", "int8"), by_range=True)


class TestBatchMatMul(OpTests):
    cases = cases(
        plain=BatchMatMul(),
        transposed_a=BatchMatMul((2, 7, 3), (2, 7, 5), adj_x=True),
        transposed_b=BatchMatMul((2, 3, 8), (2, 4, 8), adj_y=True),
        both=BatchMatMul((7, 3), (5, 7), adj_x=True, adj_y=True),
        constant_b=BatchMatMul((2, 3, 7), CONSTANT),
        broadcast=BatchMatMul((2, 1, 3, 7), (1, 4, 7, 5)),
        rank_5=BatchMatMul((2, 1, 2, 3, 7), (2, 7, 2)),
        rank_5_both=BatchMatMul((2, 1, 3, 2, 7), (1, 2, 3, 2, 7), adj_y=True),
        deep=BatchMatMul((2, 5, 22), (2, 22, 6)),
        deep_transposed=BatchMatMul((5, 22), (6, 22), adj_y=True, zero_points=(-128, 127, 0)),
        deep_both=BatchMatMul((22, 5), (6, 22), adj_x=True, adj_y=True),
        one_element=BatchMatMul((1, 1), (1, 1)),
        saturates=BatchMatMul(scales=(1.0, 1.0, 0.5)),
        wraps=BatchMatMul((9, 17), (17, 5), scales=(2.8, 0.014, 1.6e-5), zero_points=(127, 0, -3)),
        ties=BatchMatMul(scales=(0.5, 0.5, 0.5), zero_points=(0, 0, 0)),
        to_int32=BatchMatMul(y_type="int32"),
        i16=BatchMatMul(types=("int16", "int16")),
        i16_transposed=BatchMatMul((2, 7, 3), (5, 7), True, True, types=("int16", "int16")),
        i16_wraps=BatchMatMul(types=("int16", "int16"), scales=(1.0, 1.0, 0.2)),
        i16_deep=BatchMatMul((2, 5, 22), (2, 22, 6), types=("int16", "int16")),
        i16_streams_b=BatchMatMul((22, 5), (6, 22), True, True, types=("int16", "int16")),
        i16x8=BatchMatMul(types=("int16", "int8")),
        i16x8_transposed=BatchMatMul((9, 3), (5, 9), True, True, types=("int16", "int8")),
        f32=BatchMatMul(types=("float32", "float32")),
        f32_transposed=BatchMatMul((2, 7, 3), (5, 7), True, True, types=("float32", "float32")),
        f32x8=dynamic((2, 3, 7), 2, 7, 5),
        f32x8_transposed=dynamic((2, 7, 3), 5, 7, adj_x=True, adj_y=True),
        f32x8_broadcast=dynamic((2, 1, 3, 7), 1, 4, 7, 5),
        f32x8_one_column=dynamic((3, 7), 7, 1),
        f32x8_one_row=dynamic((2, 1, 7), 7, 3),
        f32x8_deep=dynamic((1, 2, 2048), 2048, 2),
        f32x8_most_exact=most(1032),  # beyond it, sums are no integers that float32 has
        f32x8_beyond_exact=most(1033),
    )
    rejected = (
        refused("rank_1", BatchMatMul((7,), (7, 5)), "a i8[7] must have 2 to 5 dimensions"),
        refused("depth", BatchMatMul((3, 7), (6, 5)), "rows of a have 7 elements, columns of b 6"),
        refused("batches", BatchMatMul((2, 3, 7), (3, 7, 5)), "do not broadcast"),
        refused("unquantised", BatchMatMul(scales=()), "a must be quantised per tensor"),
        refused("deep", BatchMatMul((1, 1 << 17), (1 << 17, 1)), "a sum may overflow 32 bits"),
        refused(
            "i16_zero_point",
            BatchMatMul(types=("int16",) * 2, zero_points=(1, 0, 0)),
            "which must be 0",
        ),
        refused(
            "i16_deep",
            BatchMatMul((1, 1 << 17), (1 << 17, 1), types=("int16", "int16")),
            "a sum may overflow 48 bits",
        ),
        refused(
            "i16_ratio",
            BatchMatMul(types=("int16", "int16"), scales=(1.0, 1.0, 1e-3)),
            "must be below 128",
        ),
        refused("types", BatchMatMul(types=("int8", "int16")), "do not go together", "MDL012"),
        refused(
            "f32x8_computed",
            BatchMatMul(types=("float32", "int8"), by_range=True),
            "b must be a constant",
        ),
        refused(
            "f32x8_symmetric",
            replace(dynamic((3, 7), 7, 5), by_range=False),
            "asymmetric_quantize_inputs must be set",
        ),
        refused("f32x8_batches", dynamic((2, 2, 3, 7), 7, 5), "must have one axis of batches"),
        refused("f32x8_deep", dynamic((1, 2049), 2049, 1), "where 2048 are the most"),
        refused(
            "f32x8_zero_point",
            replace(dynamic((3, 7), 7, 5), zero_points=(0, 1, 0)),
            "zero point",
        ),
    )
