"""Operators that ONNX can write in several forms, in the plainest one: sums and extremes of two
tensors, a Gemm without factors. Operators that return their input are removed.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from opsmith.frontend.onnx.dynamic import FINDING, LAYERS, DynamicLayers
from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.onnx.fused import FUSED, check_takes, part, unfused
from opsmith.frontend.onnx.values import legal
from opsmith.ir import Array

OF_MANY = {"Max": "Max", "Min": "Min", "Sum": "Add", "Mean": "Add"}
SUMS = {  # reductions: the operator of each element before their ReduceSum, and that after it
    "ReduceL1": ("Abs", ""),
    "ReduceL2": ("Mul", "Sqrt"),
    "ReduceLogSum": ("", "Log"),
    "ReduceSumSquare": ("Mul", ""),
}
QUANTISING = ("QuantizeLinear", "DequantizeLinear")
OUTPUTS = {0: "uint8", 2: "uint8", 3: "int8"}  # types of QuantizeLinear's output, by number
ADDEND = "addend"  # attribute of a Gemm: shape of the constant that an Add after it adds
SAME = ("Dropout", "Identity")
ALONE = {"Sum", "Mean", "ReduceLogSumExp", "SimplifiedLayerNormalization"}
FORMS = frozenset({*ALONE, FINDING, *LAYERS, *SUMS})  # types that are replaced completely


class _Forms:
    def __init__(self, content: Content) -> None:
        self.content = content
        self.constants = dict(content.constants)
        self.known = {name for each in content.operators for name in (*each.inputs, *each.outputs)}
        self.dequantised = {
            name
            for each in content.operators
            if each.type == "DequantizeLinear" and {*each.inputs[:1]} <= {*self.constants}
            for name in each.outputs
        }
        self.others: dict[str, str] = {}  # output left out -> the value in its place
        self.types = {name: each.dtype.name for name, each in self.constants.items()}
        self.types |= content.integers  # element types of integer inputs
        self.dynamic = DynamicLayers(self.constants, self.name, self.constant)

    def holds(self, name: str) -> bool:
        """True if a tensor is constant, or dequantised of one."""
        return name in self.constants or name in self.dequantised

    def name(self, start: str) -> str:
        """An unused name that begins with `start`."""
        while start in self.known or start in self.constants:
            start += "_"
        self.known.add(start)
        return start

    def constant(self, start: str, array: Array) -> str:
        name = self.name(start)
        self.constants[name] = array
        return name


def plain_forms(content: Content) -> Content:
    """Content whose operators have their plainest forms."""
    forms = _Forms(content)
    operators: list[Operator] = []
    for each in content.operators:
        inputs = tuple(forms.others.get(name, name) for name in each.inputs)
        with legal(each):
            made = [*_plain(forms, replace(each, inputs=inputs))]
        operators += made
        for name in (name for operator in made for name in operator.outputs):
            forms.types.setdefault(name, forms.types.get(inputs[0], "") if inputs else "")
    forms.dynamic.check_outputs(content.outputs)
    return replace(content, operators=tuple(operators), constants=forms.constants)


def _plain(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    check_takes(operator)
    if operator.type not in FUSED:  # their parts are
        forms.dynamic.check(operator)
    if operator.type in SAME and operator.inputs and operator.outputs:
        yield from _same(forms, operator)
    elif operator.type in OF_MANY and operator.inputs:
        yield from _of_two(forms, operator)
    elif operator.type in SUMS and operator.inputs:
        yield from _sum(forms, operator)
    elif operator.type == "ReduceLogSumExp" and operator.inputs:
        yield from _log_sum_exp(forms, operator)
    elif operator.type in QUANTISING and len(operator.inputs) > 1:
        yield _with_point(forms, operator)
    elif operator.type in FUSED and operator.inputs:
        for each in unfused(operator, forms.name, forms.constant):
            yield from _plain(forms, each)
    elif operator.type == "FastGelu" and operator.inputs:
        yield from _fast_gelu(forms, operator)
    elif operator.type == FINDING and len(operator.inputs) == 1:
        yield from forms.dynamic.scaled(operator)
    elif operator.type in LAYERS and len(operator.inputs) > 1:
        yield from forms.dynamic.layer(operator)
    elif operator.type == "Gemm" and len(operator.inputs) > 1:
        yield from _gemm(forms, operator)
    else:
        yield operator


def _same(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    """Replacement of an operator that returns its input: nothing, except where the model outputs
    the tensor or a Dropout does more.
    """
    source, name = operator.inputs[0], operator.outputs[0]
    if name in forms.content.outputs or any(operator.outputs[1:]) or len(operator.inputs) > 2:
        yield operator
    elif source in forms.constants:
        forms.constants[name] = forms.constants[source]
    else:
        forms.others[name] = source


def _with_point(forms: _Forms, operator: Operator) -> Operator:
    """QuantizeLinear or DequantizeLinear with a zero point, 0 where the file leaves it out."""
    (x, scale, *rest), asked = operator.inputs, operator.attributes.get("output_dtype", 0)
    scales, point = forms.constants.get(scale), rest[0] if rest else ""
    if operator.type == "DequantizeLinear":
        kind, forms.types[operator.outputs[0]] = forms.types.get(x, ""), ""
    else:
        kind = forms.types[point] if point in forms.types else OUTPUTS.get(asked, "")
        forms.types[operator.outputs[0]] = kind
    if point or scales is None or kind not in ("int8", "uint8"):
        return operator
    made = forms.constant(f"{operator.outputs[0]} zero point", np.zeros(scales.shape, kind))
    return replace(operator, inputs=(x, scale, made))


def _of_two(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    """Chain of operators of two operands for an operator of any number."""
    kind, (first, *rest), output = OF_MANY[operator.type], operator.inputs, operator.outputs[0]
    count = len(operator.inputs)
    whole = operator.type == "Mean" and count > 1
    if not rest:
        yield from _same(forms, replace(operator, type="Identity"))
        return
    for index, each in enumerate(rest, 1):
        ends = index == len(rest) and not whole
        made = output if ends else forms.name(f"{output} of {index + 1}")
        which = "" if ends else f" {index}"
        yield part(operator, kind, (first, each), made, which, operator.attributes)
        first = made
    if whole:
        divisor = forms.constant(f"{output} count", np.asarray(count, np.float32))
        yield part(operator, "Div", (first, divisor), output, "")


def _sum(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    """Chain of a function, a sum and a function of the sum, for an operator of SUMS."""
    (x, *axes), output = operator.inputs, operator.outputs[0]
    before, after = SUMS[operator.type]
    if before:
        made = forms.name(f"{output} terms")
        yield part(operator, before, (x,) * (2 if before == "Mul" else 1), made, " terms")
        x = made
    made = forms.name(f"{output} sum") if after else output
    which = " sum" if after else ""
    yield part(operator, "ReduceSum", (x, *axes), made, which, operator.attributes)
    if after:
        yield part(operator, after, (made,), output, "")


def _log_sum_exp(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    """Logarithm of sums of exp(x - greatest) and the greatest, so that no exp is infinite."""
    (x, *axes), output = operator.inputs, operator.outputs[0]
    kept = {**operator.attributes, "keepdims": 1}
    most, less, terms, sums, log = (
        forms.name(f"{output} {each}") for each in ("most", "less", "terms", "sums", "log")
    )
    yield part(operator, "ReduceMax", (x, *axes), most, " most", kept)
    yield part(operator, "Sub", (x, most), less, " less")
    yield part(operator, "Exp", (less,), terms, " terms")
    yield part(operator, "ReduceSum", (terms, *axes), sums, " sums", kept)
    yield part(operator, "Log", (sums,), log, " log")
    keeps = bool(operator.attributes.get("keepdims", 1))
    made = output if keeps else forms.name(f"{output} kept")
    yield part(operator, "Add", (log, most), made, " sum")
    if not keeps:
        yield part(operator, "ReduceMax", (made, *axes), output, "", operator.attributes)


def _fast_gelu(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    """Gelu by tanh for onnxruntime's FastGelu, after the sum with its bias."""
    x, *bias = filter(None, operator.inputs)
    if bias:
        made = forms.name(f"{operator.outputs[0]} sum")
        yield part(operator, "Add", (x, *bias), made, " sum")
        x = made
    yield part(operator, "Gelu", (x,), operator.outputs[0], "", {"approximate": b"tanh"})


