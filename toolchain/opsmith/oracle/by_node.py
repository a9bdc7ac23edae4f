"""A model node by node: each by LiteRT, on an interpreter of its own, or by its op in numpy.

Where LiteRT has no kernel for one node, computes it wrongly, or may differ in the last bits, it
still is the reference of all other nodes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model, SubgraphCall
from opsmith.ir import Array, Graph, Node
from opsmith.op.index import OpIndex
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView
from opsmith.oracle.differences import beyond, units
from opsmith.oracle.evaluate import Evaluator, Watch, of_type
from opsmith.oracle.litert import Reference
from opsmith.oracle.litert_operator import Alone, Operators
from opsmith.oracle.litert_runs import COPY

MAGIC = b"TFL3"  # at byte 4; files of other formats have other bytes
FAILED = re.compile(r"\.?\s*Node number \d+ \(\w+\) failed to \w+\.?$")
PART = re.compile(r"(?<=\)) \d+$")
COPIES = {COPY, "tflite.READ_VARIABLE"}  # operators that compute nothing
OTHER_KERNELS = "by LiteRT's default kernels, since it has no reference kernel"


@dataclass(frozen=True)
class Note:
    """Note on a node that is compared with something other than LiteRT's reference kernel."""

    source: str  # 'operator 5 (SUM)'
    op: str
    text: str
    numpy: bool  # its values are those of numpy
    wrong: bool = False  # its values differ from LiteRT's by more than the op declares


def note_lines(notes: Iterable[Note]) -> Iterator[str]:
    """Line for each text of notes, with the operators that it is about; their parts are one."""
    sources: dict[tuple[str, bool], dict[str, None]] = {}
    for note in notes:
        sources.setdefault((note.text, note.wrong), {})[PART.sub("", note.source)] = None
    for (text, wrong), of in sources.items():
        yield f"  {', '.join(of)}: {text}{', which is wrong' if wrong else ''}"


class Oracles:
    """Operators of a file that LiteRT can run one by one, and notes on nodes."""

    def __init__(self, path: Path, model: Model) -> None:
        content = path.read_bytes()
        self._operators = Operators(content) if content[4:8] == MAGIC else None
        self._copies = {node.name for node in model.graph.nodes if node.op in COPIES}
        calls = model.calls or (SubgraphCall(model.subgraph, model.ids, (), (0,)),)
        self._calls = {block: call for call in calls for block in call.blocks}
        self._writers: dict[int, dict[int, int]] = {}  # by subgraph
        self._made: dict[str, tuple[Alone, Reference, bool]] = {}
        self.notes: dict[str, Note] = {}  # by node
        self.asked: set[str] = set()  # nodes that LiteRT has computed

    def note(self, node: Node, text: str, *, numpy: bool = True, wrong: bool = False) -> None:
        """Record a note on a node; for a node that runs several times, the worst is kept."""
        known = self.notes.get(node.name)
        if known is None or not known.wrong:
            self.notes[node.name] = Note(node.source or node.name, node.op, text, numpy, wrong)

    def computes(self, node: Node) -> bool:
        """True if the node is more than a copy that the compiler added."""
        return node.name not in self._copies

    def run(self, node: Node, values: Mapping[str, Array], *, changes: bool) -> list[Array] | None:
        """Outputs that LiteRT computes for a node; None where no operator of the file is the node.
        Raises RIG020.

        With `changes`, values of variables may be changed.
        """
        call = self._calls.get(node.block)
        if call is None or self._operators is None or node.outputs[0] not in call.tensors:
            return None
        if node.name not in self._made:
            writers = self._writers.setdefault(
                call.subgraph, self._operators.writers(call.subgraph)
            )
            writer = writers.get(call.tensors.index(node.outputs[0]))
            if writer is None:
                return None
            alone = self._operators.alone(call.subgraph, writer)
            self._made[node.name] = (alone, *_loaded(alone, call, values))
        alone, reference, other = self._made[node.name]
        found = reference.run([values[call.tensors[each]] for each in alone.given])
        for each in alone.variables if changes else ():
            values[call.tensors[each]][...] = reference.tensor(alone.tensors[each])
        if other:
            self.note(node, OTHER_KERNELS, numpy=False)
        self.asked.add(node.name)
        names = [call.tensors[each] for each in alone.outputs]
        return [found[names.index(name)] for name in node.outputs]


