"""Reads an .onnx file into a graph in TFLite's names. The file is untrusted, so all is checked."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.frontend.beside import model_digest
from opsmith.frontend.claimed import sources_of
from opsmith.frontend.foreign import START, check_known
from opsmith.frontend.model import Model
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.batch_norm import fold_batch_norms
from opsmith.frontend.onnx.beside import MOST
from opsmith.frontend.onnx.branches import MOST as MOST_BRANCHES
from opsmith.frontend.onnx.branches import TakenError, with_branch
from opsmith.frontend.onnx.contradictions import check_stated, other_sizes
from opsmith.frontend.onnx.custom import called_twice
from opsmith.frontend.onnx.file import Content, content, disorder, error, unread_types
from opsmith.frontend.onnx.folding import FOLDED, fold_constants
from opsmith.frontend.onnx.forms import FORMS, plain_forms
from opsmith.frontend.onnx.integers import of_integers
from opsmith.frontend.onnx.joined import joined
from opsmith.frontend.onnx.operators import HANDLERS
from opsmith.frontend.onnx.qoperators import MICROSOFTS, QLINEAR, as_qdq
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import ConstantRoom, refuse
from opsmith.frontend.onnx.walk import outputs_of, read_all, reordered, within
from opsmith.numerics import Numerics
from opsmith.op.index import Claimed
from opsmith.reading import TooLargeError, UnreadableError, read_bytes

ATTRIBUTES = frozenset(  # attributes that handlers read or may ignore
    "activation activation_alpha activation_beta activation_gamma activation_params"
    " activations allowzero alpha antialias approximate"
    " auto_pad axes axis batch_dims beta bias block_size blocksize ceil_mode channels_last clip"
    " coordinate_transformation_mode count_include_pad cubic_coeff_a dilations direction"
    " else_branch end epsilon equation exclude_outside exclusive extrapolation_value fmod gamma"
    " group hidden_size input_forget is_causal keep_aspect_ratio_policy keepdims kernel_shape"
    " kv_num_heads lambd largest layout left_window_size linear_before_reset mode momentum"
    " nearest_mode noop_with_empty_axes num_groups num_outputs opset output_dtype output_padding"
    " output_shape p pads perm precision q_num_heads qk_matmul_output_mode ratio reduction"
    " reverse right_window_size saturate scale seed select_last_index size softcap"
    " softmax_precision sorted start stash_type storage_order strides then_branch to training_mode"
    " transA transB transBatchA transBatchB upper value".split()
)
KNOWN = frozenset({*HANDLERS, *QLINEAR, *FORMS, *FOLDED}) | {
    f"com.microsoft.{each}" for each in MICROSOFTS
}


def read_model(
    path: Path,
    name: str,
    signature: str = "",
    input_shape: Sequence[str] = (),
    claimed: Claimed | None = None,
) -> Model:
    """Model of a file, with its graph called `name` (a C identifier), and with the sizes that
    `input_shape` gives to open axes. Operators `onnx.NAME` that folders have `claimed` are left to
    them. Raises MDL0xx and OPS005.
    """
    if signature:
        what, where = "'.onnx' files have no signatures", f"{path}: signature={signature}"
        raise ToolchainError.of("MDL024", what, where=where, fix="leave signature= out")
    try:
        data = read_bytes(path, MOST - 1)
    except TooLargeError as wrong:
        raise error("MDL001", "it has 2 GiB or more", path) from wrong
    except UnreadableError as wrong:
        fix = "correct the path, or who may read the file"
        raise error("MDL002", f"cannot read the model: {wrong}", path, fix) from wrong
    check_known(path, data[:START], but="a model of ONNX")
    known = KNOWN | sources_of("onnx", KNOWN, claimed or {})
    found = content(path, data, known, input_shape)
    with within(path, found.request, found.unranked):
        found = replace(found, operators=tuple(as_qdq(found.operators)))
        reader = _read(path, found, known)
        outputs = outputs_of(path, reader)
        check_stated(path, found, reader, given=bool(input_shape))
    reader.assumed += [*reordered(reader, outputs, "ONNX"), *other_sizes(reader)]
    graph = reader.graph(name, reader.inputs, [value.tensor for value in outputs])
    quantised = any(reader.tensors[n].quantization is not None for n in reader.tensors)
    return Model(
        graph,
        model_digest(path),
        ("main",),
        tuple(graph.tensors),
        assumed=(*reader.assumed, *_rules(reader)),
        shaped=tuple(input_shape),
        numerics=Numerics.NOTEBOOK if quantised else "",
    )


def unread(path: Path) -> frozenset[str]:
    """Source ops `onnx.NAME` for a file's operators that nothing reads and a folder could claim;
    none where the file cannot be read.
    """
    try:
        return unread_types(read_bytes(path, MOST - 1), KNOWN)
    except UnreadableError:
        return frozenset()


def _read(path: Path, found: Content, known: frozenset[str]) -> Reader:
    """Reader of all operators, with those of branches that If operators take."""
    for _ in range(MOST_BRANCHES):
        raise_all(disorder(found))
        raise_all([*_unread(found), *called_twice(found.operators)])
        room = ConstantRoom(found.constants.values())
        plain = fold_constants(plain_forms(of_integers(found)), room)
        reader = Reader(joined(fold_batch_norms(plain)))
        try:
            read_all(reader, HANDLERS, room)
        except TakenError as taken:
            found = with_branch(path, found, taken, known)
        else:
            return reader
    fix = "export with fixed sizes, or let onnxsim simplify the model"
    raise error("MDL013", f"it has {MOST_BRANCHES} or more If operators", path, fix)


def _unread(found: Content) -> Iterator[Problem]:
    """Problems with attributes of unknown meaning, which a later opset or other tool may define."""
    for each in found.operators:
        for name in each.attributes:
            if name not in ATTRIBUTES and each.made is None:
                what = f"its attribute '{shown(name)}' is not read"
                yield refuse(each, what).problems[0]


def _rules(reader: Reader) -> Iterator[str]:
    """Sentences about operators whose integers are not proved to equal ONNX's."""
    for name, source in reader.others:
        yield (
            f"'{shown(name)}' ({source}): its elements follow numerics=notebook; those of ONNX's"
            " float32 may differ by one"
        )
    count = sum(node.op == "tflite.TRANSPOSE" for node in reader.nodes)
    yield f"layout: {count} transposes are left"
