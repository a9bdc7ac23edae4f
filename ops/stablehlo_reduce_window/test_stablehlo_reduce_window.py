"""StablehloReduceWindow: every function and type, borders, dilations, and other subgraphs."""

from collections.abc import Callable, Sequence

from opsmith.testing.op_tests import Case, OpTests, refused
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from runtimes.families.stablehlo_cases import function

Build = Callable[[ModelWriter], None]
TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32", "bool")
OPERATORS = ("ADD", "MUL", "MAXIMUM", "MINIMUM")
STABLEHLO = ("STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM")
PADDING = (1, -1, 0, 2)
AROUND = (0, 0, 1, 1, 1, 1, 0, 0)
SUBTRACT = "STABLEHLO_SUBTRACT"


def window(
    operator: str = "STABLEHLO_MAXIMUM",
    dtype: str = "int32",
    x: Sequence[int] = (5, 4),
    window: Sequence[int] = (2, 3),
    strides: Sequence[int] = (2, 1),
    base: Sequence[int] = (2, 1),
    dilations: Sequence[int] = (1, 2),
    padding: Sequence[int] = PADDING,
    first: Sequence[int] = (),
) -> Build:
    """STABLEHLO_REDUCE_WINDOW to build; without an operator it names no subgraph."""

    def build(m: ModelWriter) -> None:
        given = [m.input("x", x, dtype), m.input("first", first, dtype)]
        y = m.tensor("y", (1,) * len(x), dtype)
        options: dict[str, OptionValue] = {
            "window_dimensions": window,
            "window_strides": strides,
            "base_dilations": base,
            "window_dilations": dilations,
            "padding": padding,
            "body_subgraph_index": function(m, operator, dtype) if operator else 99,
        }
        m.node("STABLEHLO_REDUCE_WINDOW", given, [y], options)
        m.output(y)

    return build


class TestStablehloReduceWindow(OpTests):
    cases = (
        *(Case(dtype, window(dtype=dtype)) for dtype in TYPES),
        *(Case(each.lower(), window(each, "float32")) for each in (*OPERATORS, *STABLEHLO)),
        *(Case(each.lower(), window(each, "bool")) for each in ("LOGICAL_AND", "LOGICAL_OR")),
        Case("plain", window("ADD", "int32", base=(), padding=(), dilations=())),
        Case("vector", window("ADD", "int16", (3,), (2,), (), (3,), (2,), (2, 1))),
        Case("image", window("ADD", "int8", (1, 4, 4, 3), (1, 3, 3, 1), (), (), (), AROUND)),
        Case("one_element", window("ADD", "float32", (1,), (1,), (), (), (), ())),
    )
    rejected = (
        refused("few", window(strides=(1,)), "window_strides (1,) must have one number above 0"),
        refused("zero", window(base=(0, 1)), "base_dilations (0, 1) must have one number above 0"),
        refused(
            "paddings", window(padding=(1, 1)), "padding (1, 1) must have two numbers per axis"
        ),
        refused("wide", window(window=(12, 1)), "an axis of 9 has no window of 12"),
        refused("firsts", window(first=(2,)), "first i32[2] must be one element"),
        refused("rank_7", window("ADD", "int32", (1,) * 7), "must have 1 to 6 dimensions"),
        refused("other", window(SUBTRACT), f"'function' is '{SUBTRACT}'", "MDL013"),
        refused("several", window("ADD,MUL"), "'a subgraph of ADD, MUL'", "MDL013"),
        refused("second", window("SECOND"), "'function' is 'SECOND'", "MDL013"),
        refused("absent", window(""), "subgraph 99 does not exist", "MDL008"),
        refused("sums", window("ADD", "bool"), "sums of bool are not supported"),
    )
