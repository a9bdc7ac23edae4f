"""LSTM, GRU and RNN of float32, step by step; each call starts from the initial states."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, refuse, stated, word
from opsmith.ir import Array

MOST = 512  # steps that are unrolled into about fifteen nodes each
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
FUNCTIONS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
OF_RNN = {b"Tanh": "TANH", b"Relu": "RELU", b"Sigmoid": "LOGISTIC"}
DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}


@dataclass(frozen=True)
class RecurrentWeights:
    """Constants of one direction; the rows of a matrix are the gates', one gate after another."""

    of_x: Array
    of_h: Array
    x_bias: Array
    h_bias: Array
    hidden: int
    before_reset: bool  # GRU: the reset gate multiplies products, not the state


Step = Callable[[Parts, RecurrentWeights, str, list[str]], list[str]]  # states after a step


def recurrent(reader: Reader, operator: Operator) -> None:
    """Write an LSTM, GRU or RNN of one direction or both."""
    parts, options = Parts(reader, operator), operator.attributes
    x = reader.ordered(operator, reader.value(operator, 0), (0, 1, 2)).tensor
    first = int(bool(options.get("layout")))  # axis of steps
    steps, batch = parts.shape(x)[first], parts.shape(x)[1 - first]
    said = word(operator, "direction", "forward")
    directions = DIRECTIONS.get(said)
    if directions is None:
        raise refuse(operator, "its direction is none that ONNX has", "MDL014")
    _check(reader, operator, steps, batch, len(directions))
    layers = _layers(reader, operator, len(directions), parts.shape(x)[-1])
    hidden, rows, last = layers[0].hidden, [], []
    for index, (layer, backwards) in enumerate(zip(layers, directions, strict=True)):
        of_x = parts.layer(x, layer.of_x, layer.x_bias)
        states = [
            _first(reader, operator, parts, 5 + which, index, (first, batch, hidden))
            for which in range(2 if operator.type == "LSTM" else 1)
        ]
        step = STEPS.get(operator.type) or _rnn(operator, index)
        found = [""] * steps
        for at in range(steps)[:: -1 if backwards else 1]:
            given = parts.part(of_x, first, at, 1)
            states = step(parts, layer, parts.reshaped(given, (batch, len(layer.of_x))), states)
            shape = (batch, 1, 1, hidden) if first else (1, 1, batch, hidden)
            found[at] = parts.reshaped(states[0], shape)
        rows.append(parts.joined(found, first))
        shape_ = (batch, 1, hidden) if first else (1, batch, hidden)
        last.append([parts.reshaped(state, shape_) for state in states])
    made = [parts.joined(rows, 1 + first)]
    made += [parts.joined(list(each), first) for each in zip(*last, strict=True)]
    for name, tensor in zip(operator.outputs, made, strict=False):
        if name:
            reader.values[name] = Value(tensor, stated(len(parts.shape(tensor))))


def _check(reader: Reader, operator: Operator, steps: int, batch: int, count: int) -> None:
    options, given = operator.attributes, [*operator.inputs, *[""] * 8]
    usual = [each.encode() for each in FUNCTIONS[operator.type]] * count
    said = options.get("activations", usual)
    known = operator.type == "RNN" and len(said) == count and {*said} <= {*OF_RNN}
    if said != usual and not known:
        raise refuse(operator, f"only the activations {FUNCTIONS[operator.type]} are read")
    if options.get("clip") or options.get("input_forget") or given[7]:
        raise refuse(operator, "clip, input_forget and peepholes are not read")
    if steps > MOST:
        raise refuse(operator, f"it has {steps} steps, more than {MOST}", "MDL003")
    if given[4] and set(reader.plain(operator, 4).reshape(-1)) != {steps}:
        raise refuse(operator, "its sequences are shorter than the input")


