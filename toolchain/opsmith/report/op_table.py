"""Element types of each op, and its kernels for them: `scons ops`, README and the catalogue.

Only `variants` reads these facts from an op's registration.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap

from opsmith.board.emitter import RUNTIME_FEATURE, runtime_feature
from opsmith.ir import DType
from opsmith.op.declare import Input, Output
from opsmith.op.describe import Op
from opsmith.op.describe import Variant as Described
from opsmith.op.kernel import Kernel

COLUMNS, TYPES = 110, 26  # characters of a line, and of the column of types


@dataclass(frozen=True)
class KernelFacts:
    """A kernel, and its requirements on core, runtime and build."""

    name: str
    requires: tuple[str, ...]
    excludes: tuple[str, ...]  # features of cores that it is not for

    def __str__(self) -> str:
        return f"{self.name} ({' '.join(self.requires)})" if self.requires else self.name


@dataclass(frozen=True)
class VariantRow:
    """Element types that equal kernels compute, with the kernels in order of preference."""

    types: str
    kernels: tuple[KernelFacts, ...]


def variants(op: Op) -> tuple[VariantRow, ...]:
    """Variants of an op, types of equal kernels in one row; 'float32 (2 ulp)' for a bound."""
    groups: dict[tuple[tuple[KernelFacts, ...], str], list[Mapping[str, DType]]] = {}
    for variant in op.variants:
        key = tuple(map(_facts, variant.kernels)), _bound(variant)
        groups.setdefault(key, []).append(variant.types)
    found = []
    for (kernels, bound), types in groups.items():
        others = [each for group in groups.values() if group is not types for each in group]
        text = _named(op, types, others)
        found.append(VariantRow(f"{text} ({bound})" if bound else text, kernels))
    return tuple(found)


def _named(
    op: Op, types: Sequence[Mapping[str, DType]], others: Sequence[Mapping[str, DType]]
) -> str:
    """Element types as text; types with other kernels for other constants name those."""
    elsewhere = {_types(op, [each]) for each in others}
    plain = [each for each in types if _types(op, [each]) not in elsewhere]
    parts = [_types(op, plain)] if plain else []
    for each in types:
        if (text := _types(op, [each])) in elsewhere:
            same = [other for other in others if _types(op, [other]) == text]
            name, dtype = next(_differing(op, each, same), ("", ""))
            parts.append(f"{text} with {dtype} {name}" if name else text)
    return ", ".join(dict.fromkeys(parts))


def _differing(
    op: Op, types: Mapping[str, DType], others: Sequence[Mapping[str, DType]]
) -> Iterator[tuple[str, str]]:
    """Yield names and types of the constants whose type differs in `others`."""
    for value in op.inputs:
        if value.constant and isinstance(value.type, str):
            dtype = types[value.type]
            if any(other[value.type] != dtype for other in others):
                yield value.name, dtype.name


def _bound(variant: Described) -> str:
    """Bound on the difference of a variant's floats from LiteRT's; empty for none."""
    at = f" of {variant.ulps_at:g}" if variant.ulps_at else ""
    return f"{variant.ulps} ulp{at}" if variant.ulps else ""


def heading(width: int) -> Iterator[str]:
    """First lines of a table for a terminal; `width` is the length of the longest name."""
    yield f"{'op':{width}}  {'types':{TYPES}}  kernels (what they require)"
    yield ""


def text_table(name: str, found: Sequence[VariantRow], width: int) -> Iterator[str]:
    """Lines of one op for a terminal; `width` is the length of the longest name."""
    for variant in found:
        types = wrap(variant.types, TYPES)
        kernels = _wrapped(map(str, variant.kernels), COLUMNS - width - TYPES - 4)
        for left, right in zip_longest(types, kernels, fillvalue=""):
            yield f"{name:{width}}  {left:{TYPES}}  {right}".rstrip()
            name = ""


def _wrapped(items: Iterable[str], width: int) -> list[str]:
    """Return the items separated by commas, on lines that break only between items."""
    lines = [""]
    for item in items:
        both = f"{lines[-1]}, {item}".removeprefix(", ")
        if len(both) < width or not lines[-1]:
            lines[-1] = both
        else:
            lines[-1] += ","
            lines.append(item)
    return lines


def _facts(kernel: Kernel) -> KernelFacts:
    own = runtime_feature(kernel.name)  # feature that the name implies
    requires = (each for each in sorted(kernel.requires) if each != own)
    excludes = tuple(sorted(kernel.excludes))
    return KernelFacts(
        kernel.name, tuple(each.removeprefix(RUNTIME_FEATURE) for each in requires), excludes
    )


def _types(op: Op, types: Sequence[Mapping[str, DType]]) -> str:
    """Element types of the non-constant tensors as text: 'int8, int16', 'float32 → int8'."""
    given = _side((value for value in op.inputs if not value.constant), types)
    made = _side(op.outputs, types)
    return made if given in ("", made) else f"{given} → {made}"


def _side(values: Iterable[Input | Output], types: Sequence[Mapping[str, DType]]) -> str:
    parts = (
        ", ".join(dict.fromkeys(each[value.type].name for each in types))
        if isinstance(value.type, str)
        else value.type.name
        for value in values
    )
    return " × ".join(dict.fromkeys(parts))
