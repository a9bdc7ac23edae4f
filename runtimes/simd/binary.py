"""Functions of pairs: quantised ones by affine.h and words.h, float32 ones by real_pairs.h."""

from opsmith.op import *
from runtimes.families.affine_pairs import AffinePairs, pair_plan
from runtimes.families.broadcast import in_place, row_problem
from runtimes.simd.instruction_sets import INSTRUCTION_SETS, for_each_set

# Name of the function that a kind knows -> signs of a and b.
SIGNS = {"wrapping_sum": (1, 1), "wrapping_difference": (1, -1)}
SIGNS |= {"Sum": (1, 1), "Difference": (1, -1)}


def sums(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a sum or a difference along rows in which a or b may be one repeated element."""
    assert variant.kind is not None
    signs = SIGNS.get(variant.kind.facts["F"])
    if signs is None or variant.evaluate is None or variant.types["T"] == i16:
        return ()
    planned = partial(pair_plan, variant.evaluate, signs)
    return tuple(
        Kernel(
            each.name,
            AffinePairs,
            refusing(planned, partial(row_problem, one_repeats=True)),
            numerics=ANY_RULE,
            requires={each.name},
            excludes=each.excludes,
            cost=per_element(20 / each.lanes),
            header="runtimes/simd/affine.h",
            includes=(each.header,),
            function=f"opsmith::simd::affine_pairs<opsmith::simd::{each.struct}>",
            arguments=("p", "in.a", "in.b", "out.y"),
        )
        for each in INSTRUCTION_SETS
    )


# Name of the function that a kind knows -> struct of families/binary.h, and instructions.
WORDS = {
    "wrapping_sum": ("Sum", 50.0),
    "wrapping_difference": ("Difference", 50.0),
    "squared_difference": ("SquaredDifference", 50.0),
    "": ("Product", 24.0),
}


def words(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of the reference's function along rows in which a or b may be one element."""
    return tuple(_words(variant))


def _words(variant: Variant) -> Iterator[Kernel]:
    assert variant.kind is not None
    struct, instructions = WORDS[variant.kind.facts.get("F", "")]
    definition = in_place(variant.kernels[-1])
    for each in INSTRUCTION_SETS:
        yield Kernel(
            f"{each.name}_words",
            definition.params,
            refusing(definition.plan, partial(row_problem, one_repeats=True)),
            requires={each.name},
            excludes=each.excludes,
            cost=per_element(instructions / each.lanes),
            header="runtimes/simd/words.h",
            includes=("runtimes/families/binary.h", each.header),
            function=(
                f"opsmith::simd::pairs<opsmith::simd::{each.struct}, "
                f"opsmith::binary::Quantised<opsmith::binary::{struct}>>"
            ),
            arguments=("p", "in.a", "in.b", "out.y"),
        )


# Name of the function that a kind knows -> operator.
OPERATORS = {
    "wrapping_sum": "+",
    "wrapping_difference": "-",
    "wrapping_product": "*",
    "divided": "/",
}


def reals(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a float32 function along rows in which a or b may be one repeated element."""
    return tuple(_reals(variant))


def _reals(variant: Variant) -> Iterator[Kernel]:
    assert variant.kind is not None
    function = f"[](auto a, auto b) {{ return a {OPERATORS[variant.kind.facts['F']]} b; }}"
    definition = in_place(variant.kernels[-1])
    for each in INSTRUCTION_SETS:
        yield Kernel(
            each.name,
            definition.params,
            refusing(definition.plan, partial(row_problem, one_repeats=True)),
            requires={each.name},
            excludes=each.excludes,
            cost=per_element(8 / each.lanes),
            header="runtimes/simd/real_pairs.h",
            includes=(each.header,),
            function=f"opsmith::simd::real_pairs<opsmith::simd::{each.struct}>",
            arguments=("p", "in.a", "in.b", function, "out.y"),
        )


def rows_of_floats(
    header: str, namespace: str, instructions: float
) -> Callable[[Variant], tuple[Kernel, ...]]:
    """Kernels with the definition's plan by in_vectors, for rows of neighbours or one element."""

    def kernels(variant: Variant) -> tuple[Kernel, ...]:
        definition = in_place(variant.kernels[-1])
        planned = refusing(definition.plan, partial(row_problem, one_repeats=True))
        return for_each_set(
            replace(definition, plan=planned),
            f"opsmith::{namespace}::in_vectors",
            per_element(instructions),
            header=header,
            arguments=("p", "in.a", "in.b", "out.y"),
        )

    return kernels


KERNELS = (
    KernelsFor("quantised", (sums, words)),
    KernelsFor("floats", (reals,)),
    KernelsFor("real", (sums,)),
    KernelsFor("products", (words,)),
)
