"""Ops whose result is known at build time, such as a tensor's shape: firmware computes nothing."""

from opsmith.ir.types import ALL
from opsmith.op import *
from opsmith.op.fold import OF_SHAPES
from runtimes.families.movement import HEADER, X


@dataclass(frozen=True)
class Params:
    """Size of y in bytes."""

    bytes: int


@dataclass(frozen=True)
class Numbers:
    """Table of the bytes of y."""

    y: NDArray[np.uint8]


def copied(y: Callable[[NodeView], Array]) -> Kernel:
    """Kernel that copies a y that is known at build time."""

    def numbers(node: NodeView) -> Numbers:
        return Numbers(y(node).reshape(-1).view(np.uint8))

    return reference(
        by_name(Params, bytes=lambda node: node["y"].bytes),
        numbers,
        header=HEADER,
        function="opsmith::movement::copy",
        arguments=("p", "tables.y", "out.y"),
    )


def known(
    name: str,
    source: Rename,
    inputs: Sequence[str],
    numbers: Callable[[NodeView], Array],
    types: Sequence[DType],
    example: Example,
    y: DType | str = "T",
    rank: int | None = None,
    **others: Any,
) -> Op:
    """Op whose y has the `numbers` that follow from constant inputs, each of one of these
    types and of this rank.

    `others` are further fields of Op.
    """

    def infer(node: NodeView) -> Sequence[TensorType]:
        found = numbers(node)
        return [TensorType(node["y"].dtype, found.shape)]

    others.setdefault("infer", infer)
    return Op(
        name,
        legalize=(source,),
        inputs=tuple(Input(each, "T", constant=True, rank=rank) for each in inputs),
        outputs=(Output("y", y),),
        evaluate=lambda node, inputs: [numbers(node)],
        variants=of_types({"T": types}, copied(numbers), examples=(example,)),
        **others,
    )


def of_shapes(
    name: str, source: Rename, numbers: Callable[[NodeView], Any], types: Sequence[DType]
) -> Op:
    """Op whose y has the `numbers` that follow from x's shape, of one of these types."""

    def infer(node: NodeView) -> Sequence[TensorType]:
        return [TensorType(node["y"].dtype, np.shape(numbers(node)))]

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [np.array(numbers(node), node["y"].dtype.numpy)]

    kernel = copied(lambda node: evaluate(node, ())[0])
    return Op(
        name,
        legalize=(source,),
        inputs=(X,),
        outputs=(Output("y", "N"),),
        traits={OF_SHAPES},
        infer=infer,
        evaluate=evaluate,
        variants=of_types({"T": ALL, "N": types}, kernel, untyped=True),
        examples=(Example.of(x=(3, 2)),),
    )
