"""Checks of a registration's fields, derived from their annotations: no further declaration is
needed.

A registration is dataclasses within dataclasses. `fields_of` walks through the fields and their
annotations; `kind_of` turns an annotation into a test, and into words for an error message.
"""

import types
import typing
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np

from opsmith.errors import shown
from opsmith.ir import DType


@dataclass(frozen=True)
class AnnotationKind:
    """Kind of values that an annotation accepts, in words and as a test."""

    one: str  # name of one such value: "a string"
    many: str  # name of several such values: "strings"
    example: str  # as an op.py spells it
    holds: Callable[[Any], bool]


class GivenField(NamedTuple):
    """A field of a registration, with its value and annotation."""

    owner: str  # "Op 'twice'", "Code of Kernel 'reference'"
    name: str
    hint: Any
    value: Any


def fields_of(root: Any) -> Iterator[GivenField]:
    """Every field of a dataclass and of the dataclasses within it, as their annotations nest.

    Fields within a default value are left out: nobody wrote them in an op.py.
    """
    yield from _fields(root, _label(root, None), "")


@lru_cache(maxsize=1024)
def kind_of(hint: Any) -> AnnotationKind:
    """Kind of values that an annotation accepts. Raises TypeError for one without a rule."""
    return _WORDED.get(hint) or _derived(hint)


@lru_cache(maxsize=1024)
def parameters_of(hint: Any) -> tuple[Any, ...] | None:
    """Annotations of the parameters of the function that a field holds.

    None where the field holds no function, or for `Callable[..., T]`, which does not tell.
    """
    for member in _members(hint):
        if typing.get_origin(member) is Callable:
            parameters = typing.get_args(member)[0]
            return None if parameters is Ellipsis else tuple(parameters)
    return None


@lru_cache(maxsize=1024)
def plain_name(hint: Any) -> str:
    """Annotation as text, without the modules of its names: `Mapping[str, Range]`."""
    if hint is Ellipsis:
        return "..."
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    name = getattr(origin or hint, "__name__", str(hint))
    return f"{name}[{', '.join(map(plain_name, arguments))}]" if arguments else name


def _fields(value: Any, label: str, owner: str) -> Iterator[GivenField]:
    owner_class: Any = type(value)
    for name, hint in _hints(owner_class).items():
        found = getattr(value, name)
        yield GivenField(label, name, hint, found)
        written = found is not getattr(owner_class, name, None)
        for inner, key in _inner(hint, found) if written and _nests(hint) else ():
            called = _label(inner, key)
            nameless = _name(inner, key) is None
            yield from _fields(inner, called + owner, owner if nameless else f" of {called}")


def _label(value: Any, key: object) -> str:
    """Label of a value for messages: "Kernel 'dsp'", or just "Hooks"."""
    name = _name(value, key)
    return type(value).__name__ + ("" if name is None else f" {shown(name)}")


def _name(value: Any, key: object) -> object:
    """Name of a value: its `name` or `source`, else its key or index in the field, if any."""
    names = (getattr(value, name, None) for name in ("name", "source"))
    return next((name for name in names if isinstance(name, str) and name), key)


@lru_cache(maxsize=256)
def _hints(owner: type) -> Mapping[str, Any]:
    hints = typing.get_type_hints(owner)
    return {field.name: hints[field.name] for field in fields(owner) if field.init}


@lru_cache(maxsize=1024)
def _nests(hint: Any) -> bool:
    """True if an annotation leads to dataclasses, so that its values must be walked."""
    words = hint in _WORDED and not typing.get_args(hint)
    return not words and (is_dataclass(hint) or any(map(_nests, _inner_hints(hint))))


def _inner_hints(hint: Any) -> tuple[Any, ...]:
    """Annotations of values within a value, except parameters of functions."""
    return () if typing.get_origin(hint) in (Callable, Literal) else typing.get_args(hint)


def _inner(hint: Any, value: Any, key: object = None) -> Iterator[tuple[Any, object]]:
    """Dataclasses to which an annotation leads within a value, each with its key or index."""
    for member in _members(hint):
        origin, arguments = typing.get_origin(member) or member, typing.get_args(member)
        if member in _WORDED and not arguments:
            continue
        if is_dataclass(member) and isinstance(value, typing.cast(type, member)):
            yield value, key
        elif origin in _SEQUENCES and isinstance(value, list | tuple):
            for number, (item, of) in enumerate(zip(value, _items(member, value), strict=False)):
                yield from _inner(of, item, number)
        elif origin in _MAPPINGS and isinstance(value, Mapping):
            for name, item in value.items():
                yield from _inner(arguments[1], item, name)


