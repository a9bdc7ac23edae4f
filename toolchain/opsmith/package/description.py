"""Description of a package as data: opsmith.json, which `opsmith export` reads."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from opsmith.build_options import BuildOptions

DESCRIPTION = "opsmith.json"
FORMAT = 1  # of the file
UNVERSIONED = BuildOptions.version
_LONGEST = 200  # characters of a text
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class PackagedTensor:
    """An input or output of a packaged model."""

    id: str  # its name in C++
    dtype: str


@dataclass(frozen=True)
class PackagedModel:
    """A model that shares a package with other models."""

    name: str
    file: str  # its name, safe in any generated text
    sha256: str


@dataclass(frozen=True)
class Package:
    """Sources and archive of a model, or of several, for one core and runtime."""

    name: str
    model: str  # the file's name, safe in any generated text
    sha256: str
    target: str  # "mps2_an386, runtime cmsis, opt balanced"
    compiler: str  # g++, with the prefix of the toolchain
    core: tuple[str, ...]  # flags of the core
    flags: tuple[str, ...]  # flags for all sources
    sources: tuple[str, ...]  # .cc files below src/
    data: tuple[str, ...]  # files below src/ that sources include byte by byte
    libraries: tuple[str, ...]  # linker flags of further libraries: -lcmsis-nn
    version: str = UNVERSIONED
    compile: tuple[str, ...] = ()  # flags in `core` that other sources may be compiled without
    requires: tuple[tuple[str, str], ...] = ()  # required features, with macros that report them
    inputs: tuple[PackagedTensor, ...] = ()
    outputs: tuple[PackagedTensor, ...] = ()
    arena: str = "own"  # 'caller' if calls are passed an arena
    streams: bool = False  # programs cannot fill its input as a tensor
    hosted: bool = False  # programs run under an operating system
    memories: tuple[str, ...] = ()  # memories of the board for constants, besides flash
    models: tuple[PackagedModel, ...] = ()  # if there are several; the fields of one are then empty


class SeveralModelsError(ValueError):
    """Raised for a package of several models, whose description has only their names."""


class WrongDescriptionError(ValueError):
    """Reason why a text is no description, in a few words."""


def description(package: Package) -> str:
    """Text of opsmith.json."""
    if package.models:
        names = [each.name for each in package.models]
        values: dict[str, Any] = {"name": package.name, "models": names}
    else:
        values = {name: getattr(package, name) for name in _READ}
        for side in ("inputs", "outputs"):
            values[side] = [[tensor.id, tensor.dtype] for tensor in values[side]]
    return json.dumps({"format": FORMAT, **values}, indent=1) + "\n"


def read_description(text: str) -> Package:
    """Package that a description defines. The author is not trusted: each text has only allowed
    characters, so that none means anything to a build system or a compiler. Raises
    SeveralModelsError for a package of several models.
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WrongDescriptionError("it is no JSON") from error
    if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
        raise WrongDescriptionError(f"it is not of format {FORMAT}")
    if values.keys() == {"name", "models"}:
        raise SeveralModelsError(", ".join(_texts(_NAME.pattern)("models", values["models"])))
    if values.keys() != _READ.keys():
        raise WrongDescriptionError("it has other fields")
    return Package(**{name: _READ[name](name, value) for name, value in values.items()})


def _text(pattern: str) -> Callable[[str, Any], str]:
    """Reader of a text that matches `pattern`."""

    def read(name: str, value: Any) -> str:
        if not (isinstance(value, str) and len(value) <= _LONGEST):
            raise WrongDescriptionError(f"'{name}' is no text")
        if not re.fullmatch(pattern, value, re.ASCII):
            raise WrongDescriptionError(f"'{name}' has a wrong form")
        return value

    return read


def _texts(pattern: str) -> Callable[[str, Any], tuple[str, ...]]:
    """Reader of a list of texts that match `pattern`."""
    one = _text(pattern)
    return lambda name, value: tuple(one(name, each) for each in _list(name, value))


def _pairs(first: str, second: str) -> Callable[[str, Any], tuple[tuple[str, str], ...]]:
    """Reader of a list of pairs of texts that match `first` and `second`."""
    readers = (_text(first), _text(second))

    def read(name: str, value: Any) -> tuple[tuple[str, str], ...]:
        found = []
        for pair in _list(name, value):
            if len(_list(name, pair)) != len(readers):
                raise WrongDescriptionError(f"'{name}' holds something other than pairs")
            found.append((readers[0](name, pair[0]), readers[1](name, pair[1])))
        return tuple(found)

    return read


def _tensors(name: str, value: Any) -> tuple[PackagedTensor, ...]:
    return tuple(PackagedTensor(*pair) for pair in _pairs(_NAME.pattern, r"[a-z]+\d*")(name, value))


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise WrongDescriptionError(f"'{name}' is no list")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongDescriptionError(f"'{name}' is neither true nor false")
    return value


# An option must not make the compiler run or load another file of the package.
_RUNS = r"B|-?prefix|wrapper|-?config|f(pass-)?plugin|-?specs=(?!.*\.specs$)"
_OPTION = rf"-(?!{_RUNS})[\w.,+=-]+"
_FILE = r"\w[\w.+-]*(/\w[\w.+-]*)*"
_READ: dict[str, Callable[[str, Any], Any]] = {
    "name": _text(_NAME.pattern),
    "model": _text(r"[ -~]*"),
    "sha256": _text(r"[0-9a-f]{64}"),
    "target": _text(r"[\w ,]+"),
    "compiler": _text(r"([\w.-]*-)?g\+\+"),
    "core": _texts(_OPTION),
    "flags": _texts(_OPTION),
    "sources": _texts(rf"{_FILE}\.cc"),
    "data": _texts(_FILE),
    "libraries": _texts(_OPTION),
    "version": _text(r"[a-z0-9_][a-z0-9_+.-]*"),
    "compile": _texts(_OPTION),
    "requires": _pairs(_NAME.pattern, r"\w+"),
    "inputs": _tensors,
    "outputs": _tensors,
    "arena": _text("own|shared|caller"),
    "streams": _flag,
    "hosted": _flag,
}
