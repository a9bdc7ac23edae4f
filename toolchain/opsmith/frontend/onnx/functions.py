"""Functions of single elements that ONNX has, in numpy and as ops of float32."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.values import refuse, word
from opsmith.ir import Array

Function = Callable[[Array, Operator], Array]  # of float64


Composition = Callable[[Parts, str, Operator], str]


@dataclass(frozen=True)
class Elementwise:
    """Elementwise operator of ONNX: its function in numpy, and the float32 ops that compute it."""

    function: Function
    op: str = ""
    options: Callable[[Operator], Mapping[str, Any]] = lambda operator: {}
    parts: Composition | None = None


def number(operator: Operator, name: str, default: float) -> float:
    """Attribute of an operator, rounded to float32."""
    return float(np.float32(operator.attributes.get(name, default)))


def _alpha(operator: Operator) -> dict[str, Any]:
    return {"alpha": number(operator, "alpha", 0.01)}


def _tanh_is_used(operator: Operator) -> bool:
    found = word(operator, "approximate", "none")
    if found not in ("none", "tanh"):
        raise refuse(operator, "its approximate is none of none, tanh", "MDL014")
    return found == "tanh"


def _gelu(x: Array, operator: Operator) -> Array:
    if _tanh_is_used(operator):
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return np.asarray(x / 2 * (1 + np.tanh(inner)))
    return np.asarray(x / 2 * (1 + _erf(x / math.sqrt(2))))


def _erf(x: Array) -> Array:
    return np.array([math.erf(each) for each in x.flat]).reshape(x.shape)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _one(operator: Operator) -> float:
    """Attribute alpha, by default 1."""
    return number(operator, "alpha", 1.0)


def _hard_sigmoid(x: Array, operator: Operator) -> Array:
    alpha, beta = number(operator, "alpha", 0.2), number(operator, "beta", 0.5)
    return np.asarray(np.clip((alpha * x).astype(np.float32) + np.float32(beta), 0, 1))


def _hard_swish(x: Array, operator: Operator) -> Array:
    return x * np.clip(x / 6 + 0.5, 0, 1)


def _selu(operator: Operator) -> tuple[float, float]:
    """Factors of Selu for negative and for positive elements."""
    gamma = number(operator, "gamma", 1.0507010221481323)
    return gamma * number(operator, "alpha", 1.6732631921768188), gamma


def _swish(x: Array, operator: Operator) -> Array:
    return x * _sigmoid(number(operator, "alpha", 1.0) * x)


def _below(parts: Parts, x: str, low: float, high: float = 1.0, inner: float = 1.0) -> str:
    """Tensor of low * (exp(x / inner) - 1) for negative x, and high * x for positive x."""
    negative = parts.pair("MINIMUM", x, parts.real(0))
    if inner != 1:
        negative = parts.pair("DIV", negative, parts.real(inner))
    negative = parts.pair("MUL", parts.of("ELU", negative), parts.real(low))
    positive = parts.of("RELU", x)
    if high != 1:
        positive = parts.pair("MUL", positive, parts.real(high))
    return parts.pair("ADD", positive, negative)


def _hard_sigmoid_of(parts: Parts, x: str, operator: Operator) -> str:
    alpha, beta = number(operator, "alpha", 0.2), number(operator, "beta", 0.5)
    scaled = parts.pair("MUL", x, parts.real(alpha))
    return parts.of("RELU_0_TO_1", parts.pair("ADD", scaled, parts.real(beta)))


def _softplus_of(parts: Parts, x: str) -> str:
    """Tensor of softplus: max(x, 0) + log(1 + exp(-|x|))."""
    small = parts.of("EXP", parts.of("NEG", parts.of("ABS", x)))
    small = parts.of("LOG", parts.pair("ADD", small, parts.real(1)))
    return parts.pair("ADD", parts.of("RELU", x), small)


def _softsign_of(parts: Parts, x: str, operator: Operator) -> str:
    return parts.pair("DIV", x, parts.pair("ADD", parts.of("ABS", x), parts.real(1)))


def _swish_of(parts: Parts, x: str, operator: Operator) -> str:
    alpha = number(operator, "alpha", 1.0)
    inner = x if alpha == 1 else parts.pair("MUL", x, parts.real(alpha))
    return parts.pair("MUL", x, parts.of("LOGISTIC", inner))


def _beside(parts: Parts, x: str) -> str:
    """Tensor of sqrt((1 - x) * (1 + x)): the cosine of an angle whose sine is x."""
    one = parts.real(1)
    sides = parts.pair("SUB", one, x), parts.pair("ADD", one, x)
    return parts.of("SQRT", parts.pair("MUL", *sides))


def _no_erf(parts: Parts, x: str, operator: Operator) -> str:
    what = "it is read in a Gelu, x * 0.5 * (1 + erf(x / sqrt(2))), or of quantised tensors"
    raise refuse(operator, what)


def _shrunk(x: Array, operator: Operator) -> Array:
    end, bias = number(operator, "lambd", 0.5), number(operator, "bias", 0.0)
    return np.where(x < -end, x + bias, np.where(x > end, x - bias, 0))


def _shrunk_of(parts: Parts, x: str, operator: Operator) -> str:
    end, bias = number(operator, "lambd", 0.5), number(operator, "bias", 0.0)
    less, more = (parts.pair(op, x, parts.real(bias)) for op in ("SUB", "ADD"))
    upper = parts.chosen("GREATER", x, end, less, parts.real(0))
    return parts.chosen("LESS", x, -end, more, upper)


def _arctangent(parts: Parts, x: str, operator: Operator) -> str:
    return parts.pair("ATAN2", x, parts.real(np.ones(parts.shape(x))))


def _above_of(parts: Parts, x: str, operator: Operator) -> str:
    return parts.chosen("GREATER", x, _one(operator), x, parts.real(0))


FUNCTIONS = {
    "Abs": Elementwise(lambda x, o: np.abs(x), "ABS"),
    "Acos": Elementwise(
        lambda x, o: np.arccos(x), parts=lambda p, x, o: p.pair("ATAN2", _beside(p, x), x)
    ),
    "Asin": Elementwise(
        lambda x, o: np.arcsin(x), parts=lambda p, x, o: p.pair("ATAN2", x, _beside(p, x))
    ),
    "Atan": Elementwise(lambda x, o: np.arctan(x), parts=_arctangent),
    "Ceil": Elementwise(lambda x, o: np.ceil(x), "CEIL"),
    "Cos": Elementwise(lambda x, o: np.cos(x), "COS"),
    "Celu": Elementwise(
        lambda x, o: np.where(x < 0, _one(o) * np.expm1(x / _one(o)), x),
        parts=lambda parts, x, o: _below(parts, x, _one(o), 1.0, _one(o)),
    ),
    "Elu": Elementwise(
        lambda x, o: np.where(x < 0, _one(o) * np.expm1(x), x),
        parts=lambda parts, x, o: _below(parts, x, _one(o)) if _one(o) != 1 else parts.of("ELU", x),
    ),
    "Erf": Elementwise(lambda x, o: _erf(x), parts=_no_erf),
    "Exp": Elementwise(lambda x, o: np.exp(x), "EXP"),
    "Floor": Elementwise(lambda x, o: np.floor(x), "FLOOR"),
    "Gelu": Elementwise(_gelu, "GELU", lambda o: {"approximate": _tanh_is_used(o)}),
    "HardSigmoid": Elementwise(_hard_sigmoid, parts=_hard_sigmoid_of),
    "HardSwish": Elementwise(_hard_swish, "HARD_SWISH"),
    "LeakyRelu": Elementwise(
        lambda x, o: np.where(x < 0, _alpha(o)["alpha"] * x, x), "LEAKY_RELU", _alpha
    ),
    "Log": Elementwise(lambda x, o: np.log(x), "LOG"),
    "Mish": Elementwise(
        lambda x, o: x * np.tanh(np.logaddexp(0, x)),
        parts=lambda p, x, o: p.pair("MUL", x, p.of("TANH", _softplus_of(p, x))),
    ),
    "Neg": Elementwise(lambda x, o: -x, "NEG"),
    "Reciprocal": Elementwise(
        lambda x, o: 1 / x, parts=lambda parts, x, o: parts.pair("DIV", parts.real(1), x)
    ),
    "Relu": Elementwise(lambda x, o: np.maximum(x, 0), "RELU"),
    "Round": Elementwise(lambda x, o: np.rint(x), "ROUND"),
    "Selu": Elementwise(
        lambda x, o: np.where(x < 0, _selu(o)[0] * np.expm1(x), _selu(o)[1] * x),
        parts=lambda parts, x, o: _below(parts, x, *_selu(o)),
    ),
    "Shrink": Elementwise(_shrunk, parts=_shrunk_of),
    "Sigmoid": Elementwise(lambda x, o: _sigmoid(x), "LOGISTIC"),
    "Sign": Elementwise(lambda x, o: np.sign(x), "SIGN"),
    "Sin": Elementwise(lambda x, o: np.sin(x), "SIN"),
    "Softplus": Elementwise(
        lambda x, o: np.logaddexp(0, x), parts=lambda parts, x, o: _softplus_of(parts, x)
    ),
    "Softsign": Elementwise(lambda x, o: x / (1 + np.abs(x)), parts=_softsign_of),
    "Sqrt": Elementwise(lambda x, o: np.sqrt(x), "SQRT"),
    "Swish": Elementwise(_swish, parts=_swish_of),
    "Tan": Elementwise(
        lambda x, o: np.tan(x), parts=lambda p, x, o: p.pair("DIV", p.of("SIN", x), p.of("COS", x))
    ),
    "Tanh": Elementwise(lambda x, o: np.tanh(x), "TANH"),
    "ThresholdedRelu": Elementwise(lambda x, o: np.where(x > _one(o), x, 0), parts=_above_of),
}
