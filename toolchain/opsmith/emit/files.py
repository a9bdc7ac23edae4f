"""Text files of one model, or of several that share instances and constants."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.emit.c_api import c_header, c_source
from opsmith.emit.cpp import model_source
from opsmith.emit.emitters import NOTHING, Written
from opsmith.emit.header import model_header
from opsmith.emit.joined import Joined, arena_declarations, arena_source
from opsmith.emit.nodes import libraries, node_sources, nodes_header
from opsmith.emit.reentrant import reentrant_source
from opsmith.emit.weights import weights_source
from opsmith.emit.writing import broken
from opsmith.op.index import OpIndex


@dataclass(frozen=True)
class Source:
    """A model's file and digest."""

    file: str  # its name
    sha256: str


def text_files(
    joined: Joined,
    ops: OpIndex,
    sources: Sequence[Source],
    *,
    target: str,
    binary: str,
    digest: str,
    written: Written = NOTHING,
) -> dict[str, str]:
    """Every text file except model.json, by name.

    `target` names board and runtime, `binary` is the path of weights.bin from where the compiler
    runs, and `digest` the SHA-256 of its bytes. Files and calls that an emitter has `written` are
    included. Raises BLD043 where a shared arena would have to keep a state.
    """
    common = joined.common
    found = {
        "nodes.h": broken(nodes_header(common, ops, arena_declarations(joined))),
        **node_sources(common, ops, Path(binary).parent.as_posix()),
        **({"arena.cc": arena_source(joined)} if joined.shared else {}),
        "libraries.txt": libraries(common, ops),
        "weights.cc": weights_source(common, binary, digest),
    }
    for program, source, files in zip(joined.programs, sources, joined.files, strict=True):
        file, sha256, shared = source.file, source.sha256, joined.shared
        made = {files.header: model_header(program, file, sha256, target, shared=shared)}
        made[files.source] = (
            reentrant_source(program, ops)
            if program.reentrant
            else model_source(program, ops, written, joined.among(files.header))
        )
        made[files.c_header] = c_header(program, file, target, shared=shared)
        made[files.c_source] = c_source(program, files.header, files.c_header)
        found |= {name: broken(text) for name, text in made.items()}
    return found
