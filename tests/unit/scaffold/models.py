"""Models with operators that no op folder claims, and a folder that is soon read."""

from pathlib import Path

import numpy as np

from opsmith.tflite.writer import ModelWriter

# Where it does not matter which other ops there are.
FEW_OPS = ("--ops", str(Path(__file__).resolve().parents[2] / "data" / "filter_ops" / "filter_ops"))
OPTIONS = {
    "numPeaks": 3, "Threshold": 0.25, "sorted": True, "mode": "fast", "sizes": [1, 2], "class": 7,
    "matrix": [[1, 2], [3, 4]], "names": ["p", "q"], "window": list(range(40)), "gain": [0.1, 2.0],
    "flags": [True, False], "map": {"q": 1}, "none": None, "blob": b"a'\"b", "huge": [2**40] * 20,
    "mixed": [1, "a"], "empty": [],
}  # fmt: skip


def customs() -> ModelWriter:
    """Model of three unknown CUSTOM ops, one of which is used twice in two ways."""
    m = ModelWriter()
    x = m.input("x", (1, 8), "int8", 0.5, 3)
    a, b = m.tensor("a", (1, 8), "int16"), m.tensor("b", (1, 2), "int32")
    m.node("CUSTOM", [x], [a, b], custom="PeakFinder", custom_options=OPTIONS, version=2)
    w = m.constant("w", np.arange(100, dtype=np.int8).reshape(4, 25), [0.5] * 4, [0] * 4)
    c, d = m.tensor("c", (1, 4), "int16"), m.tensor("d", (1, 4), "int16")
    weird = 'a name\n"""; import os #\\'
    m.node("CUSTOM", [a, None, w], [c], custom=weird, custom_options={"k": 1})
    bias = m.constant("bias", np.array([1, 2], np.int32))
    m.node("CUSTOM", [c, bias], [d], custom=weird, custom_options={"k": 2.5, "extra": 1})
    state = m.tensor("state", (1, 4), "int16", variable=True)
    e = m.tensor("e", (1, 4), "float32")
    m.node("CUSTOM", [d, state], [e], custom="Add", custom_options=b"\x01\x02\xff")
    m.output(e, b)
    return m


def builtins() -> ModelWriter:
    """Model of builtin ops that no op folder claims, with all kinds of options."""
    m = ModelWriter()
    x = m.input("x", (1, 4), "float32")
    f, g = m.tensor("f", (1, 4), "float32"), m.tensor("g", (4,), "float32")
    m.node("ELU", [x], [f])
    m.node("STABLEHLO_TRANSPOSE", [f], [g], {"permutation": [1, -1]})
    size, h = m.constant("size", np.array([1, 2], np.int32)), m.tensor("h", (4, 2), "int32")
    m.node("LSH_PROJECTION", [g, size], [h], {"type": 1})
    i, j = m.tensor("i", (4, 2), "int32"), m.tensor("j", (4, 2), "int16")
    m.node("STABLEHLO_CONCATENATE", [h], [i])
    state = m.tensor("state", (4, 2), "int16", variable=True)
    inner = [m.tensor("a", (0,), "int16", 0.5, 1), m.tensor("b", (0,), "int16")]
    m.node("LSTM", [i, None, state, i], [j], {"cell_clip": 0.5}, intermediates=inner)
    m.output(j)
    return m
