"""Transpose by simd.h: neighbours of x are turned to others of y, by squares in vectors."""

from opsmith.op import *
from runtimes.families.movement import EVERY_TYPE
from runtimes.simd.instruction_sets import AVX2, NEON_DOT

VECTOR = 16  # bytes
Six = tuple[int, int, int, int, int, int]


@dataclass(frozen=True)
class TurnedParams:
    """Places in x and y of planes, and the neighbours that are turned in each."""

    first: int  # element of x that is the first of y
    parts: int  # planes
    size: Six  # of the axes of planes, with leading ones
    step: Six  # elements of x from one plane to the next along each axis
    to: Six  # elements of y
    x_neighbours: int  # of a plane
    y_neighbours: int
    x_pitch: int  # elements of x between neighbours of y
    y_pitch: int  # elements of y between neighbours of x


def turned(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels for all instruction sets: AVX2's serve AVX-512, too."""
    definition = variant.kernels[-1]

    def plan(node: NodeView) -> Plan | Refused:
        found = definition.plan(node)
        if isinstance(found, Refused):
            return found
        params = _turned(found.params, VECTOR // node["x"].dtype.size)
        return params if isinstance(params, Refused) else Plan(params)

    kernel = replace(
        definition,
        params=TurnedParams,
        plan=plan,
        cost=per_element(2.0),
        header="ops/transpose/simd.h",
        function="opsmith::transpose::turned<T>",
    )
    return tuple(replace(kernel, name=each.name, requires={each.name}) for each in (AVX2, NEON_DOT))


def _turned(walk: Any, square: int) -> TurnedParams | Refused:
    """Params of a walk whose neighbours fill squares; `walk` has the fields of GatherParams."""
    loops = [(size, step) for size, step in zip(walk.size, walk.step, strict=True) if size > 1]
    pitches = [math.prod(size for size, _ in loops[i + 1 :]) for i in range(len(loops))]
    beside = [i for i, (size, step) in enumerate(loops[:-1]) if step == 1 and size >= square]
    if not beside or loops[-1][0] < square:
        return Refused(f"fewer than {square} neighbours are turned to others")
    row, last = beside[0], len(loops) - 1
    planes = [(*loops[i], pitches[i]) for i in range(last) if i != row]
    size, step, to = zip(*[(1, 0, 0)] * (6 - len(planes)), *planes, strict=True)
    return TurnedParams(
        first=walk.first,
        parts=math.prod(size),
        size=size,
        step=step,
        to=to,
        x_neighbours=loops[row][0],
        y_neighbours=loops[last][0],
        x_pitch=loops[last][1],
        y_pitch=pitches[row],
    )


KERNELS = tuple(KernelsFor({"T": each}, (turned,)) for each in EVERY_TYPE)
