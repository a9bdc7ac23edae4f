"""Operators into which onnxruntime fuses several of ONNX's when it saves an optimised model."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from opsmith.frontend.names import shown
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.values import refuse, word
from opsmith.ir import Array

Name = Callable[[str], str]  # an unused name that begins with the given one
Constant = Callable[[str, Array], str]  # name of a new constant
SKIPPING_EPSILON = 1e-12  # onnxruntime's default, where the normalisation alone has 1e-5
PLAIN_ACTIVATIONS = ("Relu", "Sigmoid", "Tanh")


TAKES = {  # most operands, and the attributes; None: their parts read these
    "BiasGelu": (2, ()),
    "ConvInteger": (4, None),
    "DynamicQuantizeLinear": (1, ()),
    "DynamicQuantizeMatMul": (5, ()),
    "FusedConv": (4, None),
    "FusedGemm": (3, None),
    "FusedMatMul": (2, None),
    "MatMulInteger": (4, ()),
    "MatMulIntegerToFloat": (7, ()),
    "QuickGelu": (1, ("alpha",)),
    "SimplifiedLayerNormalization": (2, None),
    "SkipLayerNormalization": (5, ("epsilon",)),
    "SkipSimplifiedLayerNormalization": (4, ("epsilon",)),
}


def check_takes(operator: Operator) -> None:
    """Raise MDL013 about operands and attributes that an operator of TAKES does not have."""
    most, known = TAKES.get(operator.type, (len(operator.inputs), None))
    surplus = [f"operand '{shown(each)}'" for each in operator.inputs[most:] if each]
    if known is not None:
        names = (each for each in operator.attributes if each not in known)
        surplus += [f"attribute '{shown(each)}'" for each in names]
    if surplus:
        raise refuse(operator, f"it is not read with {', '.join(surplus)}")


def unfused(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    """Operators of ONNX that compute what an operator of FUSED does."""
    yield from FUSED[operator.type](operator, name, constant)


def _biased_gelu(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    made = name(f"{operator.outputs[0]} sum")
    yield part(operator, "Add", operator.inputs[:2], made, " sum")
    yield part(operator, "Gelu", (made,), operator.outputs[0], "")


def _quick_gelu(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    alpha = operator.attributes.get("alpha", 1.702)
    yield part(operator, "Swish", operator.inputs[:1], operator.outputs[0], "", {"alpha": alpha})


def _activated(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    """Layer, the addition of a further operand to a Conv, and the activation."""
    kind, options = operator.type.removeprefix("Fused"), dict(operator.attributes)
    function = word(operator, "activation", "")
    options.pop("activation", None)
    single = [options.pop(f"activation_{each}", None) for each in ("alpha", "beta", "gamma")]
    numbers = [float(each) for each in options.pop("activation_params", ())]
    numbers = numbers or [float(each) for each in single if each is not None]
    inputs, output = operator.inputs, operator.outputs[0]
    made = name(f"{output} products")
    yield part(operator, kind, inputs[:3], made, " products", options)
    if kind == "Conv" and len(inputs) > 3 and inputs[3]:
        last = name(f"{output} sum") if function else output
        yield part(operator, "Add", (made, inputs[3]), last, " sum")
        made = last
    if function:
        yield _activation(operator, function, made, numbers, constant)


def _activation(
    operator: Operator, function: str, x: str, numbers: list[float], constant: Constant
) -> Operator:
    """Activation of a fused layer. Raises MDL013 about functions that are not read."""
    given: dict[str, Any] = dict(zip(("alpha", "beta"), numbers, strict=False))
    output = operator.outputs[0]
    match function:
        case "Clip" if len(numbers) == 2:
            bounds = [constant(f"{output} bound", np.asarray(each, np.float32)) for each in numbers]
            return part(operator, "Clip", (x, *bounds), output, "")
        case "LeakyRelu" | "HardSigmoid":
            return part(operator, function, (x,), output, "", given)
        case _ if function in PLAIN_ACTIVATIONS:
            return part(operator, function, (x,), output, "")
    raise refuse(operator, "its activation is not read")


def _turned(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    """MatMul whose attributes say which operand has its last axes exchanged; then the factor."""
    given = dict(operator.attributes)
    alpha, output = float(given.pop("alpha", 1.0)), operator.outputs[0]
    if given.pop("transBatchA", 0) or given.pop("transBatchB", 0):
        raise refuse(operator, "its batches are not read as rows")
    made = output if alpha == 1 else name(f"{output} products")
    yield part(operator, "MatMul", operator.inputs, made, " products", given)
    if alpha != 1:
        factor = constant(f"{output} alpha", np.asarray(alpha, np.float32))
        yield part(operator, "Mul", (made, factor), output, "")


def _skipping(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    """Sum of x, a skipped tensor and perhaps a bias; then its normalisation."""
    simple = "Simplified" in operator.type
    x, skip, *factors = operator.inputs
    bias = factors[1 if simple else 2 :][:1]
    outputs = [*operator.outputs, *[""] * 4]
    made = outputs[3] or name(f"{outputs[0]} sum")
    if simple and outputs[1]:
        raise refuse(operator, "it has no mean to output")
    if bias and bias[0]:
        inner = name(f"{outputs[0]} skipped")
        yield part(operator, "Add", (x, skip), inner, " skipped")
        yield part(operator, "Add", (inner, bias[0]), made, " sum")
    else:
        yield part(operator, "Add", (x, skip), made, " sum")
    kind = "RMSNormalization" if simple else "LayerNormalization"
    inputs = (made, *factors[: 1 if simple else 2])
    given = {"epsilon": operator.attributes.get("epsilon", SKIPPING_EPSILON)}
    norm = part(operator, kind, inputs, outputs[0], "", given)
    yield replace(norm, outputs=(outputs[0], *outputs[2 if simple else 1 : 3]))


def _simple(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    yield replace(operator, type="RMSNormalization")


def _quantised_product(operator: Operator, name: Name, constant: Constant) -> Iterator[Operator]:
    """MatMulInteger, scaled, and the addition of a bias; a DynamicQuantizeMatMul finds the scale of
    its first operand.
    """
    output, given = operator.outputs[0], (*operator.inputs, *[""] * 5)
    elements, found, point, sums, real, scale, last = (
        name(f"{output} {each}")
        for each in ("elements", "found", "point", "sums", "real", "scale", "product")
    )
    if operator.type == "MatMulIntegerToFloat":
        elements, weights, found, scales, point, zero, bias = given[:7]
    else:
        x, weights, scales, zero, bias = given[:5]
        finding = part(operator, "DynamicQuantizeLinear", (x,), elements, " scale")
        yield replace(finding, outputs=(elements, found, point))
    inputs = elements, weights, point, *filter(None, [zero])
    yield part(operator, "MatMulInteger", inputs, sums, " sums")
    yield part(operator, "Cast", (sums,), real, " real", {"to": 1})
    yield part(operator, "Mul", (found, scales), scale, " factor")
    last = last if bias else output
    yield part(operator, "Mul", (real, scale), last, " product")
    if bias:
        yield part(operator, "Add", (last, bias), output, "")


FUSED = {
    "BiasGelu": _biased_gelu,
    **dict.fromkeys(("DynamicQuantizeMatMul", "MatMulIntegerToFloat"), _quantised_product),
    "FusedConv": _activated,
    "FusedGemm": _activated,
    "FusedMatMul": _turned,
    "QuickGelu": _quick_gelu,
    "SimplifiedLayerNormalization": _simple,
    "SkipLayerNormalization": _skipping,
    "SkipSimplifiedLayerNormalization": _skipping,
}


def part(
    whole: Operator,
    kind: str,
    inputs: tuple[str, ...],
    output: str,
    which: str,
    attributes: Mapping[str, Any] | None = None,
) -> Operator:
    """Operator, with a name of its own, among several that replace `whole`."""
    name, given = f"{whole.name}{which}", attributes or {}
    return replace(whole, name=name, type=kind, inputs=inputs, outputs=(output,), attributes=given)
