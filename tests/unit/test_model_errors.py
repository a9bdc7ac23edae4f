"""Each code of an error about a model says how to mend it, and mending it so mends it."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from opsmith.build_options import BuildOptions
from opsmith.errors import ToolchainError
from opsmith.pipeline import AS_STORED, Configuration, Reading
from opsmith.testing.checkout import ROOT
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled, content_of, graph_of

Build = Callable[[ModelWriter], None]
DEFAULTS = BuildOptions()


@dataclass(frozen=True)
class Attempt:
    """Attempt to build a model: its file, and the options it is read and built with."""

    build: Build
    reading: Reading = AS_STORED
    options: BuildOptions = DEFAULTS
    edit: Callable[[Any], None] | None = None  # of what the writer cannot write
    name: str = "m.tflite"

    def problems(self, folder: Path) -> list[tuple[str, str]]:
        """Code and fix of each problem."""
        content, path = content_of(self.build), folder / self.name
        path.write_bytes(content if self.edit is None else edited(content, self.edit))
        try:
            compiled(
                graph_of(path, reading=self.reading),
                configuration=Configuration(options=self.options),
            )
        except ToolchainError as error:
            return [(problem.code, problem.fix) for problem in error.problems]
        return []


def edited(content: bytes, edit: Callable[[Any], None]) -> bytes:
    """Bytes of a model after an edit of its tables."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    edit(model)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def unary(op: str = "RELU", dtype: str = "int8", version: int = 1, **y: Any) -> Build:
    """Model of one operator; `y` changes fields of its output."""

    def build(m: ModelWriter) -> None:
        quantised: dict[str, Any] = {"scale": 0.5, "zero_point": 0} if dtype == "int8" else {}
        x = m.input("x", (1, 4), dtype, **quantised)
        out = m.tensor("y", **{"shape": (1, 4), "dtype": dtype, **quantised, **y})
        m.node(op, [x], [out], version=version, custom="" if op == "RELU" else "Odd")
        m.output(out)

    return build


def added(*names: str, **operand: Any) -> Build:
    """Model of the sum of x and a tensor k, with the given names."""

    def build(m: ModelWriter) -> None:
        known = {"x": m.input("x", (2,), "int8", 0.5, 0)}
        known["k"] = m.tensor("k", (2,), "int8", 0.5, 0, **operand)
        y = m.value("ADD", [known[name] for name in names], m.tensor("y", (2,), "int8", 0.5, 0), {})
        m.output(y)

    return build


def chain(*order: int) -> Build:
    """Model of two operators in a chain."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", (2,), "int8", 0.5, 0)
        y, z = (m.tensor(name, (2,), "int8", 0.5, 0) for name in "yz")
        for i in order:
            m.node("RELU", [(x, y)[i]], [(y, z)[i]])
        m.output(z)

    return build


def branch(then: int = 1, times: int = 1) -> Build:
    """Model of a branch over x; where its condition is false, y is N vectors like x."""

    def build(m: ModelWriter) -> None:
        c, x = m.input("c", (), "bool"), m.input("x", (2,), "float32")
        y = m.tensor("y", (2,), "float32")
        m.node("IF", [c, x], [y], {"then_subgraph_index": then, "else_subgraph_index": 2})
        m.output(y)
        for name, count in (("then", 1), ("else", times)):
            body = m.subgraph(name)
            given = body.input("given", (2,), "float32")
            made = body.tensor("made", (2 * count,), "float32")
            body.node("CONCATENATION", [given] * count, [made], {"axis": 0})
            body.output(made)

    return build


def energy(**options: Any) -> Build:
    """Model of an operator whose custom options are decoded."""

    def build(m: ModelWriter) -> None:
        x, y = m.input("x", (8,), "int16"), m.tensor("y", (4,), "uint32")
        m.node("CUSTOM", [x], [y], custom="SignalEnergy", **options)
        m.output(y)

    return build


def choice(data: bytes) -> Build:
    """Model of a choice by a constant of booleans."""

    def build(m: ModelWriter) -> None:
        x, y = m.input("x", (2,), "bool"), m.tensor("y", (2,), "bool")
        m.node("LOGICAL_OR", [x, m.tensor("k", (2,), "bool", data=data)], [y])
        m.output(y)

    return build


def decoded(version: int) -> Build:
    """Model that adds x and a constant of one byte, decoded by a look-up table."""

    def build(m: ModelWriter) -> None:
        x, y = (make("xy"[i], (1,), "float32") for i, make in enumerate((m.input, m.tensor)))
        table = bytes([0, version, 0, 0, 1, 15 << 4 | 1, 1]).ljust(20, b"\0")
        given = [m.tensor(f"k{len(b)}", (len(b),), "uint8", data=b) for b in (b"\0", table)]
        k = m.value("CUSTOM", given, m.tensor("k", (1,), "float32"), custom="TFLM_DECODE")
        m.node("ADD", [x, k], [y], {})
        m.output(y)

    return build


def pooled(padding: int) -> Build:
    """Model of a pooling window along time."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", (1, 6, 2, 1), "int8", 0.5, 0)
        y = m.tensor("y", (1, 6 if padding == 0 else 5, 2, 1), "int8", 0.5, 0)
        options = {"filter_height": 2, "filter_width": 1, "stride_h": 1, "stride_w": 1}
        m.node("MAX_POOL_2D", [x], [y], {**options, "padding": padding})
        m.output(y)

    return build


def sized(m: ModelWriter) -> None:
    """Model whose input has any number of rows."""
    x = m.input("x", (1, 4), "int8", 0.5, 0, signature=(1, -1))
    m.output(m.value("RELU", [x], m.tensor("y", (1, 4), "int8", 0.5, 0, signature=(1, -1))))


