"""Reads a .pt2 file into a graph in TFLite's names. The file is untrusted, so all is checked."""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from opsmith.errors import ToolchainError, raise_all
from opsmith.frontend.claimed import sources_of
from opsmith.frontend.foreign import START, check_known
from opsmith.frontend.model import Model
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.batch_norm import fold_batch_norms
from opsmith.frontend.onnx.file import disorder
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.walk import outputs_of, read_all, reordered, within
from opsmith.frontend.pt2.archive import Archive, error
from opsmith.frontend.pt2.calls import KNOWN, as_written, content, unread_names
from opsmith.frontend.pt2.handlers import EXACT, HANDLERS
from opsmith.frontend.pt2.program import ExportedProgram, program
from opsmith.ir.types import f32
from opsmith.numerics import Numerics
from opsmith.op.index import Claimed
from opsmith.reading import TooLargeError, UnreadableError, read_bytes

MOST = 1 << 31  # bytes of a file


def read_model(path: Path, name: str, signature: str = "", claimed: Claimed | None = None) -> Model:
    """Model of a file, with its graph called `name` (a C identifier). Operators `aten.NAME` that
    folders have `claimed` are left to them. Raises MDL0xx and OPS005.
    """
    if signature:
        what, where = "'.pt2' files have no signatures", f"{path}: signature={signature}"
        raise ToolchainError.of("MDL024", what, where=where, fix="leave signature= out")
    digest, found = _opened(path)
    sources = sources_of("aten", KNOWN, claimed or {})
    with within(path):
        raise_all(disorder(as_written(found)))
        reader = Reader(fold_batch_norms(content(found, sources)), multiplies=True)
        read_all(reader, HANDLERS)
    outputs = outputs_of(path, reader)
    _check_sizes(path, reader, found)
    lines = [*reader.assumed, *reordered(reader, outputs, "torch")]
    graph = reader.graph(name, reader.inputs, [value.tensor for value in outputs])
    quantised = any(tensor.quantization is not None for tensor in reader.tensors.values())
    return Model(
        graph,
        digest,
        ("main",),
        tuple(graph.tensors),
        assumed=(*lines, *_rules(reader, quantised)),
        numerics=Numerics.TFLM if quantised else "",
    )


def unread(path: Path) -> frozenset[str]:
    """Source ops `aten.NAME` for a file's operators that nothing reads. Raises MDL0xx."""
    return unread_names(_opened(path)[1])


def _opened(path: Path) -> tuple[str, ExportedProgram]:
    """SHA-256 and program of a file."""
    try:
        data = read_bytes(path, MOST - 1)
        if not data.startswith(b"PK"):
            check_known(path, data[:START], but="a program of torch.export")
            raise error("MDL001", "the bytes are no archive of torch.export", path)
        with zipfile.ZipFile(path) as file:
            return hashlib.sha256(data).hexdigest(), program(Archive(path, file))
    except TooLargeError as wrong:
        raise error("MDL001", "it has 2 GiB or more", path) from wrong
    except (UnreadableError, OSError) as wrong:
        fix = "correct the path, or who may read the file"
        raise error("MDL002", f"cannot read the model: {wrong}", path, fix) from wrong
    except (zipfile.BadZipFile, NotImplementedError, ValueError, LookupError) as wrong:
        raise error("MDL001", "the archive is damaged", path) from wrong


def _check_sizes(path: Path, reader: Reader, found: ExportedProgram) -> None:
    """Raise an error for a file that states sizes other than those its operators make."""
    for name, value in reader.values.items():
        stated = found.sizes.get(name)
        if stated is not None and stated != reader.shape(value):
            what = (
                f"'{shown(name)}' has sizes {stated}, and its operator makes {reader.shape(value)}"
            )
            raise error("MDL006", what, path)


def _rules(reader: Reader, quantised: bool) -> Iterator[str]:
    """Sentences about operators of another rule than ExecuTorch's, or without a known rule."""
    for name, source in reader.others:
        if source not in EXACT:
            yield (
                f"'{shown(name)}' ({source}): its elements follow numerics=tflm; those of"
                " ExecuTorch may differ"
            )
    if quantised:
        floats = [n for n in reader.nodes if reader.tensors[n.outputs[0]].dtype == f32]
        names = ", ".join(shown(f"{each.outputs[0]} ({each.op[7:]})") for each in floats[:8])
        more = f": {names}{' …' if len(floats) > 8 else ''}" if floats else ""
        yield f"{len(floats)} operators in float{more}"
    count = sum(node.op == "tflite.TRANSPOSE" for node in reader.nodes)
    yield f"layout: {count} transposes are left"
