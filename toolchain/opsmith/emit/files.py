"""All files that a generated model consists of: fixed names, whatever the model."""

from __future__ import annotations

from pathlib import Path

from opsmith.emit.c_api import c_header, c_source
from opsmith.emit.cpp import model_source
from opsmith.emit.emitters import NOTHING, Written
from opsmith.emit.header import model_header
from opsmith.emit.nodes import extra_source, libraries, nodes_header, shard_sources
from opsmith.emit.reentrant import reentrant_source
from opsmith.emit.weights import weights_source
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex


def text_files(
    program: Program,
    ops: OpIndex,
    *,
    source: str,
    sha256: str,
    target: str,
    binary: str,
    digest: str,
    written: Written = NOTHING,
) -> dict[str, str]:
    """Every text file but model.json, by name.

    `source` and `sha256` are of the model file, `target` names board and runtime, `binary` is the
    path of weights.bin from where the compiler runs, and `digest` the SHA-256 of its bytes. What an
    emitter has `written` is called, and has files of its own.
    """
    shards = shard_sources(program, ops, Path(binary).parent.as_posix())
    return {
        "model.h": model_header(program, source, sha256, target),
        "model_c.h": c_header(program, source, target),
        "model_c.cc": c_source(program),
        "model.cc": (
            reentrant_source(program, ops)
            if program.reentrant
            else model_source(program, ops, written)
        ),
        "nodes.h": nodes_header(program, ops),
        **{f"nodes_{i}.cc": text for i, text in enumerate(shards)},
        "sources.cc": extra_source(program, ops),
        "libraries.txt": libraries(program, ops),
        "weights.cc": weights_source(program, binary, digest),
    }
