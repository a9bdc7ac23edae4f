"""QOperator files as QDQ: float operators between DequantizeLinear and QuantizeLinear."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.fused import FUSED
from opsmith.frontend.onnx.values import refuse


@dataclass(frozen=True)
class Quantised:
    """Positions of a QLinear operator's inputs, each followed by a scale and a zero point."""

    type: str  # operator whose positions these are
    inputs: tuple[int, ...] = (0,)
    output: int = 3  # position of the output's scale
    plain: tuple[int, ...] = ()  # positions of int32 inputs
    axis: int = 1  # of the scales of the second input


QLINEAR = {
    "QGemm": Quantised("Gemm", (0, 3), 7, plain=(6,)),
    "QLinearAdd": Quantised("Add", (0, 3), 6),
    "QLinearAveragePool": Quantised("AveragePool"),
    "QLinearConcat": Quantised("Concat", (), 0),
    "QLinearConv": Quantised("Conv", (0, 3), 6, plain=(8,), axis=0),
    "QLinearGlobalAveragePool": Quantised("GlobalAveragePool"),
    "QLinearLeakyRelu": Quantised("LeakyRelu"),
    "QLinearMatMul": Quantised("MatMul", (0, 3), 6),
    "QLinearMul": Quantised("Mul", (0, 3), 6),
    "QLinearReduceMean": Quantised("ReduceMean"),
    "QLinearSigmoid": Quantised("Sigmoid"),
    "QLinearSoftmax": Quantised("Softmax"),
}
_STANDARD = ("QLinearConv", "QLinearMatMul")
PLAIN = ("DequantizeLinear", "FastGelu", "Gelu", "QuantizeLinear")
MICROSOFTS = {*PLAIN, *FUSED, *QLINEAR} - {*_STANDARD}  # operators of domain com.microsoft


def as_qdq(operators: Sequence[Operator]) -> Iterator[Operator]:
    """Operators with all QLinear ones replaced by QDQ forms."""
    for each in operators:
        if each.type in QLINEAR:
            yield from _parts(each, QLINEAR[each.type])
        else:
            yield each


def _parts(whole: Operator, of: Quantised) -> Iterator[Operator]:
    if whole.attributes.get("channels_last"):
        raise refuse(whole, "channels_last is not read")
    if len(whole.outputs) != 1:
        raise refuse(whole, f"it has {len(whole.outputs)} outputs instead of 1")
    given = [*whole.inputs, *[""] * 9]
    places = of.inputs or tuple(range(2, len(whole.inputs), 3))
    names = []
    for index, place in enumerate(places):
        names.append(f"{whole.outputs[0]} of {index}")
        axis = 0 if whole.attributes.get("transB") else of.axis
        attributes: dict[str, Any] = {"axis": axis if index else 1}
        each = replace(whole, name=f"{whole.name}, operand {place}")
        yield _part(each, "DequantizeLinear", given[place : place + 3], names[-1], attributes)
    names += [given[place] for place in of.plain if given[place]]
    quantised = bool(given[of.output])
    made = f"{whole.outputs[0]} before" if quantised else whole.outputs[0]
    yield replace(whole, type=of.type, inputs=tuple(names), outputs=(made,))
    if quantised:
        scales = [made, *given[of.output : of.output + 2]]
        yield _part(whole, "QuantizeLinear", scales, whole.outputs[0], {})


def _part(
    whole: Operator, kind: str, inputs: Sequence[str], output: str, attributes: dict[str, Any]
) -> Operator:
    return Operator(f"{whole.name}: {kind}", kind, tuple(inputs), (output,), attributes)
