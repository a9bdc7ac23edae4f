"""Layers that find the scale of what they read while the model runs, as onnxruntime's
quantize_dynamic() writes them: layers of float32, which adds integers below 2^24 exactly.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.fused import Constant, Name, part
from opsmith.frontend.onnx.values import refuse
from opsmith.ir import Array

FINDING = "DynamicQuantizeLinear"
LAYERS = {"ConvInteger": "Conv", "MatMulInteger": "MatMul"}
FLOAT = 1  # number of the type float32 of a Cast
HIGHEST = 255  # element of uint8
EXACT = 1 << 24  # float32 has all integers up to this one
EXCLUDE = "leave the layer float by nodes_to_exclude of onnxruntime's quantize_dynamic"
ELEMENTS, POINT, SUMS = "elements", "the zero point of elements", "sums"


@dataclass(frozen=True)
class DynamicLayers:
    """Writer of the operators in the place of dynamically quantised layers."""

    constants: Mapping[str, Array]
    name: Name
    constant: Constant
    points: dict[str, str] = field(default_factory=dict)  # elements -> their zero point
    integers: dict[str, str] = field(default_factory=dict)  # tensor -> ELEMENTS, POINT or SUMS

    def check(self, operator: Operator) -> None:
        """Raise MDL013 about an operator that reads integers, which are float32 here, unless it is
        a layer, or of sums a Cast to float32.
        """
        allowed = {0: ELEMENTS, 2: POINT} if operator.type in LAYERS else {}
        if operator.type == "Cast" and operator.attributes.get("to") == FLOAT:
            allowed = {0: SUMS}
        for index, each in enumerate(operator.inputs):
            if (found := self.integers.get(each)) not in (None, allowed.get(index)):
                what = f"'{shown(each)}', which it reads, is {found} of a quantised layer"
                raise refuse(operator, what, fix=EXCLUDE)

    def check_outputs(self, outputs: Sequence[str]) -> None:
        """Raise MDL013 if an output of the model is one of these integers."""
        for each in outputs:
            if each in self.integers:
                what = f"it is {self.integers[each]} of a quantised layer"
                where = f"output '{shown(each)}'"
                raise ToolchainError.of("MDL013", what, where=where, fix=EXCLUDE)

    def scaled(self, operator: Operator) -> Iterator[Operator]:
        """Operators of float32 for a FINDING, whose elements become integers from -255 to 255: they
        are less their zero point.
        """
        (x,), (elements, scale, point) = operator.inputs, (*operator.outputs, "", "")[:3]
        self.points[elements] = point
        self.integers.update({elements: ELEMENTS, **({point: POINT} if point else {})})
        parts: list[Operator] = []

        def of(kind: str, *inputs: str, output: str = "", **attributes: int) -> str:
            made = output or self.name(f"{elements} {kind}")
            parts.append(part(operator, kind, inputs, made, f" {len(parts)}", attributes))
            return made

        zero, one, highest, lowest = map(self._number, (0, 1, HIGHEST, -HIGHEST))
        low = of("Min", of("ReduceMin", x, keepdims=0), zero)
        span = of("Sub", of("Max", of("ReduceMax", x, keepdims=0), zero), low)
        step = of("Where", of("Equal", span, zero), one, of("Div", span, highest), output=scale)
        least = of("Max", of("Round", of("Div", low, step)), lowest)  # the zero point, negated
        integers = of("Max", of("Round", of("Div", x, step)), least)
        of("Min", integers, of("Add", least, highest), output=elements)
        yield from parts

    def _number(self, value: int) -> str:
        return self.constant("number", np.asarray(value, np.float32))

    def layer(self, operator: Operator) -> Iterator[Operator]:
        """Operators of float32 for one of LAYERS. Raises MDL013 where it does not read elements
        with their zero point and constant weights, MDL014 where float32 might round its sums.
        """
        x, name, *points = (*operator.inputs, "", "")[:4]
        if not points[0] or self.points.get(x) != points[0]:
            what = f"no {FINDING} wrote what it reads, and the zero point of that"
            raise refuse(operator, what, fix=EXCLUDE)
        weights, output = self._weights(operator, name, points[1]), operator.outputs[0]
        self.integers[output] = SUMS
        axis = int(operator.type == "ConvInteger")
        if _is_exact(weights):
            yield from self._sums(operator, x, weights, output, "")
            return
        halves, made, start = np.array_split(weights, 2, axis), [], 0
        if operator.attributes.get("group", 1) != 1 or not all(map(_is_exact, halves)):
            raise refuse(operator, "its sums may be beyond 2^24", "MDL014", EXCLUDE)
        for index, each in enumerate(halves):
            bounds = start, (start := start + each.shape[axis]), axis or -1
            given = (self.constant("bound", np.array([n], np.int64)) for n in bounds)
            half, sums = (self.name(f"{output} {of} {index}") for of in ("half", "sums"))
            yield part(operator, "Slice", (x, *given), half, f" half {index}")
            yield from self._sums(operator, half, each, sums, f" sums {index}")
            made.append(sums)
        yield part(operator, "Add", tuple(made), output, "")

    def _weights(self, operator: Operator, name: str, point: str) -> Array:
        """Weights less their zero point, or zero points of output channels, in int32."""
        found, zero = self.constants.get(name), self.constants.get(point, np.zeros(1, np.int8))
        rank, axis = (3, 0) if operator.type == "ConvInteger" else (2, 1)
        if found is None or not rank <= found.ndim <= 2 * rank - 2 or found.dtype.itemsize != 1:
            what = "its weights are no constant matrix, or kernel, of 8 bits"
            raise refuse(operator, what, fix=EXCLUDE)
        fits = zero.ndim < 2 and zero.size in (1, found.shape[axis])
        if point and (point not in self.constants or zero.dtype != found.dtype or not fits):
            what = "its weights' zero point is no constant of their type, one or by output channel"
            raise refuse(operator, what, fix=EXCLUDE)
        sizes = [1] * found.ndim
        sizes[axis] = -1
        return found.astype(np.int32) - zero.astype(np.int32).reshape(sizes)

    def _sums(
        self, operator: Operator, x: str, weights: Array, output: str, which: str
    ) -> Iterator[Operator]:
        """Layer of float32, whose weights stay integers of 8 bits where they fit."""
        if (weights == weights.astype(np.int8)).all():
            scale, zero = self._number(1), self.constant("zero", np.asarray(0, np.int8))
            inputs = self.constant("weights", weights.astype(np.int8)), scale, zero
            held = self.name(f"{output} weights")
            yield part(operator, "DequantizeLinear", inputs, held, f"{which} weights")
        else:
            held = self.constant("weights", weights.astype(np.float32))
        kind = LAYERS[operator.type]
        yield part(operator, kind, (x, held), output, which, operator.attributes)


def _is_exact(weights: Array) -> bool:
    """True if no sum of a layer with these weights can be beyond what float32 adds exactly."""
    axes = (0,) if weights.ndim == 2 else tuple(range(1, weights.ndim))
    return HIGHEST * int(np.abs(weights).sum(axes).max(initial=0)) <= EXACT
