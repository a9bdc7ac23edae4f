"""GDB's command `opsmith node`: shows the node that runs, and its tensors by name.

GDB's own Python loads this file by itself. It reads all it needs from model.cc: each node is a
statement of invoke(), and each tensor a line with its type, its place and its shape.
"""

import importlib
import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TENSOR = re.compile(
    r"^(?P<type>\w+)\* const (?P<name>\w+) = reinterpret_cast<\w+\*>"
    r"\((?P<arena>\w+) \+ (?P<offset>\d+)\);(?:\s*// \[(?P<shape>[\d, ]*)\])?"
)
_CALL = re.compile(r"^\s+(?P<kernel>\w+)\(\{(?P<inputs>[^}]*)\}, \{(?P<outputs>[^}]*)\}")
FORMATS = {
    "int8_t": "b",
    "uint8_t": "B",
    "int16_t": "h",
    "uint16_t": "H",
    "int32_t": "i",
    "uint32_t": "I",
    "int64_t": "q",
    "float": "f",
    "double": "d",
    "bool": "?",
}
SHOWN = 8  # elements of a tensor


@dataclass(frozen=True)
class DeclaredTensor:
    """A tensor as declared in model.cc."""

    name: str
    type: str
    arena: str
    offset: int
    shape: str

    def values(self, data: bytes) -> str:
        """First elements of the tensor, from the bytes at its address, as text."""
        form = FORMATS.get(self.type, "B")
        count = len(data) // struct.calcsize(form)
        numbers = struct.unpack(f"<{count}{form}", data[: count * struct.calcsize(form)])
        return ", ".join(f"{each:g}" if form in "fd" else f"{each:d}" for each in numbers)

    @property
    def bytes(self) -> int:
        """Number of bytes of the elements that are shown."""
        count = 1
        for each in filter(None, self.shape.split(", ")):
            count *= int(each)
        return min(count, SHOWN) * struct.calcsize(FORMATS.get(self.type, "B"))


@dataclass(frozen=True)
class InvokeStatement:
    """A statement of invoke() that runs a node."""

    number: int
    kernel: str
    says: str  # text of the comment above it
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def node_at(source: str, line: int) -> InvokeStatement | None:
    """Statement whose lines in model.cc include a line, or the last statement before it."""
    found, says, number = None, "", -1
    for at, text in enumerate(source.splitlines(), 1):
        if at > line:
            break
        if text.startswith("  // "):
            says = text.strip("/ ")
        match = _CALL.match(text)
        if match:
            number += 1
            inputs, outputs = (_names(match[each]) for each in ("inputs", "outputs"))
            found = InvokeStatement(number, match["kernel"], says, inputs, outputs)
    return found


def tensors(source: str) -> dict[str, DeclaredTensor]:
    """Tensors of model.cc, by name."""
    matches = filter(None, map(_TENSOR.match, source.splitlines()))
    return {
        each["name"]: DeclaredTensor(
            each["name"], each["type"], each["arena"], int(each["offset"]), each["shape"] or ""
        )
        for each in matches
    }


def _names(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())


def _define(gdb: Any) -> None:
    """Register the GDB commands `opsmith` and `opsmith node`."""

    class Prefix(gdb.Command):  # type: ignore[misc]
        """Commands of Opsmith."""

        def __init__(self) -> None:
            super().__init__("opsmith", gdb.COMMAND_USER, prefix=True)

    class ShowNode(gdb.Command):  # type: ignore[misc]
        """Show the node that runs, with the first elements of its tensors."""

        def __init__(self) -> None:
            super().__init__("opsmith node", gdb.COMMAND_USER)

        def invoke(self, argument: str, from_tty: bool) -> None:
            """Print the node at the current line of invoke(), and its tensors."""
            frame = gdb.newest_frame()
            while frame is not None and not _in_model(frame):
                frame = frame.older()
            if frame is None:
                print("no node runs: no frame is in the invoke() of a model")
                return
            file = Path(os.environ["OPSMITH_BUILD"], "model.cc")
            if not file.is_file():
                file = Path(frame.find_sal().symtab.fullname())
            source = file.read_text(encoding="utf-8")
            node = node_at(source, frame.find_sal().line)
            if node is None:
                print("no node runs yet")
                return
            print(f"node {node.number}: {node.says} ({node.kernel})")
            known, space = tensors(source), frame.function().name.rpartition("::")[0]
            for kind, names in (("in", node.inputs), ("out", node.outputs)):
                for name in names:
                    _print(gdb, kind, name, known.get(name), space)

    Prefix()
    ShowNode()


def _in_model(frame: Any) -> bool:
    """True for a frame of the function that calls a model's nodes."""
    function, place = frame.function(), frame.find_sal()
    if function is None or place.symtab is None:
        return False
    return Path(place.symtab.filename).name == "model.cc"


def _print(gdb: Any, kind: str, name: str, tensor: DeclaredTensor | None, space: str) -> None:
    if tensor is None:
        print(f"  {kind:3} {name}")
        return
    symbol = f"'{space}::(anonymous namespace)::{tensor.arena}'"
    address = int(gdb.parse_and_eval(f"(unsigned long)&{symbol}")) + tensor.offset
    data = bytes(gdb.selected_inferior().read_memory(address, tensor.bytes))
    values = tensor.values(data)
    print(f"  {kind:3} {name} {tensor.type}[{tensor.shape}] at {address:#x}: {values}, …")


if "OPSMITH_BUILD" in os.environ:
    _define(importlib.import_module("gdb"))
