"""Instruction sets of vector kernels, and the order in which each reads constants."""

from opsmith.op import *


@dataclass(frozen=True)
class InstructionSet:
    """Instruction set for kernels; its header repeats these numbers."""

    name: str  # of the feature, the header and the kernels
    struct: str  # of the header
    lanes: int  # channels in a vector of sums
    group: int  # inputs whose products one instruction adds in a lane
    rows: int  # rows of inputs that one weight meets
    inputs: DType  # of a row, as they are multiplied
    flipped: int  # that they are more than x
    channels: int  # of a block of depthwise taps
    interleaved: bool  # two taps of a channel lie side by side, and channels as unpacked
    per_mac: float  # instructions
    per_tap: float  # instructions of a block
    excludes: frozenset[str] = frozenset()  # features with which another one is better

    @property
    def per_output(self) -> float:
        """Instructions that requantise and store a sum."""
        return 24 / self.lanes

    @property
    def header(self) -> str:
        """Path of the header, as it is included."""
        return f"runtimes/simd/{self.name}.h"


AVX2 = InstructionSet("avx2", "Avx2", 8, 2, 6, i16, 0, 16, True, 0.2, 5, frozenset({"avx512_vnni"}))
AVX512_VNNI = InstructionSet("avx512_vnni", "Avx512Vnni", 16, 4, 6, u8, 128, 32, True, 0.03, 8)
NEON_DOT = InstructionSet("neon_dot", "NeonDot", 4, 4, 4, i8, 0, 8, False, 0.1, 5)
INSTRUCTION_SETS = (AVX2, AVX512_VNNI, NEON_DOT)
HALVES = (  # with weights of 16 bits
    replace(AVX2, struct="Avx2Halves"),
    replace(AVX512_VNNI, struct="Avx512Halves", group=2, inputs=i16, flipped=0, per_mac=0.06),
    replace(NEON_DOT, struct="NeonHalves", group=1, inputs=i16, per_mac=0.4),
)


def kernels(
    header: str,
    function: str,
    params: type[Any],
    tables: type[Any],
    plan: Callable[[InstructionSet, NodeView], Plan | Refused],
    cost: Callable[[InstructionSet], Callable[[NodeView], float]],
    scratch: Callable[[InstructionSet], Mapping[str, DType]] | None = None,
    suffix: str = "",
    *,
    narrower: bool = False,
    sets: tuple[InstructionSet, ...] = INSTRUCTION_SETS,
) -> tuple[Kernel, ...]:
    """Kernel for each of `sets`, by a function template over its struct. With `narrower`,
    cores with wider vectors have these kernels, too: few channels leave part of a wide vector idle.
    """
    return tuple(
        Kernel(
            each.name + suffix,
            params,
            partial(plan, each),
            tables,
            scratch={} if scratch is None else scratch(each),
            numerics=ANY_RULE,
            requires={each.name},
            excludes=frozenset() if narrower else each.excludes,
            cost=cost(each),
            header=header,
            includes=(each.header,),
            function=f"{function}<opsmith::simd::{each.struct}>",
            arguments=("p", "in", "out", "tables", *(() if scratch is None else ("scratch",))),
        )
        for each in sets
    )


def for_each_set(
    given: Kernel, function: str, cost: Callable[[NodeView], float], **fields: Any
) -> tuple[Kernel, ...]:
    """Kernel for each instruction set with the plan of `given`, by a function template whose first
    argument is the set's struct.
    """
    return tuple(
        replace(
            given,
            name=each.name,
            requires={each.name},
            excludes=each.excludes,
            cost=cost,
            includes=(*given.includes, each.header),
            function=f"{function}<opsmith::simd::{each.struct}>",
            **fields,
        )
        for each in INSTRUCTION_SETS
    )


def starts(channels: int, width: int) -> NDArray[np.int64]:
    """First channel of each block; the last ends at the last channel, and may overlap another."""
    last = max(channels - width, 0)
    return np.minimum(np.arange(0, channels, width), last)


def blocks(rows: Array, width: int, groups: int = 1) -> Array:
    """Blocks [block][width] of rows, one for each channel, those of each group apart; zeros fill up
    fewer than `width` rows.
    """
    return np.concatenate([_blocks(each, width) for each in np.split(rows, groups)])


def _blocks(rows: Array, width: int) -> Array:
    filled = np.pad(rows, ((0, max(width - len(rows), 0)), *((0, 0),) * (rows.ndim - 1)))
    found: Array = filled[starts(len(rows), width)[:, None] + np.arange(width)]
    return found
