"""EmbeddingLookupBlocks: rows of a table of int4 or int2 with a scale for each block, as float32.

The front end makes this op of an EMBEDDING_LOOKUP whose table is quantised blockwise.
"""

from dataclasses import asdict

from opsmith.op import *
from runtimes.core.block_weights import (
    BlockStorage,
    block_problems,
    block_values,
    blocks_of,
    packed_integers,
)
from runtimes.families.indices import INDICES, NO_POSITION, index_problems, positions


@dataclass(frozen=True, kw_only=True)
class Params(BlockStorage):
    """Geometry and storage of the table."""

    tuples: int  # indices
    positions: int  # rows of the table


@dataclass(frozen=True)
class Tables:
    """Packed table, and scales of its blocks."""

    x: NDArray[np.uint8]  # [positions][blocks * block], several in each byte
    scales: NDArray[np.float32]  # [positions][blocks]


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: a row for each index."""
    indices, x = node["indices"], node["x"]
    return [TensorType(f32, (indices.elements, x.shape[1]))]


def check(node: NodeView) -> Iterator[str]:
    """Problems of the scales, and of constant indices."""
    yield from block_problems(node, "x")
    yield from index_problems(node["indices"], node["x"].shape[:1])


def params(node: NodeView) -> Params:
    """Geometry and storage of a node's table."""
    tuples, table = node["indices"].elements, node["x"].shape[0]
    return Params(tuples=tuples, positions=table, **asdict(blocks_of(node, "x")))


def tables(node: NodeView) -> Tables:
    """Packed table, and scales of its blocks, of a node."""
    bits = blocks_of(node, "x").bits
    return Tables(packed_integers(node["x"].data, bits), node["scales"].data)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Rows of the table as float32, in numpy."""
    at = positions(inputs[0][:, np.newaxis], node["x"].shape[:1])
    return [block_values(node, "x")[at]]


def cost(node: NodeView) -> float:
    """Instructions: for each element of y, and to unpack it from a byte."""
    return node["y"].elements * (12.0 if blocks_of(node, "x").bits == 8 else 17.0)


OP = Op(
    "embedding_lookup_blocks",
    legalize=(Rename("tflite.CUSTOM.OpsmithEmbeddingLookupBlocks", versions=range(1, 6)),),
    inputs=(
        replace(INDICES, rank=1, limits=lambda node: (0, node["x"].shape[0] - 1)),
        Input("x", i8, constant=True, rank=2),
        Input("scales", f32, constant=True),
    ),
    outputs=(Output("y", f32),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=(Variant({"I": i32}, (reference(params, tables, cost=cost),)),),
    departs=NO_POSITION,
    examples=(
        Example.of(
            indices=(3,),
            x=ExampleTensor(i8, (4, 16), data=np.arange(64) % 15 - 7),
            scales=(np.arange(1, 9) / 8).reshape(4, 2),
        ),
    ),
)