def _members(hint: Any) -> tuple[Any, ...]:
    """Members of a union; any other annotation is its only member."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)


def _items(hint: Any, value: Sequence[Any]) -> tuple[Any, ...]:
    """Annotation of each item of a sequence."""
    arguments = typing.get_args(hint) or (Any, ...)
    repeated = typing.get_origin(hint) is not tuple or arguments[1:] == (...,)
    return (arguments[0],) * len(value) if repeated else arguments


def _derived(hint: Any) -> AnnotationKind:
    origin = typing.get_origin(hint)
    if len(_members(hint)) > 1:
        return _either([kind_of(each) for each in _members(hint) if each is not type(None)], hint)
    if origin in _SEQUENCES:
        return _sequence(hint)
    if origin in _SETS:
        return _set(kind_of(typing.get_args(hint)[0]))
    if origin in _MAPPINGS:
        return _mapping(*map(kind_of, typing.get_args(hint)))
    if origin is Literal:
        return _literal(typing.get_args(hint))
    if origin is Callable:
        return _FUNCTION
    if origin is type:
        return _subclass(typing.get_args(hint)[0])
    if isinstance(origin or hint, type):
        return _WORDED.get(origin) or _instance(origin or hint)
    raise TypeError(f"no rule for the annotation {hint}")


def _either(kinds: Sequence[AnnotationKind], hint: Any) -> AnnotationKind:
    optional = type(None) in _members(hint)
    wanted = list(dict.fromkeys(kind.one for kind in kinds))
    one = " or ".join([", ".join(wanted[:-1]), wanted[-1]] if wanted[1:] else wanted)
    return AnnotationKind(
        one,
        " or ".join(dict.fromkeys(kind.many for kind in kinds)),
        kinds[0].example,
        lambda value: (optional and value is None) or any(kind.holds(value) for kind in kinds),
    )


def _sequence(hint: Any) -> AnnotationKind:
    """Kind of a tuple; where a function's result may be any sequence, lists are accepted, too."""
    allowed = _SEQUENCES[typing.get_origin(hint)]
    arguments = typing.get_args(hint)
    kinds = [kind_of(each) for each in arguments if each is not Ellipsis]
    one = f"a tuple of {kinds[0].many}"
    example = f"({kinds[0].example},)"
    if len(kinds) > 1:
        one = f"a tuple of {', '.join(kind.one for kind in kinds)}"
        example = f"({', '.join(kind.example for kind in kinds)})"

    def holds(value: Any) -> bool:
        if not isinstance(value, allowed):
            return False
        each = _items(hint, value)
        return len(each) == len(value) and all(
            kind_of(item_hint).holds(item) for item_hint, item in zip(each, value, strict=True)
        )

    return AnnotationKind(one, one.replace("a tuple", "tuples"), example, holds)


def _set(item: AnnotationKind) -> AnnotationKind:
    def holds(value: Any) -> bool:
        return isinstance(value, set | frozenset) and all(map(item.holds, value))

    return AnnotationKind(
        f"a set of {item.many}", f"sets of {item.many}", f"{{{item.example}}}", holds
    )


def _mapping(key: AnnotationKind, item: AnnotationKind) -> AnnotationKind:
    def holds(value: Any) -> bool:
        return isinstance(value, Mapping) and all(
            key.holds(each) and item.holds(value[each]) for each in value
        )

    by = "name" if key.one == "a string" else key.one
    example = f"{{{key.example}: {item.example}}}"
    return AnnotationKind(f"{item.many} by {by}", f"mappings of {item.many}", example, holds)


def _literal(choices: tuple[object, ...]) -> AnnotationKind:
    words = f"one of {', '.join(map(shown, choices))}"
    return AnnotationKind(words, f"any of {', '.join(map(shown, choices))}", shown(choices[0]),
                lambda value: isinstance(value, Hashable) and value in choices)  # fmt: skip


def _subclass(base: type) -> AnnotationKind:
    name = base.__name__
    return AnnotationKind(
        f"a subclass of {name}",
        f"subclasses of {name}",
        name,
        lambda value: isinstance(value, type) and issubclass(value, base),
    )


def _instance(kind: type) -> AnnotationKind:
    name = kind.__name__
    article = "an" if name[0] in "AEIOU" else "a"
    return AnnotationKind(
        f"{article} {name}", name, _written(kind), lambda value: isinstance(value, kind)
    )


def _written(kind: type) -> str:
    """Notation of a value of a class, with the required fields of a dataclass."""
    if not is_dataclass(kind):
        return f"{kind.__name__}(…)"
    hints = _hints(kind)
    required = [kind_of(hints[each.name]).example for each in fields(kind) if _is_required(each)]
    return f"{kind.__name__}({', '.join(required)})"


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _is(allowed: Any, but: type | None = None) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, allowed) and not (but and isinstance(value, but))


_SEQUENCES: Mapping[Any, Any] = {tuple: tuple, list: list, Sequence: (list, tuple)} | {
    Iterable: (list, tuple)
}
_SETS = (set, frozenset, Set)
_MAPPINGS = (dict, Mapping)
_FUNCTION = AnnotationKind("a function", "functions", "function", callable)
# Kinds of values that are not described by the name of their class.
_WORDED: Mapping[Any, AnnotationKind] = {
    Any: AnnotationKind("a value", "values", "…", lambda value: True),
    str: AnnotationKind("a string", "strings", '"…"', _is(str)),
    bytes: AnnotationKind("bytes", "bytes", 'b"…"', _is(bytes)),
    bool: AnnotationKind("True or False", "booleans", "True", _is(bool)),
    int: AnnotationKind("an integer", "integers", "1", _is(Integral, but=bool)),
    float: AnnotationKind("a number", "numbers", "1.5", _is(Real, but=bool)),
    type: AnnotationKind("a type", "types", "Params", _is(type)),
    range: AnnotationKind("a range", "ranges", "range(1, 3)", _is(range)),
    DType: AnnotationKind("an element type", "element types", "i8", _is(DType)),
    np.ndarray: AnnotationKind("an array", "arrays", "np.array([…])", _is(np.ndarray)),
    DType | str: AnnotationKind(
        "an element type or the name of a type variable", "element types", "i8", _is((DType, str))
    ),
}
