"""Tests that an unsupported operator or type of a model is reported once, by the name that users
know.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import Problem
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d
from tests.programs import stored
from tests.refusals import refusal


def problems(build: Callable[[ModelWriter], None], folder: Path) -> list[Problem]:
    """Problems that are reported of a model."""
    return list(refusal(read, stored(build, folder), "m", shipped_ops()).problems)


def told(build: Callable[[ModelWriter], None], folder: Path) -> list[tuple[str, str, str]]:
    """Code, unsupported kind and place of each problem."""
    return [
        (each.code, each.what.partition(" is not supported")[0], each.where.partition(": ")[2])
        for each in problems(build, folder)
    ]


def layers(m: ModelWriter, x: str, weights: str, count: int = 3) -> None:
    """Model of a chain of convolutions, whose weights have the given type."""
    now = m.input("x", (1, 4, 4, 2), x, 0.5 if x != "complex128" else ())
    for i in range(count):
        data = np.ones((2, 1, 1, 2), np.int8)
        w = m.tensor(f"w{i}", data.shape, weights, 0.1, 0, data=data.tobytes())
        b = m.constant(f"b{i}", np.zeros(2, np.int32), 0.05)
        y = m.tensor(f"y{i}", now.shape, x, now.scale)
        now = conv_2d(m, now, w, b, y)
    m.output(now)


def test_a_type_that_no_op_has_is_said_once_for_all_operators(tmp_path: Path) -> None:
    where = ", ".join(f"operator {i} (CONV_2D)" for i in range(3))
    assert told(lambda m: layers(m, "complex128", "int8"), tmp_path) == [
        ("MDL012", "complex128", where)
    ]


def test_activations_of_float16_are_said_once(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        weights = m.constant("weights", np.ones((3, 4), np.float16))
        x = m.input("x", (1, 4), "float16")
        m.output(m.value("FULLY_CONNECTED", [x, weights], m.tensor("y", (1, 3), "float16"), {}))

    (problem,) = problems(build, tmp_path)
    assert problem.what.startswith("float16 is not supported: x has type float16")
    assert problem.fix.endswith("; weights alone may be float16, before DEQUANTIZE")


def test_many_operators_are_counted(tmp_path: Path) -> None:
    (only,) = told(lambda m: layers(m, "complex128", "int8", 11), tmp_path)
    assert only[2].endswith("operator 7 (CONV_2D) and 3 more")


def of_kind(x: str, y: str, constant: str = "") -> Callable[[ModelWriter], None]:
    """Model of a POW of the given types."""

    def build(m: ModelWriter) -> None:
        a = m.input("a", (2,), x, 0.5)
        data = bytes(2 * (np.dtype(constant).itemsize if constant else 1))
        b = m.tensor("b", (2,), constant, 0.5, data=data) if constant else a
        m.output(m.value("POW", [a, b], m.tensor("y", (2,), y, 0.5), {}))

    return build


@pytest.mark.parametrize(("build", "kind"), [
    (of_kind("float16", "float16"), "float16"),
    (of_kind("bfloat16", "bfloat16"), "bfloat16"),
    (of_kind("int4", "int4"), "int4"),
    (of_kind("int2", "int2"), "int2"),
    (of_kind("string", "string"), "text (string tensors)"),
    (of_kind("variant", "variant"), "a list of tensors (variant)"),
    (of_kind("resource", "resource"), "a resource (variables, tables)"),
    (of_kind("uint8", "uint8"), "uint8 quantisation"),
    (of_kind("int16", "int16"), "16-bit quantisation"),
    (of_kind("float32", "float32", "int8"),
     "dynamic-range quantisation (float32 activations, int8 weights)"),
    (of_kind("float32", "float32", "uint8"),
     "legacy dynamic-range quantisation (float32 activations, uint8 weights)"),
])  # fmt: skip
def test_kinds_have_the_names_that_users_know(
    build: Callable[[ModelWriter], None], kind: str, tmp_path: Path
) -> None:
    assert told(build, tmp_path) == [("MDL012", kind, "operator 0 (POW)")]


def test_a_suggestion_is_close_or_missing(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x = m.input("x", (2,))
        for name in ("MyTopk", "Peak"):
            x, before = m.tensor(name, (2,)), x
            m.node("CUSTOM", [before], [x], custom=name)
        m.output(m.value("SKIP_GRAM", [x], m.tensor("y", (2,)), {}))

    assert [problem.what for problem in problems(build, tmp_path)] == [
        "no op claims CUSTOM.MyTopk (did you mean 'MyTopK'?)",
        "no op claims CUSTOM.Peak",
        "no op claims SKIP_GRAM",
    ]


@pytest.mark.parametrize(("operators", "kind", "fix"), [
    (("FlexErf", "FlexFFT"), "TensorFlow Select (Flex)", "convert without SELECT_TF_OPS"),
    (("FlexTensorListReserve", "FlexTensorListStack"),
     "a list of tensors that may grow (FlexTensorList, of TensorFlow Select)", "batch_size=1"),
    (("ethos-u",), "code for an Ethos-U", "give the model from before Vela"),
    (("edgetpu-custom-op",), "code for an Edge TPU", "from before the Edge TPU compiler"),
    (("NeutronGraph",), "code for an eIQ Neutron", "from before NXP's Neutron converter"),
    (("XC_conv2d_v2", "XC_lookup_8"), "code for an xcore", "from before XMOS's xformer"),
])  # fmt: skip
def test_what_only_another_runtime_has_is_said_once(
    operators: tuple[str, ...], kind: str, fix: str, tmp_path: Path
) -> None:
    def build(m: ModelWriter) -> None:
        x = m.input("x", (2,))
        for name in operators:
            x, before = m.tensor(name, (2,)), x
            m.node("CUSTOM", [before], [x], custom=name)
        m.output(x)

    (only,) = problems(build, tmp_path)
    sentences = "; ".join(f"no op claims CUSTOM.{name}" for name in operators)
    assert only.what == f"{kind} is not supported: {sentences}"
    assert fix in only.fix


def test_scratch_tensors_of_an_accelerator_are_no_second_problem(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x, scratch, y = m.input("x", (2,)), m.tensor("scratch", (9,), "uint8"), m.tensor("y", (2,))
        m.node("CUSTOM", [x, scratch], [y], custom="ethos-u")  # as Vela writes it
        m.output(y)

    (only,) = problems(build, tmp_path)
    assert only.code == "MDL010"


def test_a_type_that_other_ops_take_is_no_kind(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x, y = m.input("x", (4,), "int8", 0.5, 0), m.tensor("y", (2,), "int8", 0.5, 0)
        m.node("GATHER", [x, m.constant("i", np.array([1, 2], np.uint8))], [y], {})
        m.output(y)

    (only,) = problems(build, tmp_path)
    assert only.what == "'indices' is uint8; gather takes int16, int32, int64"


def spectrum(m: ModelWriter) -> None:
    """Model of complex numbers, of two operators, one of which no op claims."""
    x, c, y = (m.tensor(name, (4,), name) for name in ("float32", "complex64", "float64"))
    m.content.inputs.append(x.index)
    m.node("LSH_PROJECTION", [x, m.constant("n", np.array([1, 6], np.int32))], [c])
    m.node("HASHTABLE_LOOKUP", [c], [y])
    m.output(y)


def test_types_that_unclaimed_operators_make_are_said_with_them(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        spectrum(m)
        c = m.content.tensors[1]
        m.output(m.value("RESHAPE", [c], m.tensor("z", (4,), "complex64"), {"new_shape": [4]}))

    (only,) = problems(build, tmp_path)
    where = "operator 0 (LSH_PROJECTION), operator 1 (HASHTABLE_LOOKUP)"
    assert (only.code, only.where.partition(": ")[2]) == ("MDL010", where)
    assert only.what.startswith(
        "complex numbers (complex64) is not supported: no op claims LSH_PROJECTION"
    )


def test_folders_are_written_only_where_all_of_them_can_be(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x = m.input("u", (4,), "float32")
        m.output(m.value("CUSTOM", [x], m.tensor("v", (4,), "float32"), custom="Peak"))

    (alone,) = problems(build, tmp_path)
    assert "opsmith new-op --from" in alone.fix

    def both(m: ModelWriter) -> None:
        build(m)
        spectrum(m)

    found = problems(both, tmp_path)
    assert ["new-op" in each.fix for each in found] == [False, False]


def test_an_input_of_a_strange_type_is_reported_though_nothing_reads_it(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x, y = m.input("x", (4,), "float32"), m.tensor("y", (4,), "float32")
        m.output(m.input("z", (2,), "complex128"), y)
        m.node("ABS", [x], [y])

    assert told(build, tmp_path) == [("MDL012", "complex128", "inputs and outputs")]


def test_types_of_one_operator_are_reported_once(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x = m.input("x", (4,), "int64")
        m.output(m.value("LOGISTIC", [x], m.tensor("y", (4,), "int64")))

    (only,) = problems(build, tmp_path)
    assert only.what.startswith("'x' is int64; logistic takes ")
