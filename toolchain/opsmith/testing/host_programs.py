"""Programs for this machine that prove an op's kernels, each with the cases that need it."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from opsmith.build_options import BuildOptions
from opsmith.emit.pack_weights import pack_weights
from opsmith.ir import Graph, Node
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.pipeline import Configuration, Watch, compile_graph, unseen
from opsmith.testing.changed_ops import (
    general_forms,
    has_portable_kernels,
    reference_alone,
    with_fields,
)

CHOSEN = "spend_flash"  # step of a compilation after which kernels do not change
Kernels = dict[str, frozenset[object]]  # case name -> identities of its kernels


@dataclass(frozen=True)
class HostProgram:
    """A program, the ops with which it was compiled, and the cases in it."""

    way: str  # kind of program, for messages
    program: Program
    ops: OpIndex
    cases: Collection[str]


def host_programs(
    name: str,
    cases: Sequence[str],
    graph_of: Callable[[Collection[str]], Graph],
    ops: OpIndex,
    opts: Sequence[str],
) -> list[HostProgram]:
    """Programs for the cases of an op, whose graph `graph_of` returns.

    With one `opt` each way to compute the op has all cases, of which `balanced` gives each an
    instance of its own. With more, all cases are in general forms of the kernels that `balanced`
    takes, which compile in a tenth of the time and have the same source; the first case of each
    kernel is in an instance, too. Other programs have the cases for which they take other kernels:
    those of `size`, and the reference.
    """
    compiler = _Compiler(name, tuple(cases), graph_of)
    found: list[HostProgram] = []
    for way, each in _ways(ops, name):
        if len(opts) == 1:
            found.append(compiler.whole(f"{way}, opt={opts[0]}", each, opts[0]))
        else:
            found += compiler.parts(way, each)
    if has_portable_kernels(ops, name):
        way, alone = "host, the reference", reference_alone(ops, name)
        known = found[0].program.graph if len(opts) > 1 else None
        found += compiler.further(way, alone, known)
    return found


def _ways(ops: OpIndex, name: str) -> Iterator[tuple[str, OpIndex]]:
    """Variants of the ops by which this machine can compute the op, each with a description."""
    yield "host", ops
    if ops[name].decompose is not None and not ops[name].composite:
        yield "host, not decomposed", with_fields(ops, name, decompose=None)


@dataclass
class _Compiler:
    """Maker of programs with numbered names for cases of an op."""

    name: str
    cases: tuple[str, ...]
    graph_of: Callable[[Collection[str]], Graph]
    made: int = 0

    def whole(self, way: str, ops: OpIndex, opt: str) -> HostProgram:
        """Program of all cases, in instances or, for opt=size, in general forms."""
        return self._of(way, ops, opt, self.cases)

    def parts(self, way: str, ops: OpIndex) -> Iterator[HostProgram]:
        """Programs of all cases in general forms of the fastest kernels, of the first case of each
        kernel in an instance, and of cases for which opt=size takes another kernel.
        """
        fastest = self._of(f"{way}, opt=balanced", ops, "balanced", self.cases)
        graph = in_general_forms(fastest.program.graph)
        yield replace(fastest, program=pack_weights(graph, ops))
        yield self._of(f"{way}, instances", ops, "balanced", _first_of_each(kernels_of(graph)))
        yield from self.further(f"{way}, opt=size", ops, graph)

    def further(self, way: str, ops: OpIndex, known: Graph | None) -> Iterator[HostProgram]:
        """Program of the cases for which opt=size takes other kernels than in `known`, if any."""
        others = self.cases
        if known is not None:
            before, now = kernels_of(known), kernels_of(self._chosen(general_forms(ops)))
            others = tuple(case for case in self.cases if now[case] != before[case])
        if others:
            yield self._of(way, ops, "size", others)

    def _chosen(self, ops: OpIndex) -> Graph:
        """Graph of all cases with the kernels that opt=size takes, without the rest of a
        compilation, which takes as long and does not change them.
        """

        def watch(step: str, graph: Graph) -> None:
            if step == CHOSEN:
                raise _ChosenError(graph)

        try:
            self._compiled(ops, "size", self.cases, watch)
        except _ChosenError as found:
            return found.graph
        raise AssertionError(f"no step is called {CHOSEN}")

    def _of(self, way: str, ops: OpIndex, opt: str, cases: Sequence[str]) -> HostProgram:
        ops = general_forms(ops) if opt == "size" else ops
        program = self._compiled(ops, opt, cases)
        return HostProgram(way, program, ops, cases)

    def _compiled(
        self, ops: OpIndex, opt: str, cases: Sequence[str], watch: Watch = unseen
    ) -> Program:
        graph = replace(self.graph_of(cases), name=f"{self.name}_{self.made}")
        self.made += 1
        configuration = Configuration(options=BuildOptions(opt=opt))
        return compile_graph(graph, ops, configuration, self.name, watch)


class _ChosenError(Exception):
    """Raised to end a compilation once kernels are chosen."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph


def in_general_forms(graph: Graph) -> Graph:
    """Graph whose kernels all read their Params at run time."""
    return replace(graph, nodes=tuple(map(_in_general_form, graph.nodes)))


def in_both_forms(graph: Graph) -> Graph:
    """Graph in which the first node of each kernel keeps its instance, and all other nodes read
    their Params at run time.
    """
    first: dict[object, Node] = {}
    for node in graph.nodes:
        first.setdefault(_kernel(node), node)
    kept = {node.name for node in first.values()}
    nodes = (node if node.name in kept else _in_general_form(node) for node in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def _in_general_form(node: Node) -> Node:
    assert node.kernel is not None
    return replace(node, kernel=replace(node.kernel, specialised=False))


def kernels_of(graph: Graph) -> Kernels:
    """Kernels of each case, by its name, which is the first part of its tensors' names."""
    found: dict[str, set[object]] = {}
    for tensor in graph.tensors.values():
        found.setdefault(tensor.name.partition("/")[0], set())
    for node in graph.nodes:
        found[graph.tensors[node.outputs[0]].name.partition("/")[0]].add(_kernel(node))
    return {case: frozenset(kernels) for case, kernels in found.items()}


def _kernel(node: Node) -> object:
    assert node.kernel is not None
    return (node.op, node.kernel.name, node.kernel.types, type(node.kernel.plan.params))


def _first_of_each(kernels: Kernels) -> tuple[str, ...]:
    """Cases that have a kernel which no earlier case has."""
    seen: set[object] = set()
    found = []
    for case, of_case in kernels.items():
        if not of_case <= seen:
            found.append(case)
            seen |= of_case
    return tuple(found)
