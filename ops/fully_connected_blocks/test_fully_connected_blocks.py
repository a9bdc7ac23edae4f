"""FullyConnectedBlocks: widths, blocks of any size, several rows, activations, bad scales."""

from opsmith.testing.op_tests import *

LEAST = {2: -2, 4: -8, 8: -128}  # of integers of N bits


def blocks(
    rows: int = 1,
    channels: int = 5,
    block: int = 8,
    count: int = 3,
    bits: int = 4,
    *,
    scale: float = 0.01,
    bias: int | None = None,
    **options: object,
) -> Build:
    """Layer to build whose rows have `count` blocks, with a bias of `bias` elements: None for one
    per channel, 0 for no bias.
    """
    random = np.random.default_rng(bits)
    depth = block * count
    weights = random.integers(LEAST[bits], -LEAST[bits], (channels, depth)).astype(np.int8)
    weights.flat[0] = LEAST[bits]
    real = scale * random.uniform(0.1, 2, (channels, count))
    with np.errstate(over="ignore"):
        scales = real.astype(np.float16).astype(np.float32)
    values = random.normal(size=channels if bias is None else bias).astype(np.float32)
    given: dict[str, Given] = {"x": ((rows, depth), "float32"), "weights": weights}
    given |= {"scales": scales, **({"bias": values} if values.size else {})}
    return custom_node(
        "OpsmithFullyConnectedBlocks", given, {"y": ((rows, channels), "float32")}, dict(options)
    )


class TestFullyConnectedBlocks(OpTests):
    cases = (
        *(Case(f"int{bits}", blocks(bits=bits)) for bits in LEAST),
        Case("blocks_of_32", blocks(channels=4, block=32, count=2)),
        Case("rows", blocks(rows=9, channels=13)),
        Case("rows_of_int2", blocks(rows=4, channels=8, bits=2)),
        Case("odd_blocks", blocks(block=5, count=3)),
        Case("odd_blocks_that_fill_bytes", blocks(block=3, count=4, bits=2)),
        Case("one_element", blocks(channels=1, block=1, count=1)),
        Case("without_bias", blocks(bias=0)),
        Case("relu6", blocks(scale=2.0, activation="RELU6")),
        Case("keep", blocks(rows=2, keep_num_dims=True)),
        Case("subnormal", blocks(scale=6e-8)),
    )
    rejected = (
        refused("bias", blocks(bias=3), "bias has 3 elements"),
        refused("infinite", blocks(scale=1e9), "a scale is not finite"),
    )
    oracle = "numpy"
