"""Reader of untrusted XML: elements and attributes alone, no more than a layer has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from opsmith.reading import with_newlines

MOST_BYTES = 1 << 18
MOST_ELEMENTS = 1000
MOST_DEPTH = 8
_DECLARATION = re.compile(r"\ufeff?\s*<\?xml\b([^<>?]*)\?>")
_ENCODING = re.compile(r"""encoding\s*=\s*["']([^"']*)["']""")
_ROOT = "file"  # around the layers of a file, which need have no root


class XmlError(Exception):
    """Error in an XML text, with its line."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class Element:
    """XML element, with the line in which it begins."""

    name: str
    attributes: Mapping[str, str]
    line: int
    children: list[Element] = field(default_factory=list)


def elements(text: str) -> list[Element]:
    """Outermost elements of an XML text. Raises XmlError."""
    text = _without_declaration(with_newlines(text))
    reader = _Reader()
    reader.parse(f"<{_ROOT}>{text}</{_ROOT}>")
    return reader.root.children


def _without_declaration(text: str) -> str:
    """Text without `<?xml …?>`, with its lines where they were."""
    found = _DECLARATION.match(text)
    if found is None:
        return text.removeprefix("\ufeff")
    encoding = _ENCODING.search(found[1])
    if encoding is not None and encoding[1].lower() not in ("utf-8", "us-ascii"):
        raise XmlError(f"its encoding is {encoding[1]!r}, not UTF-8", 1)
    return "\n" * found[0].count("\n") + text[found.end() :]


class _Reader:
    """Handlers that build elements, and refuse XML but elements, attributes and comments."""

    def __init__(self) -> None:
        self.root = Element(_ROOT, {}, 1)
        self._open: list[Element] = []
        self._count = 0
        self._parser = parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.ProcessingInstructionHandler = self._instruction

    def parse(self, text: str) -> None:
        try:
            self._parser.Parse(text.encode("utf-8"), True)
        except expat.ExpatError as error:
            what = f"it is no XML: {expat.errors.messages.get(error.code, str(error))}"
            # Which the element around the layers' does not let have any meaning.
            if "<!DOCTYPE" in text.split("\n")[error.lineno - 1]:
                what = "it has a DOCTYPE, which could define entities"
            raise XmlError(what, error.lineno) from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        made = Element(name, attributes, self._parser.CurrentLineNumber)
        if self._count > MOST_ELEMENTS:
            self._refuse(f"it has more than {MOST_ELEMENTS} elements")
        if len(self._open) > MOST_DEPTH:
            self._refuse(f"its elements are more than {MOST_DEPTH} deep")
        if self._open:
            self._open[-1].children.append(made)
        else:
            self.root = made
        self._open.append(made)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _characters(self, text: str) -> None:
        if text.strip():
            self._refuse(f"there is text between elements: {text.strip()[:40]!r}")

    def _instruction(self, target: str, data: str) -> None:
        self._refuse(f"it has an instruction <?{target[:40]}")

    def _refuse(self, what: str) -> NoReturn:
        raise XmlError(what, self._parser.CurrentLineNumber)
