"""Rules about the Python types of a registration; the commonest mistake is a forgotten comma."""

from collections.abc import Iterator, Mapping
from typing import Any

from opsmith.contract.annotations import fields_of, kind_of
from opsmith.errors import shown
from opsmith.ir import DType
from opsmith.ir.types import BY_NAME
from opsmith.op.describe import Op

Found = Iterator[tuple[str, str, str]]


def kind_problems(op: Op) -> Found:
    """Problems of values that differ from their fields' annotations, in the op and all within."""
    for field in fields_of(op):
        kind = kind_of(field.hint)
        if not kind.holds(field.value):
            comma = ", with the comma" if kind.example.endswith(",)") else ""
            yield (
                "OPS021",
                f"{field.owner}: {field.name}= must be {kind.one}, not {_described(field.value)}",
                f"write {field.name}={kind.example}{comma}{_without_quotes(field.value)}",
            )


def _without_quotes(value: Any) -> str:
    """Hint with the spelling of each element type that is a text in a mapping, or ""."""
    named = value.values() if isinstance(value, Mapping) else ()
    texts = dict.fromkeys(each for each in named if isinstance(each, str))
    meant = [f"{BY_NAME[each]} for '{each}'" for each in texts if each in BY_NAME]
    return f": {', '.join(meant)}, without quotes, from opsmith.op" if meant else ""


def _described(value: Any) -> str:
    """Type of a value, with the types of its items, or with the value itself if it is short."""
    kind = type(value).__name__
    if isinstance(value, Mapping | tuple | list | set | frozenset) and value:
        items = value.values() if isinstance(value, Mapping) else value
        kinds = sorted({type(each).__name__ for each in items})
        return f"{kind} of {', '.join(kinds[:3])}{', …' if kinds[3:] else ''}"
    text = str(value) if isinstance(value, DType) else shown(value)
    short = isinstance(value, str | int | float | DType | type) and len(text) < 40
    return kind + (f" {text}" if short else "")
