"""Test cases of StableHLO's operators."""

from dataclasses import replace

import numpy as np

from opsmith.tflite.cases import Case, Rejected, refused
from opsmith.tflite.writer import ModelWriter
from runtimes.families.binary_cases import of_plain

COMPARED = ("int8", "uint8", "int16", "int32", "int64", "float32")


def pairs_cases(operator: str, *dtypes: str) -> list[Case]:
    """Cases of a StableHLO operator of two tensors of one shape and one of these types."""
    plain = of_plain(f"STABLEHLO_{operator}", a=(3, 7), b=(3, 7))
    floats = replace(plain, dtype="float32", constant="b")
    constants = {"nan": np.nan, "zero": -0.0, "infinite": np.inf} if "float32" in dtypes else {}
    return [
        *(Case(f"stablehlo_{dtype}", replace(plain, dtype=dtype)) for dtype in dtypes),
        *(Case(f"stablehlo_{n}", replace(floats, values=each)) for n, each in constants.items()),
    ]


def pairs_refusals(operator: str, *dtypes: str) -> list[Rejected]:
    """Models with shapes that StableHLO does not broadcast, and types that no op takes."""
    name = f"STABLEHLO_{operator}"
    sentence = f"no op claims such a {name}"
    rows = of_plain(name, dtype="int32", a=(4, 5), b=(5,))
    return [
        refused("stablehlo_rows", rows, sentence, "MDL010"),
        *(refused(f"stablehlo_{t}", of_plain(name, dtype=t), sentence, "MDL010") for t in dtypes),
    ]


def function(m: ModelWriter, operator: str, dtype: str) -> int:
    """Number of a new subgraph that applies the operator to two elements of this type.

    SECOND returns the second element; operators separated by commas follow each other.
    """
    body = m.subgraph(f"function_{len(m.subgraphs)}")
    a, b = (body.input(name, (), dtype) for name in "ab")
    found = b
    for i, each in enumerate(operator.split(",") if operator != "SECOND" else ()):
        made = body.value(each, [a, found], body.tensor(f"y{i}", (), dtype))
        found = made
    body.output(found)
    return body.number
