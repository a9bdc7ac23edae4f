"""The facts about ops that `scons ops`, README.md and the catalogue show."""

from dataclasses import replace

from opsmith.ir.types import f32, i8, i16
from opsmith.op.declare import Input, Output
from opsmith.op.describe import Op, Variant
from opsmith.report.op_table import text_table, variants
from tests.unit.graphs import kernel

LIBRARY = kernel("library", requires={"library", "dsp"}, excludes={"mve"})
OP = Op(
    name="sum",
    inputs=(Input("x", "T"), Input("axes", i8, constant=True)),
    outputs=(Output("y", "T"),),
    infer=lambda node: (),
    variants=(
        Variant({"T": i8}, (kernel("mve", requires={"mve"}), LIBRARY, kernel())),
        *(Variant({"T": each}, (LIBRARY, kernel())) for each in (i16, f32)),
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
    assert found[1].kernels[0].excludes == ("mve",)


def test_outputs_of_other_types_stand_after_an_arrow() -> None:
    only = (Variant({}, (kernel(),)),)
    other = replace(OP, variants=only, inputs=(Input("x", i8),), outputs=(Output("y", f32),))
    assert [variant.types for variant in variants(other)] == ["int8 → float32"]
    two = replace(other, inputs=(Input("x", i8), Input("gain", i16)), outputs=(Output("y", i8),))
    assert [variant.types for variant in variants(two)] == ["int8 × int16 → int8"]


def test_types_that_have_other_kernels_with_other_constants_say_which() -> None:
    inputs = (Input("x", "T"), Input("filter", "F", constant=True))
    by_filter = (
        Variant({"T": f32, "F": f32}, (kernel("fast"), kernel())),
        Variant({"T": i16, "F": i8}, (kernel(),)),
        Variant({"T": f32, "F": i8}, (kernel(),)),
    )
    assert [
        variant.types for variant in variants(replace(OP, inputs=inputs, variants=by_filter))
    ] == ["float32 with float32 filter", "int16, float32 with int8 filter"]


def test_a_terminal_gets_columns() -> None:
    assert list(text_table("sum", variants(OP), 5)) == [
        "sum    int8                        mve (mve), library (dsp library), reference",
        "       int16, float32              library (dsp library), reference",
    ]