class NodeByNode(Evaluator):
    """Evaluator of a legal graph by LiteRT, and by numpy where LiteRT departs or fails."""

    def __init__(
        self,
        graph: Graph,
        ops: OpIndex,
        watch: Watch = lambda node, values: None,
        *,
        oracles: Oracles,
    ) -> None:
        super().__init__(graph, ops, watch)
        self._oracles = oracles

    def _results(
        self, node: Node, op: TypedOp, seen: NodeView, values: Mapping[str, Array]
    ) -> list[Array]:
        oracles = self._oracles
        if not oracles.computes(node):
            return super()._results(node, op, seen, values)
        given = [values[name] for name in node.inputs if name is not None]
        departs = op.departs
        if departs and not departs.fails and (not departs.when or departs.when(seen, given)):
            oracles.note(node, f"by numpy ({departs.text})")
            return super()._results(node, op, seen, values)
        bounded = op.variant.ulps or (op.variant.inexact and op.variant.inexact(seen))
        found = self._by_litert(node, op, values, changes=not bounded)
        if found is not None and not bounded:
            return found
        ours = super()._results(node, op, seen, values)
        if found is not None:
            self._compare(node, op, ours, found)
        return ours

    def _by_litert(
        self, node: Node, op: TypedOp, values: Mapping[str, Array], *, changes: bool
    ) -> list[Array] | None:
        """Results of a node in LiteRT, in the graph's shapes; None, with a note, if it has none."""
        oracles = self._oracles
        try:
            found = oracles.run(node, values, changes=changes)
        except ToolchainError as error:
            if error.problems[0].code != "RIG020":
                raise
            declared = f"{op.departs.text}; it says" if op.departs and op.departs.fails else ""
            because = declared or "LiteRT cannot run it"
            oracles.note(node, f"by numpy ({because}: {reason(error)})")
            return None
        except (LookupError, ValueError) as error:
            oracles.note(node, f"by numpy (what LiteRT is to get is not known: {error})")
            return None
        if found is None:
            oracles.note(node, "by numpy (LiteRT does not run it by itself)")
            return None
        pairs = zip(node.outputs, found, strict=True)
        try:
            return [_typed(each, self._graph, name) for name, each in pairs]
        except ValueError as error:
            oracles.note(node, f"LiteRT gives another shape or type: {error}", wrong=True)
            return None

    def _compare(self, node: Node, op: TypedOp, ours: list[Array], litert: list[Array]) -> None:
        """Record how far an op's values are from LiteRT's, for an op that declares a difference."""
        variant, pairs = op.variant, list(zip(ours, litert, strict=True))
        far = max((units(*pair) for pair in pairs), default=0)
        within = f"within {far} ulp{'s' * (far != 1)} of LiteRT"
        if not variant.ulps:
            self._oracles.note(node, f"by numpy, {within}; the op declares that it differs")
            return
        at = f", of {variant.ulps_at:g} at least" if variant.ulps_at else ""
        wrong = any(beyond(*pair, variant.ulps, variant.ulps_at).any() for pair in pairs)
        says = f"by numpy, {within} (allowed {variant.ulps}{at})"
        self._oracles.note(node, says, wrong=wrong)


def reason(error: ToolchainError) -> str:
    """Reason why LiteRT did not run a model, in a clause."""
    what = error.problems[0].what.partition(": ")[2].partition(". ")[0]
    return FAILED.sub("", what)


def _loaded(
    alone: Alone, call: SubgraphCall, values: Mapping[str, Array]
) -> tuple[Reference, bool]:
    """Interpreter of an operator, and whether its kernel is other than the reference one."""
    shapes = [np.shape(values[call.tensors[each]]) for each in alone.given]
    try:
        return Reference(alone.content, shapes=shapes), False
    except ToolchainError as error:
        if "Didn't find op" not in error.problems[0].what:
            raise
    return Reference(alone.content, optimised=True, shapes=shapes), True


def _typed(found: Array, graph: Graph, name: str) -> Array:
    """Result in the shape of the graph's tensor. Raises ValueError if it has another type."""
    tensor = graph.tensors[name]
    alike = found.size == tensor.elements
    return of_type(found.reshape(tensor.shape) if alike else found, graph, name)
