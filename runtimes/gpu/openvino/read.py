"""Reader of custom layers in a configuration file from an untrusted author."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all, shown
from opsmith.reading import UnreadableError, read_text
from runtimes.gpu.openvino.buffers import BoundArgument, arguments, buffer_problems
from runtimes.gpu.openvino.compiler_options import honoured
from runtimes.gpu.openvino.defines import Macro, define_problems, is_taken, macro, may_read
from runtimes.gpu.openvino.formulas import FormulaError, check
from runtimes.gpu.openvino.layer import WorkSizes
from runtimes.gpu.openvino.schema import schema_problems
from runtimes.gpu.openvino.source import MOST_BYTES as MOST_SOURCE
from runtimes.gpu.openvino.source import kernels, parameters, source_problems
from runtimes.gpu.openvino.xml import MOST_BYTES, Element, XmlError, elements

_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+.-]*\.cl")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_DIMENSION = re.compile(r"(?:output|input(?:[ ,]\s*(\d{1,3}))?)?", re.ASCII)
MOST_DIMENSIONS = 3


@dataclass(frozen=True)
class Described:
    """Custom layer as its file describes it, before its types are known."""

    name: str
    entry: str
    files: tuple[tuple[str, str], ...]  # name and text of each
    arguments: tuple[BoundArgument, ...]  # of the kernel, in its order
    macros: tuple[Macro, ...]
    work: WorkSizes
    permissions: tuple[str, ...]  # compiler options that nothing makes use of


def read_layers(path: Path) -> list[Described]:
    """Layers of a file. Raises OPS080 to OPS084, with all problems of the file at once."""
    where = str(path)
    try:
        found = elements(read_text(path, MOST_BYTES))
    except UnreadableError as error:
        fix = "name the XML file of a custom layer"
        raise ToolchainError.of("OPS080", str(error), where=where, fix=fix) from error
    except XmlError as error:
        fix = "leave elements and attributes alone in it, as UTF-8"
        at = f"{where}:{error.line}"
        raise ToolchainError.of("OPS080", str(error), where=at, fix=fix) from error
    if not found:
        raise ToolchainError.of("OPS080", "it has no layer", where=where, fix="add <CustomLayer …>")
    for each in found:
        if each.name != "CustomLayer":
            what = f"its element {shown(each.name)} is no CustomLayer"
            fix = "let the file have elements CustomLayer alone"
            raise ToolchainError.of("OPS081", what, where=f"{where}:{each.line}", fix=fix)
    raise_all(problem for each in found for problem in schema_problems(each, where))
    raise_all(problem for each in found for problem in _CustomLayer(each, path).problems())
    return [_CustomLayer(each, path).described() for each in found]


class _CustomLayer:
    """Element CustomLayer that has the elements and attributes of one."""

    def __init__(self, element: Element, path: Path) -> None:
        self._path, self._element = path, element
        children = {child.name: child for child in element.children}
        self._kernel, self._buffers = children["Kernel"], children["Buffers"]
        self._options, self._work = children.get("CompilerOptions"), children.get("WorkSizes")
        self._sources, self._defines = (
            [child for child in self._kernel.children if child.name == name]
            for name in ("Source", "Define")
        )

    def described(self) -> Described:
        """Description of a layer that has no problems."""
        options = honoured(_text(self._options, "options"))
        macros = [macro(each.attributes) for each in self._defines]
        macros += [Macro(name, text) for name, text in options.defines]
        return Described(
            self._element.attributes["name"],
            self._kernel.attributes["entry"],
            tuple((name, self._source(name)) for name in map(_filename, self._sources)),
            arguments(self._buffers),
            tuple(macros),
            _work_sizes(self._work),
            options.permissions,
        )

    def problems(self) -> Iterator[Problem]:
        """Problems of the layer's values."""
        attributes = self._element.attributes
        for name, wanted in (("type", "SimpleGPU"), ("version", "1")):
            if attributes[name] != wanted:
                what = f"{name}= of CustomLayer is {shown(attributes[name])}"
                yield self._problem("OPS082", self._element, what, f'write {name}="{wanted}"')
        for element, name in ((self._element, "name"), (self._kernel, "entry")):
            if not _NAME.fullmatch(element.attributes[name]):
                what = f"{name}= of {element.name} is {shown(element.attributes[name])}"
                yield self._problem("OPS082", element, what, "use letters, digits and _")
        found = [*buffer_problems(self._buffers), *define_problems(self._defines)]
        yield from (self._problem("OPS082", *each) for each in found)
        entry = self._kernel.attributes["entry"]
        if is_taken(entry) or entry in (macro(each.attributes).name for each in self._defines):
            what, fix = f"entry= of Kernel is '{entry}', which means something else", "rename it"
            yield self._problem("OPS082", self._kernel, what, fix)
        yield from self._work_problems()
        yield from self._option_problems()
        yield from self._source_problems()

    def _problem(self, code: str, element: Element, what: str, fix: str) -> Problem:
        return Problem(code, what, f"{self._path}:{element.line}", fix)

    def _work_problems(self) -> Iterator[Problem]:
        element = self._work
        if element is None:
            return
        for name in ("global", "local"):
            given = _formulas(element, name)
            if len(given) > MOST_DIMENSIONS:
                what = f"{name}= has {len(given)} sizes"
                yield self._problem("OPS082", element, what, f"use {MOST_DIMENSIONS} at most")
            for formula in given[:MOST_DIMENSIONS]:
                try:
                    check(formula)
                except FormulaError as error:
                    fix = 'write it as "(X+3)/4"'
                    yield self._problem("OPS082", element, f"{name}=: {error}", fix)
        sizes = _work_sizes(element)
        if sizes.group and len(sizes.group) != len(sizes.items):
            what = f"local= has {len(sizes.group)} sizes, and global= has {len(sizes.items)}"
            yield self._problem("OPS082", element, what, "give both as many")
        text = element.attributes.get("dim", "")
        ports = [each.port for each in arguments(self._buffers) if each.is_tensor]
        if not _DIMENSION.fullmatch(text) or (sizes.of is not None and sizes.of not in ports):
            what = f"dim= is {shown(text)}, which is no tensor of the layer"
            yield self._problem("OPS082", element, what, 'write dim="output", or dim="input,0"')

    def _option_problems(self) -> Iterator[Problem]:
        if self._options is None:
            return
        options = honoured(_text(self._options, "options"))
        for each in options.refused:
            what = f"the compiler option {shown(each.option)} is not honoured"
            yield self._problem("OPS084", self._options, what, each.why)
        names = [macro(each.attributes).name for each in self._defines]
        for name, text in options.defines:
            if not _NAME.fullmatch(name) or name in names or is_taken(name) or not _plain(text):
                what = (
                    f"the compiler option {shown(f'-D{name}={text}')} defines no macro of its own"
                )
                fix = "write -DNAME=VALUE, without quotes, asm and ##, and no name of a Define"
                yield self._problem("OPS084", self._options, what, fix)
            names.append(name)

    def _source_problems(self) -> Iterator[Problem]:
        texts, names = [], [_filename(each) for each in self._sources]
        for element, name in zip(self._sources, names, strict=True):
            if problem := self._misplaced(name, names):
                yield self._problem("OPS083", element, f"the source {shown(name)} {problem}", _NEAR)
                continue
            try:
                texts.append(self._source(name))
            except UnreadableError as error:
                what = f"the source {shown(name)} cannot be read: {error}"
                yield self._problem("OPS083", element, what, _NEAR)
                continue
            for what, fix in source_problems(texts[-1]):
                yield self._problem("OPS083", element, f"{name}: {what}", fix)
        if len(texts) == len(names):
            yield from self._entry_problems("\n".join(texts))

    def _misplaced(self, name: str, names: Sequence[str]) -> str:
        """Reason why the name or place of a source is refused, or ""."""
        if not _FILE.fullmatch(name):
            return "is no name of a file of OpenCL C beside the layer's"
        if names.count(name) > 1:
            return "is named twice"
        if name.lower() == "gpu.cl":
            return "has the name of a file that is written"
        if name.startswith("test_"):
            return "has the name of a test, in which builds look for no edits"
        folder = self._path.resolve().parent
        return "" if (folder / name).resolve().parent == folder else "lies in another folder"

    def _source(self, name: str) -> str:
        return read_text(self._path.resolve().parent / name, MOST_SOURCE)

    def _entry_problems(self, text: str) -> Iterator[Problem]:
        entry = self._kernel.attributes["entry"]
        count, bound = parameters(text, entry), len(arguments(self._buffers))
        if count is None:
            there = kernels(text)
            what = f"no source has a kernel '{entry}'{did_you_mean(entry, there)}"
            fix = f"entry= names one of: {', '.join(there[:20]) or 'none is there'}"
            yield self._problem("OPS083", self._kernel, what, fix)
        elif count != bound:
            what = f"the kernel '{entry}' takes {count} arguments, and Buffers gives {bound}"
            fix = "bind each argument once, by arg-index"
            yield self._problem("OPS083", self._buffers, what, fix)


_NEAR = "put the file beside the layer's, and name it NAME.cl, of letters, digits and ._+-"


def _plain(text: str) -> bool:
    kept = text.isprintable() and not set(text) & set("\"'\\") and "/*" not in text
    return kept and not may_read(text)


def _text(element: Element | None, attribute: str) -> str:
    return "" if element is None else element.attributes.get(attribute, "")


def _filename(source: Element) -> str:
    return source.attributes["filename"]


def _formulas(element: Element, name: str) -> tuple[str, ...]:
    text = element.attributes.get(name, "")
    return tuple(each.strip() for each in text.split(",")) if text.strip() else ()


def _work_sizes(element: Element | None) -> WorkSizes:
    if element is None:
        return WorkSizes()
    dimension = _DIMENSION.fullmatch(element.attributes.get("dim", ""))
    of = None
    if dimension is not None and dimension[0].startswith("input"):
        of = int(dimension[1] or 0)
    items = _formulas(element, "global") or WorkSizes().items
    return WorkSizes(items, _formulas(element, "local"), of)