def _layers(reader: Reader, operator: Operator, count: int, width: int) -> list[RecurrentWeights]:
    of_x, of_h = reader.real(operator, 1), reader.real(operator, 2)
    gates, hidden = GATES[operator.type], of_h.shape[-1]
    bias = np.zeros((count, 2 * gates * hidden), np.float32)
    if len(operator.inputs) > 3 and operator.inputs[3]:
        bias = reader.real(operator, 3)
    shapes = (count, gates * hidden, width), (count, gates * hidden, hidden), bias.shape
    wanted = (of_x.shape, of_h.shape, (count, 2 * gates * hidden))
    if shapes != wanted or hidden != int(operator.attributes.get("hidden_size", hidden)):
        raise refuse(operator, f"the weights {of_x.shape} and {of_h.shape} do not fit", "MDL006")
    before = bool(operator.attributes.get("linear_before_reset"))
    found = []
    for w, r, b in zip(of_x, of_h, bias, strict=True):
        x_bias, h_bias = b[: gates * hidden].copy(), b[gates * hidden :].copy()
        merged = slice(0, 2 * hidden) if operator.type == "GRU" and before else slice(None)
        x_bias[merged] += h_bias[merged]
        h_bias[merged] = 0
        found.append(RecurrentWeights(w, r, x_bias, h_bias, hidden, before))
    return found


def _first(
    reader: Reader,
    operator: Operator,
    parts: Parts,
    place: int,
    index: int,
    sizes: tuple[int, int, int],
) -> str:
    """Tensor of the state before the first step; zeros where the file gives none."""
    axis, batch, hidden = sizes
    if place >= len(operator.inputs) or not operator.inputs[place]:
        return parts.real(np.zeros((batch, hidden)))
    given = reader.ordered(operator, reader.value(operator, place), (0, 1, 2)).tensor
    if parts.shape(given)[1 - axis] != batch or parts.shape(given)[2] != hidden:
        raise refuse(operator, f"operand {place} does not fit its weights", "MDL006")
    return parts.reshaped(parts.part(given, axis, index, 1), (batch, hidden))


def _lstm(parts: Parts, layer: RecurrentWeights, x: str, states: list[str]) -> list[str]:
    (h, c), n = states, layer.hidden
    sums = parts.pair("ADD", x, parts.layer(h, layer.of_h, layer.h_bias))
    open_ = parts.of("LOGISTIC", parts.part(sums, 1, 0, 3 * n))
    entering, leaving, kept = (parts.part(open_, 1, n * i, n) for i in range(3))
    new = parts.of("TANH", parts.part(sums, 1, 3 * n, n))
    c = parts.pair("ADD", parts.pair("MUL", kept, c), parts.pair("MUL", entering, new))
    return [parts.pair("MUL", leaving, parts.of("TANH", c)), c]


def _gru(parts: Parts, layer: RecurrentWeights, x: str, states: list[str]) -> list[str]:
    (h,), n = states, layer.hidden
    of_h, bias = layer.of_h, layer.h_bias
    rows = 3 * n if layer.before_reset else 2 * n
    sums = parts.layer(h, of_h[:rows], bias[:rows])
    gates = parts.pair("ADD", parts.part(x, 1, 0, 2 * n), parts.part(sums, 1, 0, 2 * n))
    gates = parts.of("LOGISTIC", gates)
    kept, reset = (parts.part(gates, 1, n * i, n) for i in range(2))
    if layer.before_reset:
        more = parts.pair("MUL", reset, parts.part(sums, 1, 2 * n, n))
    else:
        more = parts.layer(parts.pair("MUL", reset, h), of_h[2 * n :], bias[2 * n :])
    new = parts.of("TANH", parts.pair("ADD", parts.part(x, 1, 2 * n, n), more))
    taken = parts.pair("MUL", parts.pair("SUB", parts.real(1), kept), new)
    return [parts.pair("ADD", taken, parts.pair("MUL", kept, h))]


def _rnn(operator: Operator, index: int) -> Step:
    """Step of an RNN in the direction of this number."""
    op = OF_RNN[[*operator.attributes.get("activations", [b"Tanh"] * 2)][index]]

    def step(parts: Parts, layer: RecurrentWeights, x: str, states: list[str]) -> list[str]:
        sums = parts.pair("ADD", x, parts.layer(states[0], layer.of_h, layer.h_bias))
        return [parts.of(op, sums)]

    return step


STEPS: dict[str, Step] = {"LSTM": _lstm, "GRU": _gru}