def sparse(model: Any) -> None:
    (constant,) = (t for t in model.subgraphs[0].tensors if t.name == b"k")
    constant.sparsity = schema.SparsityParametersT()


def by_blocks(model: Any) -> None:
    (constant,) = (t for t in model.subgraphs[0].tensors if t.name == b"k")
    details = schema.BlockwiseQuantizationT()
    details.blockSize = 32
    constant.quantization = schema.QuantizationParametersT()
    constant.quantization.details = details
    constant.quantization.detailsType = schema.QuantizationDetails.BlockwiseQuantization


def without_tensor(model: Any) -> None:
    model.subgraphs[0].outputs = np.array([9], np.int32)


def with_options_of_another(model: Any) -> None:
    operator = model.subgraphs[0].operators[0]
    operator.builtinOptionsType = schema.BuiltinOptions.SoftmaxOptions
    operator.builtinOptions = schema.SoftmaxOptionsT()


def without_root(model: Any) -> None:
    model.subgraphs = []


def with_(**options: Any) -> BuildOptions:
    return BuildOptions(**options)


FINE = Attempt(unary())
SUM = Attempt(added("x", "k", data=b"\1\2"))
# Code -> words of the fix, what is wrong, the same after the fix.
TABLE: dict[str, tuple[str, Attempt, Attempt]] = {
    "MDL001": ("copy the model again", Attempt(unary(), edit=without_root), FINE),
    "MDL003": ("with fixed sizes", Attempt(unary(shape=(-2, 4))), FINE),
    "MDL004": ("EXPERIMENTAL_SPARSITY", Attempt(added("x", "k", data=b"\1\2"), edit=sparse), SUM),
    "MDL005": ("quantise the model again", Attempt(unary(scale=-1.0)), FINE),
    "MDL006": ("its parts do not belong", Attempt(unary(), edit=without_tensor), FINE),
    "MDL007": ("in which they run", Attempt(chain(1, 0)), Attempt(chain(0, 1))),
    "MDL008": ("one other subgraph", Attempt(branch(then=7)), Attempt(branch())),
    "MDL009": ("equal, fixed shapes", Attempt(branch(times=2)), Attempt(branch())),
    "MDL010": ("new-op --from", Attempt(unary("CUSTOM")), FINE),
    "MDL011": ("for an older runtime", Attempt(unary(version=99)), FINE),
    "MDL012": ("`scons ops` lists them", Attempt(unary(dtype="complex128")), FINE),
    "MDL035": ("one scale for each channel", Attempt(added("x", "k", data=b"\1\2"), edit=by_blocks),
               SUM),
    "MDL013": ("operands and options that the op has", Attempt(added("x")), SUM),
    "MDL014": ("shapes, constants or quantisation", Attempt(unary(scale=())), FINE),
    "MDL015": ("options= of the op's Rename", Attempt(energy(custom_options=b"\0")),
               Attempt(energy(custom_options={"start_index": 0, "end_index": 4}))),
    "MDL020": ("dump=DIR, which lists", Attempt(unary(), options=with_(outputs=("why",))),
               Attempt(unary(), options=with_(outputs=("y",)))),
    "MDL021": ("build without stream=", Attempt(unary(), options=with_(stream="rows")),
               Attempt(unary())),
    "MDL022": ("padding VALID", Attempt(pooled(0), options=with_(stream="frames")),
               Attempt(pooled(1), options=with_(stream="frames"))),
    "MDL023": ("give each open size", Attempt(sized, Reading(input_shape=("x:2x8",))),
               Attempt(sized, Reading(input_shape=("x:1x8",)))),
    "MDL024": ("leave signature= out", Attempt(unary(), Reading(signature="serve")), FINE),
    "MDL030": ("without a value", Attempt(added("x", "k", variable=True, data=b"\1\2")),
               Attempt(added("x", "k", variable=True))),
    "MDL031": ("that belong to the operator",
               Attempt(added("x", "k", data=b"\1\2"), edit=with_options_of_another), SUM),
    "MDL032": ("0 or 1", Attempt(choice(b"\1\2")), Attempt(choice(b"\1\0"))),
    "MDL040": ("the model again with tflite-micro's", Attempt(decoded(2)), Attempt(decoded(1))),
    "MDL033": ("ends with .tflite", Attempt(unary(), name="m.odd"), FINE),
}  # fmt: skip


@pytest.mark.parametrize("code", TABLE)
def test_a_fix_mends_what_is_wrong(code: str, tmp_path: Path) -> None:
    words, broken, mended = TABLE[code]
    ((found, fix),) = broken.problems(tmp_path)
    assert found == code
    assert words in fix
    assert [other for other in TABLE if TABLE[other][0] in fix] == [code]
    assert mended.problems(tmp_path) == []


def test_the_table_has_every_code_that_is_documented() -> None:
    page = (ROOT / "toolchain/manual/error_codes.toml").read_text(encoding="utf-8")
    meanings = {code: text for code, text in tomllib.loads(page).items() if code[:3] == "MDL"}
    # MDL002 and MDL034 are of files that are no models, MDL037 to MDL039 of ONNX's, which
    # test_onnx.py has, MDL042 and MDL043 of test_pt2.py, MDL050 to MDL054 of
    # tests/unit/prepare, the others of commands and variables.
    others = {"MDL002", "MDL016", "MDL025", "MDL034", "MDL036", "MDL037", "MDL038", "MDL039"}
    others |= {"MDL042", "MDL043", *(f"MDL05{number}" for number in range(5))}
    assert meanings.keys() == {*TABLE, *others}
    fixes = [text.partition(" Fix: ")[2] for text in meanings.values()]
    assert "" not in fixes
    assert len(set(fixes)) == len(fixes)
