"""The facts about ops that `scons ops`, README.md and the catalogue show."""

from __future__ import annotations

from dataclasses import replace

from toolchain.ir.types import f32, i8, i16
from toolchain.op.describe import Input, Kernel, Op, Output
from toolchain.report.op_table import text_table, variants

OP = Op(
    name="sum",
    inputs=(Input("x", "T"), Input("axes", i8, constant=True)),
    outputs=(Output("y", "T"),),
    infer=lambda node: (),
    params=lambda node: None,
    domains={"T": (i8, i16, f32)},
    kernels=(
        Kernel("mve.h", dtypes=(i8,), requires={"mve"}),
        Kernel("library.h", requires={"library", "dsp"}, excludes={"mve"}, inexact=lambda _: "x"),
        Kernel("reference.h"),
    ),
)


def test_types_with_the_same_kernels_are_one_variant() -> None:
    found = variants(OP)
    assert [variant.types for variant in found] == ["int8", "int16, float32"]
    assert [str(kernel) for kernel in found[0].kernels] == [
        "mve (mve)",
        "library (dsp library)",
        "reference",
    ]
    assert [kernel.name for kernel in found[1].kernels] == ["library", "reference"]
    library = found[1].kernels[0]
    assert library.inexact
    assert library.excludes == ("mve",)


def test_outputs_of_other_types_stand_after_an_arrow() -> None:
    other = replace(OP, domains={}, inputs=(Input("x", i8),), outputs=(Output("y", f32),))
    assert [variant.types for variant in variants(other)] == ["int8 → float32"]
    two = replace(other, inputs=(Input("x", i8), Input("gain", i16)), outputs=(Output("y", i8),))
    assert [variant.types for variant in variants(two)] == ["int8 × int16 → int8"]


def test_a_terminal_gets_columns() -> None:
    assert list(text_table("sum", variants(OP), 5)) == [
        "sum    int8                        mve (mve), library (dsp library), reference",
        "       int16, float32              library (dsp library), reference",
    ]