def _gemm(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    """Gemm of rows with scaled constants; its bias becomes an Add where it differs between rows."""
    (x, *names), options = operator.inputs, dict(operator.attributes)
    if options.pop("transA", 0):
        turned = forms.name(f"{operator.outputs[0]} turned")
        yield part(operator, "Transpose", (x,), turned, " A", {"perm": (1, 0)})
        x = turned
    for index, kind in enumerate(("alpha", "beta")[: len(names)]):
        factor, found = np.float32(options.get(kind, 1.0)), forms.constants.get(names[index])
        if factor != 1 and found is not None and found.dtype == np.float32:
            names[index] = forms.constant(f"{operator.outputs[0]} {kind}", found * factor)
            options[kind] = 1.0
    if len(names) < 2 or not names[1]:
        options.pop("beta", None)
    elif names[0] in forms.constants and not forms.holds(names[1]):
        yield from _sum_of_rows(forms, replace(operator, inputs=(x, *names), attributes=options))
        return
    shape = forms.constants[names[0]].shape if names[0] in forms.constants else ()
    columns = shape[-2 if options.get("transB") else -1 :][:1]
    bias = forms.constants.get(names[1]) if len(names) > 1 else None
    if bias is not None and bias.ndim < 3 and bias.size == 1 and columns:
        names[1] = forms.constant(f"{operator.outputs[0]} bias", np.full(columns, bias))
    elif bias is not None and bias.ndim == 2 and len(bias) > 1:
        made = forms.name(f"{operator.outputs[0]} products")
        options[ADDEND] = bias.shape
        yield part(operator, "Gemm", (x, names[0]), made, " products", options)
        yield part(operator, "Add", (made, names[1]), operator.outputs[0], "")
        return
    yield replace(operator, inputs=(x, *names), attributes=options)


def _sum_of_rows(forms: _Forms, operator: Operator) -> Iterator[Operator]:
    """Gemm without bias, and an Add of one that is computed, times beta."""
    (x, weights, bias), options = operator.inputs, dict(operator.attributes)
    made, addend = (forms.name(f"{operator.outputs[0]} {each}") for each in ("products", "addend"))
    if (beta := np.asarray(options.pop("beta", 1.0), np.float32)) != 1:
        factor = forms.constant(f"{operator.outputs[0]} beta", beta)
        yield part(operator, "Mul", (bias, factor), addend, " addend")
        bias = addend
    yield part(operator, "Gemm", (x, weights), made, " products", options)
    yield part(operator, "Add", (made, bias), operator.outputs[0], "")
