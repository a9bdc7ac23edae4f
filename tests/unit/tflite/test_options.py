"""Every builtin op of the schema can be written with its options, and is read back the same."""

from typing import Any

import pytest
import tflite  # type: ignore[import-untyped, unused-ignore]

from opsmith.tflite.options import OptionsTable, members, options_table
from opsmith.tflite.writer import ModelWriter
from tests.each import for_each
from tests.refusals import refusal

OPS = sorted(members("BuiltinOperator"))
TABLES = [name for union in ("BuiltinOptions", "BuiltinOptions2") for name in members(union)]


def read_options(content: bytes, table: OptionsTable) -> Any:
    """Options table of the only node of a model."""
    operator = tflite.Model.GetRootAs(content, 0).Subgraphs(0).Operators(0)
    assert getattr(operator, f"{table.union}Type")() == table.tag
    options = getattr(tflite, table.name)()
    place = getattr(operator, table.union)()
    options.Init(place.Bytes, place.Pos)
    return options


def one_node(op: str, options: dict[str, Any]) -> bytes:
    """Model of one node with the given options."""
    model = ModelWriter()
    x = model.input("x", (1,))
    model.output(model.value(op, [x], model.tensor("y", (1,)), options))
    return model.bytes()


def sample(table: OptionsTable, field: str) -> Any:
    """Value of an option that is not its default; None for options that hold tables."""
    reader = getattr(tflite, table.name)
    if hasattr(reader, f"{field}Length"):
        vector = hasattr(reader, f"{field}AsNumpy")
        return [1, 0, 1] if vector else None
    text = {"Name", "Container", "SharedName", "CallTargetName", "EmbeddedOp", "BackendConfig"}
    return "words" if field in text else 1


@pytest.mark.slow
@for_each(*(op for op in OPS if options_table(op) is not None))
def test_options_are_read_back_as_written(op: str) -> None:
    table = options_table(op)
    assert table is not None
    values = {field: sample(table, field) for field in table.fields.values()}
    values = {field: value for field, value in values.items() if value is not None}
    options = read_options(one_node(op, values), table)
    for field, value in values.items():
        if isinstance(value, list):
            assert getattr(options, f"{field}AsNumpy")().tolist() == value
        else:
            got = getattr(options, field)()
            assert (got.decode() if isinstance(got, bytes) else got) == value


def test_every_options_table_of_the_schema_belongs_to_some_op() -> None:
    found = {table.name for table in map(options_table, OPS) if table is not None}
    assert found == set(TABLES) - {"NONE"}


@pytest.mark.parametrize(("op", "table"), [
    ("CONV_2D", "Conv2DOptions"),
    ("L2_POOL_2D", "Pool2DOptions"),
    ("REDUCE_MAX", "ReducerOptions"),
    ("REDUCE_WINDOW", "ReduceWindowOptions"),
    ("STABLEHLO_REDUCE_WINDOW", "StablehloReduceWindowOptions"),
    ("MINIMUM", "MaximumMinimumOptions"),
    ("TOPK_V2", "TopKV2Options"),
])  # fmt: skip
def test_an_op_has_the_table_the_schema_means(op: str, table: str) -> None:
    found = options_table(op)
    assert found is not None
    assert found.name == table


@pytest.mark.parametrize("op", ["RELU", "LOGISTIC", "CUSTOM", "PRELU"])
def test_ops_without_a_table_have_none(op: str) -> None:
    assert options_table(op) is None


def test_enum_members_are_given_by_name() -> None:
    options = {"padding": "VALID", "fused_activation_function": "RELU6"}
    table = options_table("CONV_2D")
    assert table is not None
    read = read_options(one_node("CONV_2D", options), table)
    assert read.Padding() == tflite.Padding.VALID
    assert read.FusedActivationFunction() == tflite.ActivationFunctionType.RELU6


@pytest.mark.parametrize(("op", "options", "hint"), [
    ("CONV_2D", {"strid_h": 1}, "did you mean 'strideh'"),
    ("CONV_2D", {"padding": "SOME"}, "Padding cannot be 'SOME'"),
    ("RESHAPE", {"new_shape": 3}, "NewShape cannot be 3"),
    ("RELU", {"alpha": 1}, "RELU has no options"),
    ("CONV2D", {}, "did you mean 'CONV_2D'"),
])  # fmt: skip
def test_what_the_schema_has_not_is_an_error(op: str, options: dict[str, Any], hint: str) -> None:
    said = str(refusal(one_node, op, options))
    assert "RIG025" in said and hint in said
