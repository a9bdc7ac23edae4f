"""Operators that exporters write as several: a MatMul and addends of columns; a Gelu by Erf."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.onnx.values import legal
from opsmith.ir import Array

HALF, ROOT = 0.5, math.sqrt(2)


def joined(content: Content) -> Content:
    """Content in which each of these groups is one operator."""
    whole = _Whole(content)
    for operator in content.operators:
        with legal(operator):
            if operator.type == "Add" and len(operator.inputs) == 2:
                whole.join_product(operator)
            elif operator.type == "Erf" and operator.inputs:
                whole.join_gelu(operator)
    operators = (whole.made.get(each.name, each) for each in content.operators)
    kept = tuple(each for each in operators if each.name not in whole.gone)
    return replace(content, operators=kept, constants=whole.constants)


class _Whole:
    """Operators of the content, with those that replace others or are left out, by name."""

    def __init__(self, content: Content) -> None:
        self.constants = dict(content.constants)
        self.writers = {name: each for each in content.operators for name in each.outputs if name}
        self.reads = Counter(name for each in content.operators for name in each.inputs)
        self.reads.update(content.outputs)
        self.readers = {name: each for each in content.operators for name in each.inputs}
        self.made: dict[str, Operator] = {}
        self.gone: set[str] = set()

    def join_product(self, add: Operator) -> None:
        """Let the MatMul before an Add compute both."""
        for product, bias in (add.inputs, add.inputs[::-1]):
            writer = self.writers.get(product)
            if (
                writer is None
                or writer.type != "MatMul"
                or len(writer.inputs) != 2
                or writer.attributes
            ):
                continue
            weights = self._stored(writer.inputs[1])
            if weights is None or weights.ndim != 2 or self.reads[product] != 1:
                continue
            name = self._addends(add, bias, weights.shape[1])
            if name:
                inputs = (*writer.inputs, name)
                self.made[add.name] = replace(add, type="MatMul", inputs=inputs, attributes={})
                self.gone.add(writer.name)
                return

    def _stored(self, name: str) -> Array | None:
        """Constant, as it is stored or dequantised by DequantizeLinear."""
        writer = self.writers.get(name)
        if writer is not None and writer.type == "DequantizeLinear":
            name = writer.inputs[0]
        return self.constants.get(name)

    def _addends(self, add: Operator, name: str, count: int) -> str:
        """Name of an operand of an Add that has one number for each of `count` columns: a constant
        of float32, or sums of int32 that are dequantised; else "".
        """
        found = self._stored(name)
        if found is None or found.dtype != (np.float32 if name in self.constants else np.int32):
            return ""
        if found.shape == (count,):
            return "" if np.isinf(found).any() else name
        made = f"{add.outputs[0]} addends"
        if found.size != 1 or found.ndim > 1 or np.isinf(found).any():
            return ""
        if (
            name not in self.constants or made in self.constants or made in self.writers
        ):  # no exporter does this
            return ""
        self.constants[made] = np.full(count, found)
        return made

    def join_gelu(self, erf: Operator) -> None:
        """Replace the operators of x * 0.5 * (1 + erf(x / sqrt(2))), in any order, by a Gelu."""
        scaled = self.writers.get(erf.inputs[0])
        x = self._times(scaled, 1 / ROOT) or self._times(scaled, ROOT, "Div")
        add = self._only(erf.outputs[0])
        if not x or add is None or self._other(add, erf.outputs[0], "Add") != 1.0:
            return
        group, wanted, last = [erf, add], {x, HALF}, add
        while wanted:
            after = self._only(last.outputs[0])
            found = None if after is None else self._other(after, last.outputs[0], "Mul")
            half = self.writers.get(found) if isinstance(found, str) else None
            if after is None or found is None:
                return
            if found not in wanted and self._times(half, HALF) == x and wanted == {x, HALF}:
                wanted = set()
                group += [half] if half and self.reads[half.outputs[0]] == 1 else []
            elif found in wanted:
                wanted = wanted - {found}
            else:
                return
            group.append(after)
            last = after
        if scaled and self.reads[erf.inputs[0]] == 1:
            group.append(scaled)
        self.gone |= {each.name for each in group if each is not last}
        self.made[last.name] = replace(last, type="Gelu", inputs=(x,), attributes={})

    def _only(self, name: str) -> Operator | None:
        """The one operator that reads a tensor, once; None if others do or it is an output."""
        return self.readers.get(name) if self.reads[name] == 1 else None

    def _other(self, operator: Operator, name: str, kind: str) -> float | str | None:
        """Operand of an operator of `kind` besides `name`: a number if it is constant."""
        if operator.type != kind or len(operator.inputs) != 2:
            return None
        other = operator.inputs[1 if operator.inputs[0] == name else 0]
        return self._number(other) if other in self.constants else other

    def _number(self, name: str) -> float | None:
        """Number that is the only element of a constant of float32; 0.5 and 1 exactly."""
        found = self.constants[name]
        one = found.dtype == np.float32 and found.size == 1 and found.ndim < 2
        return float(found.reshape(())) if one else None

    def _times(self, operator: Operator | None, factor: float, kind: str = "Mul") -> str:
        """The operand that a Mul multiplies by the factor, or that a Div divides by it."""
        for x, number in _operands(operator, kind):
            held = self._number(number) if number in self.constants else None
            if held is not None and math.isclose(held, factor, rel_tol=1e-6):
                return x
        return ""


def _operands(operator: Operator | None, kind: str) -> Iterator[tuple[str, str]]:
    """Pairs of operands in the orders that mean the same."""
    if operator is not None and operator.type == kind and len(operator.inputs) == 2:
        a, b = operator.inputs
        yield a, b
        if kind == "Mul":
            yield b, a
