"""Follows the operators of a file: finds those that one node computes together, and quantisation.

QuantizeLinear and DequantizeLinear around an operator are part of it, as onnxruntime fuses them:
its sums are integers, which a float32 factor turns into elements of the output.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.onnx.integers import INTEGERS, as_int8, dequantizer
from opsmith.frontend.onnx.values import (
    EACH_ELEMENT,
    Builder,
    StoredConstant,
    Value,
    order_of_input,
    refuse,
    stated,
)
from opsmith.frontend.quantization import quantization_problem, scale_problem
from opsmith.ir import Array, DType, Quantization
from opsmith.ir.types import BY_NAME, f32, i8

FUSED = {"Relu": "RELU", "Clip": "RELU6"}


@dataclass(frozen=True)
class OperatorOutput:
    """Output of an operator's node: name, quantisation and fused activation."""

    name: str  # of the last tensor of the fused nodes
    activation: str  # NONE, RELU, RELU6
    quantization: Quantization | None
    dtype: DType = f32  # of elements that are not quantised


class Reader(Builder):
    """Graph under construction, with the values of the file's names."""

    def __init__(self, content: Content, multiplies: bool = False) -> None:
        super().__init__()
        self.content = content
        self.multiplies = multiplies  # quantisation multiplies by 1 / scale; ONNX divides
        self.values: dict[str, Value] = {}
        self.weights = {name: StoredConstant(each) for name, each in content.constants.items()}
        self.readers: dict[str, list[Operator]] = {}
        for each in content.operators:
            for name in each.inputs:
                self.readers.setdefault(name, []).append(each)
        self.fused: set[str] = set()  # names of operators that an earlier node computes
        self.assumed = list(content.assumed)
        self.others: list[tuple[str, str]] = []  # those that depart from ONNX's rule
        self.literal: set[str] = set()  # names of operators that are computed in float32
        self.reals: dict[str, str] = {}  # int8 tensor -> its float32 form
        self.columns: dict[str, Array] = {}  # flattened image -> position in ONNX of each column
        self.inputs = [self._input(name, shape) for name, shape in content.inputs.items()]

    def _input(self, name: str, shape: tuple[int, ...]) -> str:
        quantization, operator = None, self.only(name)
        read, plain = name, BY_NAME.get(self.content.plain.get(name, ""))
        if plain is None and operator is not None and operator.type == "QuantizeLinear":
            quantization = self.parameters(operator)
            self.fused.add(operator.name)
            read = operator.outputs[0]
            self.assumed.append(
                f"'{name}': the input is its int8 elements, as QuantizeLinear makes them:"
                f" scale {quantization.scales[0]:.9g}, zero point {quantization.zero_points[0]}"
            )
        if name in self.content.integers:
            quantization = self._of_integers(name, self.content.integers[name])
        after = self.readers.get(read, [])
        while len(after) == 1 and after[0].type in EACH_ELEMENT:
            after = self.readers.get(after[0].outputs[0], [])
        order = order_of_input(len(shape), after)
        if order != stated(len(shape)) and shape[1] > 1 and max(shape[2:]) > 1:
            axes = "NHWC" if len(shape) == 4 else "NWC"
            self.assumed.append(f"'{name}': the input has its channels last ({axes})")
        dtype = plain or (f32 if quantization is None else i8)
        made = self.tensor(name, [shape[axis] for axis in order], dtype, quantization)
        self.values[read] = Value(made, order)
        return made

    def _of_integers(self, name: str, kind: str) -> Quantization:
        """Scale and zero point of an int8 or uint8 input, from its DequantizeLinear."""
        if (first := dequantizer(name, self.readers)) is None:
            what, fix = "no DequantizeLinear reads it", "let DequantizeLinear read it first"
            where = f"input '{shown(name)}'"
            raise ToolchainError.of("MDL005", what, where=where, fix=fix)
        given = self.weights.get(first.inputs[2]) if len(first.inputs) > 2 else None
        if given is not None and kind != given.array.dtype.name:
            raise refuse(first, f"its zero point is not of {kind}, as the input is", "MDL005")
        if kind == "uint8":
            self.assumed.append(f"'{shown(name)}': the input is its elements of uint8 less 128")
        found = self.parameters(first)
        if found.per_channel:
            raise refuse(first, "activations are quantised by channel", "MDL005")
        return found

    def only(self, name: str) -> Operator | None:
        """Only reader of a tensor that is no output; None if there are several."""
        found = self.readers.get(name, [])
        return found[0] if len(found) == 1 and name not in self.content.outputs else None

    def parameters(self, operator: Operator) -> Quantization:
        """Scales and zero points of a QuantizeLinear or DequantizeLinear of int8."""
        scales = self._constant(operator, 1).array
        points = np.zeros(scales.shape, np.int8)
        if len(operator.inputs) > 2 and operator.inputs[2]:
            points = self._constant(operator, 2).array
        elif operator.type == "QuantizeLinear":
            raise refuse(operator, "it makes elements of neither int8 nor uint8", "MDL012")
        if scales.size == points.size == 1:  # onnxruntime may mix array and scalar
            scales, points = scales.reshape(()), points.reshape(())
        if scales.dtype != np.float32 or scales.ndim > 1 or scales.shape != points.shape:
            raise refuse(operator, "its scales and zero points do not fit", "MDL005")
        offset = 128 if points.dtype == np.uint8 else 0
        if operator.attributes.get("block_size"):
            raise refuse(operator, "it has a scale for each block", "MDL035")
        axis = int(operator.attributes.get("axis", 1)) if scales.size > 1 else 0
        found = Quantization(
            tuple(float(each) for each in scales.flat),
            tuple(int(each) - offset for each in points.flat),
            axis,
        )
        if not scales.size or (problem := scale_problem(found)):
            raise refuse(operator, problem if scales.size else "it has no scale", "MDL005")
        computed = operator.inputs[0] not in self.weights
        if operator.type == "QuantizeLinear" and found.per_channel and computed:
            raise refuse(operator, "activations are quantised by channel", "MDL005")
        return found

    def signed(self, operator: Operator) -> bool:
        """True if a QuantizeLinear makes elements of int8, not of uint8."""
        points = operator.inputs[2] if len(operator.inputs) > 2 else ""
        return points in self.weights and self.weights[points].array.dtype == np.int8

    def _constant(self, operator: Operator, index: int) -> StoredConstant:
        name = operator.inputs[index] if index < len(operator.inputs) else ""
        if name not in self.weights:
            raise refuse(operator, f"operand {index} is not constant")
        return self.weights[name]

    def plain(self, operator: Operator, index: int) -> Array:
        """Elements of a constant operand as stored."""
        return self._constant(operator, index).array

    def real(self, operator: Operator, index: int) -> Array:
        """Elements of a constant operand, dequantised."""
        return self._constant(operator, index).real

    def dequantize(self, operator: Operator) -> None:
        """Let the output of a DequantizeLinear stand for the integers that it reads."""
        source, output = operator.inputs[0], operator.outputs[0]
        found = self.parameters(operator)
        if source in self.values:
            if self.tensors[self.values[source].tensor].quantization != found:
                raise refuse(operator, "it reads other scales than QuantizeLinear wrote", "MDL005")
            self.values[output] = self.values[source]
            return
        array = self._constant(operator, 0).array
        array = as_int8(array)
        axis = found.axis + array.ndim if found.axis < 0 else found.axis
        found = Quantization(found.scales, found.zero_points, axis)
        problem = quantization_problem(found, BY_NAME[array.dtype.name], array.shape)
        if problem:
            raise refuse(operator, problem, "MDL005")
        self.weights[output] = StoredConstant(array, found)

    def value(self, operator: Operator, index: int) -> Value:
        """Value of an operand; a constant becomes a tensor with ONNX's order of axes."""
        name = operator.inputs[index] if index < len(operator.inputs) else ""
        if name in self.weights:
            found = self.held(operator, name).uniform
            self.values[name] = Value(
                self.constant(name, found.array, found.quantization), stated(found.array.ndim)
            )
        if name not in self.values:
            raise refuse(operator, f"operand {index} is missing")
        value = self.values[name]
        return self._real(operator, value) if operator.name in self.literal else value

    def held(self, operator: Operator, name: str) -> StoredConstant:
        """Constant operand by name; its 8-bit elements get the scale of the moved operands."""
        found, kind = self.weights[name], operator.attributes.get(INTEGERS)
        if kind is None or found.quantization is not None or found.array.dtype.itemsize != 1:
            return found
        if found.array.dtype != kind:
            raise refuse(operator, f"'{shown(name)}' is not of {kind}", "MDL012")
        return StoredConstant(as_int8(found.array), self.of_elements(operator))

    def of_elements(self, operator: Operator) -> Quantization:
        """Scale and zero point that all elements moved by an operator share."""
        values = [self.values[n] for n in operator.inputs if n in self.values]
        found = {self.tensors[each.tensor].quantization for each in values}
        if len(found) != 1:
            raise refuse(operator, "the elements that it reads differ in scale", "MDL005")
        (one,) = found
        assert one is not None
        return one

    def _real(self, operator: Operator, value: Value) -> Value:
        """The value in float32, by a DEQUANTIZE node if it is quantised."""
        if not self.quantised(value):
            return value
        if value.tensor not in self.reals:
            old = self.tensors[value.tensor]
            made = self.tensor(f"{old.name}_real", old.shape)
            self.reals[value.tensor] = self.node(operator, "DEQUANTIZE", [value.tensor], made)
            if value.tensor in self.columns:
                self.columns[made] = self.columns[value.tensor]
        return Value(self.reals[value.tensor], value.order)

    def compute_literally(self, operator: Operator) -> None:
        """Let an operator of quantised tensors be computed in float32, as the file says."""
        if operator.name not in self.literal:
            self.literal.add(operator.name)
            self.assumed.append(
                f"'{shown(operator.outputs[0])}' ({operator.type}): computed in float32, as the"
                " file literally has it"
            )

    def is_read(self, name: str) -> bool:
        """True if an operator reads a tensor, or it is an output of the file."""
        return bool(name) and (name in self.readers or name in self.content.outputs)

    def departs(self, operator: Operator, where: bool = True) -> None:
        """Record that an operator follows another rule than ONNX's, if `where` is true."""
        if where:
            self.others.append((operator.outputs[0], operator.type))

    def quantised(self, value: Value) -> bool:
        """True if a value is quantised."""
        return self.tensors[value.tensor].quantization is not None

    def target(self, operator: Operator, quantised: bool, fuses: bool = True) -> OperatorOutput:
        """Output of a node: that of the last operator that it computes."""
        name, activation = operator.outputs[0], "NONE"
        if INTEGERS in operator.attributes:
            return OperatorOutput(name, activation, self.of_elements(operator))
        if fuses and (after := self.activation(operator)) is not None:
            activation, name = FUSED[after.type], after.outputs[0]
            self.fused.add(after.name)
        after = self.only(name)
        if not quantised:
            return OperatorOutput(name, activation, None)
        if after is None or after.type != "QuantizeLinear":
            what = f"its inputs are quantised and '{name}' is not: quantise its output too"
            raise refuse(operator, what, "MDL005")
        self.fused.add(after.name)
        found = self.parameters(after)
        if activation == "RELU6":
            self._check_six(after, found)
        return OperatorOutput(after.outputs[0], activation, found)

    def activation(self, operator: Operator) -> Operator | None:
        """Activation after an operator that its node can compute, too; None without one."""
        after = self.only(operator.outputs[0])
        if after is None or after.type not in FUSED:
            return None
        return after if after.type == "Relu" or self.bounds(after) == (0.0, 6.0) else None

    def _check_six(self, operator: Operator, found: Quantization) -> None:
        """Raise MDL014 if 6 lies halfway between two elements: runtimes round it away from zero."""
        if (np.float32(6) / np.float32(found.scales[0])) % 1 == 0.5:
            raise refuse(operator, "6 lies between two elements of the output", "MDL014")

    def bounds(self, operator: Operator) -> tuple[float, float]:
        """Bounds of a Clip; infinite where absent."""
        found = [-np.inf, np.inf]
        for index in (1, 2):
            if index < len(operator.inputs) and operator.inputs[index]:
                real = self._constant(operator, index).real
                if real.size != 1:
                    raise refuse(operator, "a bound is no number")
                found[index - 1] = float(real.reshape(-1)[0])
        return found[0], found[1]

    def write(
        self,
        operator: Operator,
        op: str,
        inputs: list[str | None],
        target: OperatorOutput,
        order: tuple[int, ...],
        shape: tuple[int, ...],
        attributes: Mapping[str, object],
    ) -> None:
        """Write a node for the target, with this stored shape of its output."""
        if min(shape, default=1) < 1:
            raise refuse(operator, f"its output has the shape {shape}", "MDL014")
        dtype = target.dtype if target.quantization is None else i8
        made = self.tensor(target.name, shape, dtype, target.quantization)
        self.node(operator, op, inputs, made, attributes)
        self.values[target.name] = Value(made, order)
