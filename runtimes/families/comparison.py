"""Ops that give the greater or the lesser of two elements a and b."""

from opsmith.op import *
from runtimes.families.binary import Function, binary, example, monotone, pairs_kind
from runtimes.families.broadcast import pairs
from runtimes.families.stablehlo import of_pairs

TYPES = (i8, u8, i16, i32, i64, f32)


def comparison(name: str, source: Rename, function: Function) -> Op:
    """Op whose function gives one of two elements, and grows with both.

    Elements are compared as they are, whatever their quantisation, as in TFLite. Of equal elements,
    and where one is NaN, TFLite gives b and StableHLO a.
    """

    f = "GREATER_OF" if function(np.array(1), np.array(0)) else "LESSER_OF"

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [function(*inputs)]

    def clamp(node: NodeView) -> tuple[int, int] | None:
        """Bounds of y where b is one known integer of up to 32 bits, else None."""
        b = node["b"]
        if b.constant is None or b.elements != 1 or not b.dtype.is_integer or b.dtype == i64:
            return None
        low, high = function(np.array(b.dtype.limits), b.data.reshape(-1)).tolist()
        return low, high

    with_zero = example(f32, (64,), (), np.array([-0.0]))
    return binary(
        name,
        source,
        variants=tuple(_variant(each, f) for each in TYPES),
        also=(of_pairs(name.upper(), *TYPES, turned=True),),
        evaluate=evaluate,
        hooks=Hooks(channels=Channels(ranges=monotone(evaluate)), clamp=clamp),
        examples=(with_zero,),
    )


def _variant(dtype: DType, name: str) -> Variant:
    definition = reference(pairs, cost=per_element(8.0))
    return Variant(
        {"T": dtype},
        kernels=(definition,),
        kind=pairs_kind("plain", name, Y=dtype.c),
        examples=(example(dtype, (2, 150), (2, 150)),),
    )
