"""The way in which tests read and compile a model, run it here, and hold it against LiteRT."""

import tempfile
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.board.describe import ArenaRule
from opsmith.build_options import BuildOptions
from opsmith.ir import Graph
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration, Reading, compile_graph, read
from opsmith.testing.differences import assert_equal
from opsmith.testing.host_firmware import HostFirmware, build_host
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter

Build = Callable[[ModelWriter], None]
Model = Path | bytes | ModelWriter | Build
AS_STORED, PLAIN = Reading(), Configuration()


def content_of(model: ModelWriter | Build) -> bytes:
    """The .tflite file of a model that is being written, or that a function writes."""
    if isinstance(model, ModelWriter):
        return bytes(model.bytes())
    writer = ModelWriter()
    model(writer)
    return content_of(writer)


def stored(model: bytes | ModelWriter | Build, folder: Path, name: str = "m") -> Path:
    """The model as a file of this name in a folder."""
    path = folder / f"{name}.tflite"
    path.write_bytes(model if isinstance(model, bytes) else content_of(model))
    return path


def graph_of(
    model: Model, ops: OpIndex | None = None, *, name: str = "m", reading: Reading = AS_STORED
) -> Graph:
    """The graph of a model, in the shipped ops or others."""
    if isinstance(model, Path):
        return read(model, name, ops or shipped_ops(), reading)[1]
    with tempfile.TemporaryDirectory() as folder:
        return graph_of(stored(model, Path(folder)), ops, name=name, reading=reading)


def compiled(
    model: Model | Graph,
    ops: OpIndex | None = None,
    *,
    name: str = "m",
    features: Collection[str] = (),
    arena: tuple[ArenaRule, ...] = (),
    configuration: Configuration = PLAIN,
    watch: Callable[[str, Graph], object] = lambda step, graph: None,
    **options: Any,
) -> Program:
    """Program of a model, compiled for a core with the given features; other arguments are build
    options.
    """
    graph = model if isinstance(model, Graph) else graph_of(model, ops, name=name)
    chosen = BuildOptions(**options) if options else configuration.options
    configuration = replace(
        configuration, features=frozenset(features), options=chosen, arena=arena
    )

    def seen(step: str, graph: Graph) -> None:
        watch(step, graph)

    return compile_graph(graph, ops or shipped_ops(), configuration, name, seen)


def built(
    program: Program, folder: Path, ops: OpIndex | None = None, *, sanitize: bool = True
) -> HostFirmware:
    """Program built as firmware of this machine: a function from inputs to outputs."""
    return build_host(program, ops or shipped_ops(), folder, sanitize=sanitize)


def assert_litert(model: Model, firmware: HostFirmware, sets: int = 3) -> None:
    """Fail where answers to N random sets of inputs are not LiteRT's, byte for byte."""
    content = model if isinstance(model, Path | bytes) else content_of(model)
    reference = Reference(content)
    inputs = seeded_inputs(reference.inputs, sets) if reference.inputs else [[]]
    wanted = [*map(reference.run, inputs)]
    assert_equal("this machine", reference.outputs, firmware.run(inputs), wanted)
