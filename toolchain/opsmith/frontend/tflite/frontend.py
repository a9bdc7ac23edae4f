"""Reads a .tflite file into a graph in TFLite's names. The file is untrusted, so all is checked."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import tflite

from opsmith.errors import Problem, ToolchainError
from opsmith.frontend.foreign import MAGIC, START, check_known, folder_problem
from opsmith.frontend.model import Model
from opsmith.frontend.names import identifiers, shown
from opsmith.frontend.tflite.biases import with_narrow_biases
from opsmith.frontend.tflite.blocks import unread_blocks, with_blocks
from opsmith.frontend.tflite.both_ways import one_way
from opsmith.frontend.tflite.complex_pairs import with_pairs
from opsmith.frontend.tflite.composites import decomposed
from opsmith.frontend.tflite.decode import BEFORE_DECODE, DECODE, Decoding, channels_of
from opsmith.frontend.tflite.departures import of_both_ways
from opsmith.frontend.tflite.inline import whole_model
from opsmith.frontend.tflite.list_items import with_item_updates
from opsmith.frontend.tflite.order import disorder, given_inputs, not_given, order_problems
from opsmith.frontend.tflite.problems import together, wrong
from opsmith.frontend.tflite.regions import with_functions
from opsmith.frontend.tflite.signatures import subgraph_of
from opsmith.frontend.tflite.storage import with_wide_weights, without_densify
from opsmith.frontend.tflite.tensor_lists import with_arrays
from opsmith.frontend.tflite.tensors import TensorReader
from opsmith.ir import Graph, Node, Tensor
from opsmith.reading import UnreadableError, read_bytes
from opsmith.tflite.option_tables import UNIONS, options_of
from opsmith.tflite.schema import SchemaReader, enum_names, malformed, operator_number, untrusted
from opsmith.tflite.tables import quick

Of = TypeVar("Of")
MOST = 1 << 40  # bytes of a file


def read_model(path: Path, name: str, signature: str = "") -> Model:
    """Model of a file, with its graph called `name` (a C identifier).

    The graph is that of the first subgraph, or of the one that the signature names. Problems of
    single tensors and operators are among the model's problems. Raises MDL001 and MDL002.
    """
    if path.is_dir():
        what, fix = folder_problem(path)
        raise ToolchainError.of("MDL002", f"it {what}", where=str(path), fix=fix)
    try:
        data = read_bytes(path, MOST)
    except UnreadableError as error:
        raise ToolchainError.of(
            "MDL002",
            f"cannot read the model: {error}",
            where=str(path),
            fix="correct the path, or who may read the file",
        ) from error
    if len(data) < 8 or data[4:8] != MAGIC:
        check_known(path, data[:START])
        raise malformed(path, "the file identifier TFL3 is missing")
    with untrusted(path, len(data)):
        root = quick(tflite.Model.GetRootAs(data, 0))
        reader = _GraphReader(path, data, root)
        if root.SubgraphsLength() < 1:
            raise malformed(path, "it has no subgraph")
        if any(
            reader.text(each.Name()) == BEFORE_DECODE for each in reader.items(root, "Metadata")
        ):
            what = "its tensors are compressed as they were before there was TFLM_DECODE"
            raise wrong(path, "MDL040", what, f"metadata {BEFORE_DECODE}")
        subgraphs = tuple(reader.text(sub.Name()) for sub in reader.items(root, "Subgraphs"))
        number = subgraph_of(reader, root, signature)

    @cache
    def subgraph(each: int) -> Model | None:
        if each >= len(subgraphs):
            return None
        with untrusted(path, len(data)):
            return reader.model(quick(root.Subgraphs(each)), name, main=each == number)

    model = whole_model(path, number, decomposed(path, with_functions(path, subgraph)))
    return replace(
        model,
        graph=with_pairs(with_arrays(model.graph)),
        sha256=hashlib.sha256(data).hexdigest(),
        subgraphs=subgraphs,
        subgraph=number,
    )


class _GraphReader(SchemaReader):
    """Reader that builds the graph of one subgraph."""

    def __init__(self, path: Path, data: bytes, root: Any) -> None:
        super().__init__(path, data)
        self.buffers = list(self.items(root, "Buffers"))
        self.codes = [self._code(code) for code in self.items(root, "OperatorCodes")]
        self.problems: list[Problem] = []

    def model(self, subgraph: Any, name: str, *, main: bool) -> Model:
        """Model of a subgraph; ids are identifiers made of the tensors' names."""
        self.problems = []
        operators = list(self.items(subgraph, "Operators"))
        inputs, outputs = self.numbers(subgraph, "Inputs"), self.numbers(subgraph, "Outputs")
        written = {n for operator in operators for n in self.numbers(operator, "Outputs")}
        fills = [each for each in operators if self._is(each, "tflite.FILL")]
        filled = {n for operator in fills for n in self.numbers(operator, "Outputs")}
        decodes = [each for each in operators if self._is(each, DECODE)]
        others = [each for each in operators if not self._is(each, DECODE)]
        used = {*inputs, *outputs, *written, *self._read_by(others)}
        encoded = self._read_by(decodes) - used
        used |= encoded
        tables = list(self.items(subgraph, "Tensors"))
        reader = TensorReader(
            self, self.buffers, tables, {*inputs}, written, filled, used, encoded, main=main
        )
        read = [reader.read(i, table) for i, table in enumerate(tables)]
        read = [reader.scales.get(i, tensor) for i, tensor in enumerate(read)]
        ids = _ids_of(read)
        tensors = [replace(t, id=ident) for t, ident in zip(read, ids, strict=True)]
        nodes = tuple(
            self._with_intermediates(self._node(i, operator, tensors), operator, tables, reader)
            for i, operator in enumerate(operators)
        )
        scales = {ids[weights]: ids[place] for weights, place in reader.blocks.items()}
        given = self._ids(inputs, tensors, "graph input")
        assumed = [*not_given(given, tensors)] if main else []
        graph = Graph(
            name,
            {tensor.id: tensor for tensor in tensors},
            nodes,
            given_inputs(given, tensors) if main else given,
            self._ids(outputs, tensors, "graph output"),
        )
        unread = dict(unread_blocks(graph, scales))
        blocks = (self._unread(graph.tensors[n], where) for n, where in unread.items())
        self.problems += together((*reader.problems, *blocks))
        of = dict(zip(ids, tables, strict=True))
        by_blocks = with_blocks(graph, scales)
        decoding = Decoding(by_blocks, self, lambda tensor: channels_of(self, of[tensor]))
        unknown = (*(ids[number] for number in reader.unknown), *unread)
        caused = [each for each in decoding.wrong if {*each[0].inputs}.isdisjoint(unknown)]
        self.problems += (self._undecoded(node, what) for node, what in caused)
        unknown += tuple(name for node, _ in decoding.wrong for name in node.outputs)
        self.problems += order_problems(self.path, graph, {*unknown})
        if main and not outputs:
            self.problems.append(disorder(self.path, "the model has no output", "graph outputs"))
        return Model(
            _as_computed(decoding.graph),
            sha256="",
            subgraphs=(),
            ids=ids,
            dynamic=bool(reader.open_axes),
            open_axes={ids[i]: axes for i, axes in reader.open_axes.items() if i in inputs},
            problems=tuple(self.problems),
            unknown=unknown,
            assumed=tuple(assumed),
            departures=(*reader.departures, *of_both_ways(graph)),
        )

    def _read_by(self, operators: Sequence[Any]) -> set[int]:
        return {n for operator in operators for n in self.numbers(operator, "Inputs")}

    def _code(self, code: Any) -> tuple[str, int]:
        value = operator_number(code)
        name = enum_names(tflite.BuiltinOperator).get(value, f"BUILTIN_{value}")
        if name == "CUSTOM":
            name = f"CUSTOM.{self.text(code.CustomCode())}"
        return f"tflite.{name}", code.Version()

    def _is(self, operator: Any, name: str) -> bool:
        number: int = operator.OpcodeIndex()
        return 0 <= number < len(self.codes) and self.codes[number][0] == name

    def _node(self, index: int, operator: Any, tensors: list[Tensor]) -> Node:
        if not 0 <= operator.OpcodeIndex() < len(self.codes):
            raise malformed(self.path, f"operator {index} has opcode {operator.OpcodeIndex()}")
        op, version = self.codes[operator.OpcodeIndex()]
        where = f"operator {index} ({shown(op.removeprefix('tflite.'))})"
        numbers = self.numbers(operator, "Inputs")
        inputs = tuple(None if n == -1 else self._ids((n,), tensors, where)[0] for n in numbers)
        outputs = self._ids(self.numbers(operator, "Outputs"), tensors, where)
        self._check_options(operator, op.removeprefix("tflite."), where)
        # An operator without an options table has no options, whatever the file stores.
        own = options_of(op.removeprefix("tflite."))
        attributes = self.options(operator, own[0]) if own else {}
        if op.startswith("tflite.CUSTOM."):
            options = self.array(operator, "CustomOptions")
            attributes = {"custom_options": b"" if options is None else options.tobytes()}
        return Node(
            outputs[0] if outputs else f"node_{index}",
            op,
            inputs,
            outputs,
            attributes,
            where,
            version,
        )

    def _with_intermediates(
        self, node: Node, operator: Any, tables: Sequence[Any], reader: TensorReader
    ) -> Node:
        """Node with attributes for scale (0: none) and zero point of each intermediate tensor."""
        numbers = self.numbers(operator, "Intermediates")
        if not numbers:
            return node
        found = [
            None if n == -1 else reader.quantization(self._of(tables, n, node.source))
            for n in numbers
        ]
        return replace(
            node,
            attributes={
                **node.attributes,
                "intermediate_scales": tuple(each.scales[0] if each else 0.0 for each in found),
                "intermediate_zero_points": tuple(
                    each.zero_points[0] if each else 0 for each in found
                ),
            },
        )

    def _check_options(self, operator: Any, name: str, where: str) -> None:
        """Record a problem for options of another operator's type, which runtimes ignore."""
        own = options_of(name)
        for union in UNIONS:
            kind = getattr(operator, f"{union}Type")()
            found = enum_names(getattr(tflite, union)).get(kind, f"type {kind}")
            if kind and own is not None and own != (union, found):
                what = f"its options are {found} instead of {own[1]}"
                self.problems += wrong(self.path, "MDL031", what, where).problems

    def _ids(self, numbers: tuple[int, ...], tensors: list[Tensor], where: str) -> tuple[str, ...]:
        return tuple(self._of(tensors, number, where).id for number in numbers)

    def _of(self, tensors: Sequence[Of], number: int, where: str) -> Of:
        if not 0 <= number < len(tensors):
            raise wrong(self.path, "MDL006", f"tensor {number} does not exist", where)
        return tensors[number]

    def _undecoded(self, node: Node, what: str) -> Problem:
        return wrong(self.path, "MDL040", what, node.source).problems[0]

    def _unread(self, weights: Tensor, where: str) -> Problem:
        what = f"it has a scale for each block, and {where} does not know such"
        return wrong(self.path, "MDL035", what, f"tensor '{shown(weights.name)}'").problems[0]


def _as_computed(graph: Graph) -> Graph:
    """Graph without operators and forms of tensors that serve only to store a model."""
    rewrites = (without_densify, with_wide_weights, with_narrow_biases, with_item_updates, one_way)
    for rewrite in rewrites:
        graph = rewrite(graph)
    return graph


def _ids_of(tensors: Sequence[Tensor]) -> tuple[str, ...]:
    """Identifier for each tensor; where names collide, constants get the numbers."""
    order = sorted(range(len(tensors)), key=lambda i: tensors[i].constant is not None)
    found = identifiers(tensors[i].name for i in order)
    ids = dict(zip(order, found, strict=True))
    return tuple(ids[i] for i in range(len(tensors)))
