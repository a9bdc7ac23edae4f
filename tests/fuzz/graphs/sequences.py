"""Layers that remember: what one invocation leaves is what the next begins with."""

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from tests.fuzz.graphs.builder import NONE, Builder, Quantisation
from tests.fuzz.graphs.kind import kinds

Options = dict[str, OptionValue]
NOT_IN_LITERT = "only TensorFlow Lite Micro has the variant"
GATES, FIRST_WEIGHTS, FIRST_RECURRENT, FIRST_BIAS = 4, 1, 5, 12
OUTPUT_STATE, CELL_STATE, LSTM_INPUTS = 18, 19, 24


def svdf(build: Builder, op: str, dtype: str, weights: str, state: str) -> None:
    x = build.pick(dtype, rank=2)
    units, rank, memory = (build.chance.randint(1, most) for most in (4, 3, 5))
    filters = units * rank
    over_time = state if dtype == "int8" else weights
    bias = build.values("int32" if dtype == "int8" else "float32", (units,))
    inputs = [
        x,
        _weights(build, weights, (filters, x.shape[1])),
        _weights(build, over_time, (filters, memory)),
        build.constant(bias) if build.one(True, False) else None,
        build.tensor(
            "state",
            (x.shape[0], filters * memory),
            state,
            Quantisation(0.02, 0) if dtype == "int8" else NONE,
            variable=True,
        ),
    ]
    options: Options = {"rank": rank, "fused_activation_function": "RELU"}
    if dtype == "float32":
        options["fused_activation_function"] = build.one("NONE", "RELU", "RELU6")
        options["asymmetric_quantize_inputs"] = weights == "int8" and build.one(True, False)
    found = build.quantisation(dtype)
    build.node(op, inputs, (x.shape[0], units), dtype, found, options, version=3)


def lstm(build: Builder, op: str, dtype: str, weights: str = "") -> None:
    """Add an LSTM, batch or time first, with an input gate or one coupled to the forget gate."""
    x = build.pick(dtype, rank=3)
    time_major, cells = build.one(True, False), build.chance.randint(1, 4)
    batches, wide = x.shape[1 if time_major else 0], dtype == "int16"
    quantised = dtype != "float32"
    inputs: list[ModelTensor | None] = [None] * LSTM_INPUTS
    inputs[0] = x
    weights = weights or ("int8" if quantised else dtype)
    for gate in range(0 if wide else build.one(0, 1), GATES):
        inputs[FIRST_WEIGHTS + gate] = _weights(build, weights, (cells, x.shape[2]))
        inputs[FIRST_RECURRENT + gate] = _weights(build, weights, (cells, cells))
        bias = build.random.integers(-5000, 5000, cells, np.int64 if wide else np.int32)
        real = (bias / 5000).astype(np.float32)
        inputs[FIRST_BIAS + gate] = build.constant(bias if quantised else real)
    hidden = Quantisation(1 / 128, build.one(0, -10)) if quantised else NONE
    if wide:
        hidden = Quantisation(build.one(2.0**-15, 1e-4), 0)
    cell = Quantisation(2.0 ** build.chance.randint(-15, -9), 0) if quantised else NONE
    cell_type = "int16" if quantised else dtype
    inputs[OUTPUT_STATE] = build.tensor("h", (batches, cells), dtype, hidden, variable=True)
    inputs[CELL_STATE] = build.tensor("c", (batches, cells), cell_type, cell, variable=True)
    inner = [NONE, NONE, NONE, NONE, hidden] if quantised else []
    dynamic = not quantised and weights == "int8"
    options: Options = {
        "fused_activation_function": "TANH",
        "time_major": time_major,
        "cell_clip": build.one(0.0, 0.0, 0.3),
        "asymmetric_quantize_inputs": dynamic and build.one(True, False),
    }
    y = build.tensor(op, (*x.shape[:-1], cells), dtype, hidden)
    intermediates = [
        build.model.tensor(f"{y.name}_{i}", (0,), "int16", each.scale, each.zero_point)
        for i, each in enumerate(inner)
    ]
    build.model.node(op, inputs, [y], options, version=3, intermediates=intermediates)
    build.tensors.append(y)


def rnn(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, rank=3)
    time_major, units = build.one(True, False), build.chance.randint(1, 4)
    batches = x.shape[1 if time_major else 0]
    inputs = [
        x,
        _weights(build, dtype, (units, x.shape[2])),
        _weights(build, dtype, (units, units)),
        build.constant(build.values(dtype, (units,))),
        build.tensor("h", (batches, units), dtype, variable=True),
    ]
    options: Options = {
        "fused_activation_function": build.one("TANH", "RELU6", "RELU_N1_TO_1"),
        "time_major": time_major,
    }
    y = build.tensor(op, (*x.shape[:-1], units), dtype)
    build.model.node(op, inputs, [y], options)
    build.tensors.append(y)


def both_ways(build: Builder, op: str, dtype: str) -> None:
    """Add a bidirectional layer with as many cells each way; LSTM outputs of several batches stay
    apart.
    """
    x, lstm = build.pick(dtype, rank=3), op.endswith("LSTM")
    time_major, units = build.one(True, False), build.chance.randint(1, 4)
    merged = build.one(True, False) and (time_major or x.shape[0] == 1 or not lstm)
    inputs: list[ModelTensor | None] = [x]
    gates, absent = (GATES, 3) if lstm else (1, 0)
    shapes = ((units, x.shape[2]), (units, units))
    state = (x.shape[1 if time_major else 0], units)
    states = [build.tensor("h", state, dtype, variable=True) for _ in range(4 if lstm else 2)]
    for way in range(2):
        inputs += [_weights(build, dtype, shape) for shape in shapes for _ in range(gates)]
        inputs += [None] * absent
        inputs += [build.constant(build.values(dtype, (units,))) for _ in range(gates)]
        inputs += [None] * 2 if lstm else [states[way]]
    inputs += [*states, *[None] * 9] if lstm else [None] * 3
    options: Options = {"fused_activation_function": "TANH", "time_major": time_major}
    options["merge_outputs"] = merged
    sizes = [2 * units] if merged else [units] * 2
    made = [build.tensor(op, (*x.shape[:-1], size), dtype) for size in sizes]
    build.model.node(op, inputs, made, options)
    build.tensors += made


def _weights(build: Builder, dtype: str, shape: tuple[int, int]) -> ModelTensor:
    """Constant weights with one scale, small enough to keep sums near 1."""
    values = build.values(dtype, shape)
    if dtype == "float32":
        return build.constant(values * np.float32(0.3))
    least = np.maximum(values, -np.iinfo(dtype).max)
    scale = {"int8": build.one(0.01, 0.004), "int16": 2e-5}[dtype]
    return build.constant(least, Quantisation(scale, 0))


KINDS = (
    *kinds(svdf, SVDF="int8/int8/int16 float32/float32/float32 float32/int8/float32"),
    *kinds(svdf, apart=NOT_IN_LITERT, SVDF="int8/int8/int8"),
    *kinds(lstm, UNIDIRECTIONAL_SEQUENCE_LSTM="int8 float32 float32/int8"),
    *kinds(lstm, apart=NOT_IN_LITERT, UNIDIRECTIONAL_SEQUENCE_LSTM="int16"),
    *kinds(both_ways, BIDIRECTIONAL_SEQUENCE_LSTM="float32", BIDIRECTIONAL_SEQUENCE_RNN="float32"),
    *kinds(rnn, UNIDIRECTIONAL_SEQUENCE_RNN="float32"),
)
