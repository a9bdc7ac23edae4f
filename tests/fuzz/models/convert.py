"""Convert one mutant, in a worker process, and look at all text that comes of it."""

import hashlib
import json
import re
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from opsmith.build_options import BuildOptions
from opsmith.contract.bind import bind
from opsmith.discover.discover import discover
from opsmith.emit.files import Source, text_files
from opsmith.emit.joined import Joined
from opsmith.emit.manifest import manifest
from opsmith.emit.weights import write_weights
from opsmith.errors import ToolchainError
from opsmith.ir import Graph, Tensor
from opsmith.ir.program import Program
from opsmith.ir.text import graph_to_text
from opsmith.op.index import OpIndex
from opsmith.op.macs import total_macs
from opsmith.oracle.litert import Detail, Subgraph
from opsmith.pipeline import Configuration, Reading, compile_graph, read, used_ops
from opsmith.report.plan_svg import plan_svg
from opsmith.scaffold.from_model import specs_of_model
from tests.fuzz.models.child import Answer
from tests.fuzz.models.mutants import Preferences, mutant
from tests.fuzz.models.seeds import ROOT, Seeds

NAME = "fuzzed_model"  # its namespace and folder, until it is known which program it is
LONGEST = 2000  # characters of one problem
NO_PREFERENCES = Preferences()


@dataclass(frozen=True)
class Refused:
    """The mutant is no model, as coded errors say."""

    codes: tuple[str, ...]


@dataclass(frozen=True)
class Failed:
    """Failure that shows a mistake of the project."""

    kind: str  # 'traceback', …
    text: str


@dataclass(frozen=True)
class Converted:
    """Program that a mutant was converted to, as C++ whose namespace and folder is `key`."""

    key: str
    files: dict[str, str]
    op_headers: dict[str, str]
    weights: bytes
    inputs: tuple[Detail, ...]
    outputs: tuple[Detail, ...]
    ram: int  # bytes of arenas and states
    macs: int
    own_outputs: int  # outputs that the model itself has; those that were asked for follow
    stream: str = ""  # the C++ type of what is pushed, if anything
    subgraph: Subgraph | None = None  # where it is not the first


def converter(seed: int, models: Path | None, folder: Path) -> Answer:
    """Answers the number of a mutant, which it writes to the folder, with Refused, Converted or
    Failed.
    """
    seeds, ops = Seeds(models), discover([ROOT / "ops"])
    folder.mkdir(parents=True, exist_ok=True)

    def answer(index: int) -> Refused | Converted | Failed:
        made = mutant(seeds, seed, index)
        return outcome(made.content, folder, ops, made.preferences)

    return answer


def outcome(
    content: bytes, folder: Path, ops: OpIndex, preferences: Preferences = NO_PREFERENCES
) -> Refused | Converted | Failed:
    """Outcome of converting the bytes of a model. Any exception that is no ToolchainError is a
    failure.
    """
    path = folder / "m.tflite"
    path.write_bytes(content)
    try:
        return _compiled(path, ops, preferences)
    except ToolchainError as error:
        bad = [p for p in map(str, error.problems) if not _is_plain(p) or len(p) > LONGEST]
        if bad:
            return Failed("message", repr(bad[0][:LONGEST]))
        codes = tuple(problem.code for problem in error.problems)
        if not all(code.startswith("MDL") for code in codes):  # an op or we are wrong
            return Failed("code", str(error)[:LONGEST])
        return _scaffolded(path, ops) or Refused(codes) if "MDL010" in codes else Refused(codes)
    except MemoryError:
        return Failed("memory", traceback.format_exc())
    except BaseException:
        return Failed("traceback", traceback.format_exc())


def _compiled(path: Path, ops: OpIndex, preferences: Preferences) -> Converted:
    """Result of `resolve` and `convert`. Raises ToolchainError."""
    model, graph = read(path, NAME, ops, reading_of(preferences))
    used_ops(model, graph, ops)
    tensors = [*graph.tensors] if preferences.outputs >= 0 else []
    outputs = tuple(tensors[int(preferences.outputs * len(tensors)) :][:1])
    options = BuildOptions(
        opt=preferences.opt, guards=preferences.guards, stream=preferences.stream, outputs=outputs
    )
    try:
        program = compile_graph(graph, ops, Configuration(options=options), "m.tflite", _written)
    except ToolchainError as error:
        if error.problems[0].code not in ("MDL021", "MDL022"):
            raise
        whole = Configuration(options=replace(options, stream="0"))
        program = compile_graph(graph, ops, whole, "m.tflite", _written)
    numbers = {ident: number for number, ident in enumerate(model.ids)}
    ends = (tuple(numbers[name] for name in e) for e in (model.graph.inputs, model.graph.outputs))
    subgraph = Subgraph(model.subgraph, *ends) if model.subgraph else None
    return replace(_converted(program, graph, ops, path.parent), subgraph=subgraph)


def reading_of(preferences: Preferences) -> Reading:
    """Options by which a build with the given preferences reads its model."""
    return Reading(input_shape=preferences.input_shape, signature=preferences.signature)


def _scaffolded(path: Path, ops: OpIndex) -> Failed | None:
    """Failure of `opsmith new-op --from` for operators that are not known; None where it gives
    specs or coded errors.
    """
    try:
        specs_of_model(path, ops)
    except ToolchainError:
        return None
    except Exception:
        return Failed("traceback", traceback.format_exc())
    return None


def _is_plain(problem: str) -> bool:
    """Whether a terminal shows the three lines of a problem as they are."""
    return problem.count("\n") == 2 and all(c.isprintable() or c == "\n" for c in problem)


def _written(step: str, graph: Graph) -> None:
    graph_to_text(graph).encode("utf-8")


def _converted(program: Program, graph: Graph, ops: OpIndex, folder: Path) -> Converted:
    digest = write_weights(program, folder / "weights.bin")
    files = text_files(
        Joined.of(program),
        ops,
        [Source("m.tflite", "00" * 32)],
        target="host",
        binary=f"{NAME}/weights.bin",
        digest=digest,
    )
    for text in files.values():
        assert text.isascii(), "a generated file has characters that are not ASCII"
    facts = json.loads(json.dumps(manifest(program, ops)))
    ElementTree.fromstring(plan_svg(facts))
    every = hashlib.sha256("\0".join(files.values()).encode()).hexdigest()
    key = f"model_{every[:16]}"
    plan = program.graph.plan
    assert plan is not None
    used = sorted({instance.op for instance in program.instances})
    stream = program.graph.stream
    inputs = [program.graph.tensors[name] for name in program.graph.inputs]
    inputs = inputs if stream is None else [stream.input]
    return Converted(
        key,
        {name: re.sub(rf"\b{NAME}", key, text) for name, text in files.items()},
        {f"{op}.op.h": bind(ops.by_name[op]) for op in used},
        (folder / "weights.bin").read_bytes(),
        tuple(_detail(tensor) for tensor in inputs),
        tuple(_detail(program.graph.tensors[name]) for name in program.graph.outputs),
        sum(plan.arenas.values()) + facts["state_bytes"],
        total_macs(graph, ops) or 0,
        len(graph.outputs),
        "" if stream is None else stream.input.dtype.c,
    )


def _detail(tensor: Tensor) -> Detail:
    quantization = tensor.quantization
    single = quantization is not None and not quantization.per_channel
    scale, point = (tensor.scale, tensor.zero_point) if single else (None, None)
    return Detail(tensor.id, tensor.shape, tensor.dtype.numpy, scale, point)
