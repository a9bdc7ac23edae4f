"""Compile every example of an op down to C++ as a build would, to report problems early."""

from collections.abc import Iterator
from dataclasses import replace

from opsmith.build_options import BuildOptions
from opsmith.commands.probe_hooks import probe_hooks
from opsmith.emit.emitters import run_emitter
from opsmith.emit.files import Source, text_files
from opsmith.emit.joined import Joined
from opsmith.emit.manifest import manifest
from opsmith.errors import Problem, ToolchainError
from opsmith.ir import Graph
from opsmith.ir.verify import InvalidGraphError
from opsmith.op.examples import example_graphs
from opsmith.op.index import OpFolder, OpIndex
from opsmith.op.kernel import Kernel, Plan, planned
from opsmith.op.node import node_problems, view
from opsmith.op.view import NodeView
from opsmith.pipeline import Configuration, compile_graph
from opsmith.select.choice import Preferences


def compiled_problems(found: OpFolder, ops: OpIndex) -> list[Problem]:
    """Problems that keep the op's examples from compiling, each example with every kernel that
    takes it.
    """
    problems: dict[Problem, None] = {}
    for graph in example_graphs(found.op):
        (node,), op = graph.nodes, ops.of(graph, graph.nodes[0])
        problems |= dict.fromkeys(probe_hooks(op, graph, str(found.file)))
        for kernel in op.kernels or [None]:  # without any it becomes other ops
            try:
                if kernel is None or _takes(kernel, view(graph, node, op)):
                    problems |= dict.fromkeys(_compiled(found, ops, graph, kernel))
            except ToolchainError as error:
                problems |= dict.fromkeys(error.problems)
    return list(problems)


def _takes(kernel: Kernel, node: NodeView) -> bool:
    return isinstance(planned(node, kernel, frozenset(kernel.requires)), Plan)


def _compiled(
    found: OpFolder, ops: OpIndex, graph: Graph, kernel: Kernel | None
) -> Iterator[Problem]:
    configuration = Configuration(options=BuildOptions(opt="speed"))
    if kernel is not None:
        features, preferences = frozenset(kernel.requires), Preferences(kernel.name)
        configuration = replace(configuration, features=features, preferences=preferences)
    where = str(found.file)
    last = [graph]

    def watch(step: str, after: Graph) -> None:
        last[0] = after

    try:
        program = compile_graph(graph, ops, configuration, where, watch)
    except InvalidGraphError as error:
        what = f"{graph.nodes[0].source}: a function of the op breaks the graph {error}"
        yield Problem("OPS072", what, where, "correct what its hooks return")
        return
    for node in program.graph.nodes:
        for problem in node_problems(program.graph, node, ops[node.op], where):
            what = f"{node.source}, once rewritten, is refused: {problem.what}"
            yield Problem("OPS072", what, where, "correct what its hooks return")
            return
    facts = {"target": "check", "binary": "weights.bin", "digest": "0"}
    written = run_emitter(program, ops, None)
    others = dict.fromkeys(each.emitter for each in ops.of(graph, graph.nodes[0]).kernels)
    for emitter in (each for each in others if each not in (None, kernel and kernel.emitter)):
        run_emitter(program, ops, emitter)  # in a build of its runtime, without nodes of its
    text_files(Joined.of(program), ops, [Source("example", "0")], written=written, **facts)
    manifest(program, ops)
