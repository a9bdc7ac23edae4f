"""Operators and constants that a program's calls become, in the terms of the ONNX reader.

The ONNX reader chooses layouts, and lets one node compute everything between quantisations.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.onnx.values import StoredConstant, refuse
from opsmith.frontend.pt2.program import ExportedProgram, Name, TorchCall
from opsmith.ir import Array, Quantization

OTHERWISE = "convert it by litert_torch.convert()"
Q, DQ = "QuantizeLinear", "DequantizeLinear"
# arguments that affect how torch computes, but not the result
SILENT = frozenset({"cudnn_enabled", "cudnn_enable", "momentum", "memory_format", "implicit"})


class Arguments:
    """Arguments of a call, and which of them its handler has read."""

    def __init__(self, call: TorchCall) -> None:
        self.call, self.seen = call, set(SILENT)

    def get(self, name: str, default: Any = None) -> Any:
        """Value of an argument, or the default where it is None or absent."""
        self.seen.add(name)
        return self.call.get(name, default)

    def along(self, axes: int, name: str, default: int | list[int]) -> list[int]:
        """Number for each of some axes; a single one stands for equal ones."""
        found = self.get(name, default) or default
        numbers = [found] if isinstance(found, int) else [int(each) for each in found]
        return numbers * axes if len(numbers) == 1 else numbers

    def unread(self) -> list[str]:
        """Names of arguments that would change the result and that the handler did not read."""
        given = self.call.arguments.items()
        return sorted(name for name, value in given if value and name not in self.seen)


class Writer:
    """Operators and constants that have been written up to a call."""

    def __init__(self, program: ExportedProgram, calls: Sequence[TorchCall]) -> None:
        self.program, self.calls = program, calls
        self.users: dict[str, list[TorchCall]] = {}
        for call in calls:
            for name in call.tensors():
                self.users.setdefault(name, []).append(call)
        self.known = {name: StoredConstant(each) for name, each in program.constants.items()}
        self.written: set[str] = set()  # constants that operators read
        self.taken = {*program.sizes, *program.constants, *(o for c in calls for o in c.outputs)}
        self.constants: dict[str, Array] = {}
        self.operators: list[Operator] = []
        self.names: set[str] = set()  # names of operators
        self.call = TorchCall("", "", {}, ())

    def content(self, outputs: tuple[str, ...]) -> Content:
        """Content of everything that was written, with the given outputs."""
        inputs = self.program.inputs
        return Content(
            inputs, self.program.integers, outputs, tuple(self.operators), self.constants, ()
        )

    def operator(self) -> Operator:
        """Operator that stands for the current call in messages."""
        return Operator(self.call.where, self.call.target, (), (), {}, OTHERWISE)

    def refuse(self, what: str, code: str = "MDL013") -> ToolchainError:
        """Error about the current call."""
        return refuse(self.operator(), what, code)

    def sizes(self, name: str) -> tuple[int, ...]:
        """Sizes that the file states for a tensor."""
        found = self.program.sizes.get(name)
        if found is None:
            raise self.refuse(f"'{shown(name)}' has an open shape", "MDL003")
        return found

    def rank(self, name: str) -> int:
        """Number of axes of a tensor."""
        found = self.known.get(name)
        return len(self.sizes(name)) if found is None else found.array.ndim

    def array(self, name: str) -> Array:
        """Elements of a constant tensor."""
        if name not in self.known:
            raise self.refuse(f"'{shown(name)}' is not constant")
        return self.known[name].array

    def fresh(self, name: str) -> str:
        """An unused name that begins with `name`."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def constant(self, array: Any, name: str = "") -> str:
        """Name of a new constant."""
        made = self.fresh(name or f"{self.call.outputs[0]}_constant")
        self.constants[made] = np.asarray(array)
        return made

    def operand(self, name: str) -> str:
        """Name of a tensor as an operand; a constant is written when it is first read."""
        found = self.known.get(name)
        if found is not None and name not in self.written:
            self.written.add(name)
            if found.quantization is None:
                self.constants[name] = found.array
            else:
                self._dequantised(name, found.array, found.quantization)
        return name

    def _dequantised(self, name: str, array: Array, found: Quantization) -> None:
        shape = (-1,) if found.per_channel else ()
        scales = np.array(found.scales, np.float32).reshape(shape)
        points = np.array(found.zero_points, array.dtype).reshape(shape)
        inputs = [self.constant(array, f"{name}_stored"), self.constant(scales, f"{name}_scale")]
        inputs.append(self.constant(points, f"{name}_zero"))
        where, options = f"constant '{shown(name)}'", {"axis": found.axis}
        self.operators.append(Operator(where, DQ, tuple(inputs), (name,), options, OTHERWISE))

    def emit(
        self, kind: str, inputs: list[str], outputs: list[str] | None = None, **attributes: Any
    ) -> None:
        """Write an operator, whose outputs are by default those of the call."""
        made = list(self.call.outputs[:1]) if outputs is None else outputs
        name = self.call.where
        while name in self.names:
            name += "'"
        self.names.add(name)
        operator = Operator(name, kind, tuple(inputs), tuple(made), attributes, OTHERWISE)
        self.operators.append(operator)

    def leave(self) -> None:
        """Write the call as an operator that a folder claims: tensors are operands in the order of
        the call, all other arguments attributes.
        """
        call, given = self.call, self.call.arguments.items()
        options = {k: v for k, v in given if not isinstance(v, tuple | Name) and v is not None}
        made = {name: (self.program.kinds[name], self.sizes(name)) for name in call.outputs}
        names = tuple(map(self.operand, call.tensors())), call.outputs
        operator = Operator(call.where, call.claimed, *names, options, OTHERWISE, made)
        self.operators.append(operator)
