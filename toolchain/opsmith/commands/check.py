"""`check`: finds problems of op folders without compiling, all of them at once."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from opsmith.board.arguments import add_platforms
from opsmith.board.cores import features, known_cores
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.commands.probe_hooks import probe_hooks
from opsmith.commands.probe_match import probe_match
from opsmith.commands.probe_parts import probe_parts
from opsmith.contract.check_features import (
    feature_problems,
    impossible_kernels,
    runtime_problems,
    unknown_runtimes,
)
from opsmith.discover.backends import backend_folders, may_bring, named_backends
from opsmith.discover.discover import known_folders, load_op, namesakes, op_folders
from opsmith.discover.strays import stray_problems
from opsmith.emit.emitters import run_emitter
from opsmith.emit.files import Source, text_files
from opsmith.emit.joined import Joined
from opsmith.emit.manifest import manifest
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.home import HOME
from opsmith.ir import Graph, Node
from opsmith.ir.verify import InvalidGraphError
from opsmith.op.examples import example_graphs, example_problems
from opsmith.op.index import OpFolder, OpIndex, index
from opsmith.op.kernel import Kernel, Plan, planned
from opsmith.op.node import node_problems, view
from opsmith.op.view import NodeView
from opsmith.pipeline import Configuration, compile_graph
from opsmith.select.choice import Preferences

SHIPPED = HOME / "ops"


def main(arguments: list[str]) -> int:
    """Check the given folders, or those below them; returns 0. Raises OPS0xx and KRN0xx."""
    parser = Parser(prog="opsmith check", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--backends", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_platforms(parser)
    options = parser.parse_args(arguments)
    cores = features(options.platforms)
    each_core = [core.features for core in known_cores(options.platforms).values()]
    problems: list[Problem] = []
    found = []
    roots: list[Path] = options.folders
    backends = backend_folders(options.backends)
    if not roots and not options.backends:
        parser.error("name folders of ops, or --backends")
    named = list(op_folders(roots)) or _served(named_backends(options.backends))
    problems += [_none(root) for root in roots if not [*op_folders([root])]]
    good = []
    for folder in named:
        problems += namesakes(folder, backends)
        try:
            loaded = load_op(folder, backends)
            found.append(loaded)
            wrong = [*feature_problems(loaded, cores), *unknown_runtimes(loaded, backends)]
            wrong += [] if wrong else impossible_kernels(loaded, each_core, backends)
            wrong += example_problems(loaded)
            problems += wrong
            good += [] if wrong else [loaded]
        except ToolchainError as error:
            problems += error.problems
    folders = {loaded.folder.resolve() for loaded in found}
    shipped = [each for each in op_folders([SHIPPED]) if each.resolve() not in folders]
    if not found and not options.backends:  # nothing else to check them with
        shipped = []
    try:
        problems += runtime_problems(backends, cores)
        others = known_folders(shipped, backends)
        broken = len(found) < len(named)
        ops = index([*found, *others], part=broken)  # ops may refer to these
        problems += stray_problems(options.backends, ops.by_name, ops.__getitem__, families=True)
        problems += [problem for each in good for problem in compiled_problems(each, ops)]
    except ToolchainError as error:
        problems += error.problems
    problems = list(dict.fromkeys(problems))  # problems of a backend are found with each of its ops
    unused = [loaded.name for loaded in found if not loaded.op.all_examples]
    if options.json:
        facts = {"folders": len(found), "without_examples": unused}
        print(json.dumps({**facts, "problems": list(map(asdict, problems))}))
    raise_all(problems)
    if not options.json:
        print(f"{len(found)} op folder{'' if len(found) == 1 else 's'}, no problems")
        for name in unused:
            print(f"{name}: without examples= only its declarations are checked")
    return 0


def _served(backends: Sequence[Path]) -> list[Path]:
    """Shipped ops for which the given backends bring kernels."""
    shipped = op_folders([SHIPPED])
    return [op for op in shipped if any(may_bring(each, op.name) for each in backends)]


def _none(root: Path) -> Problem:
    what = f"'{root}' holds no op folder"
    return Problem("OPS001", what, str(root), "name a folder with an op.py, or the one above it")


def compiled_problems(found: OpFolder, ops: OpIndex) -> list[Problem]:
    """Problems that keep the op's examples from compiling, with every kernel that accepts them."""
    problems = dict.fromkeys(probe_match(found.op, ops))
    for graph in example_graphs(found.op):
        (node,), op = graph.nodes, ops.of(graph, graph.nodes[0])
        problems |= dict.fromkeys(probe_hooks(op, graph, str(found.file)))
        try:
            problems |= dict.fromkeys(probe_parts(ops, graph, str(found.file)))
        except ToolchainError as error:
            problems |= dict.fromkeys(error.problems)
        for kernel in op.kernels or [None]:  # an op without kernels becomes other ops
            try:
                if kernel is None or _takes(kernel, view(graph, node, op)):
                    problems |= dict.fromkeys(_compiled(found, ops, graph, kernel))
            except ToolchainError as error:
                problems |= dict.fromkeys(_in_file(each, found, node) for each in error.problems)
    return list(problems)


def _in_file(problem: Problem, found: OpFolder, node: Node) -> Problem:
    """Problem of an example with the file that has the example."""
    named = problem.where == node.source
    return replace(problem, where=f"{found.file}: {node.source}") if named else problem


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
    own = kernel and kernel.emitter
    every = dict.fromkeys(each.emitter for each in ops.of(graph, graph.nodes[0]).kernels)
    # The others write a build for their runtimes, in which they have no nodes.
    emitters = [None, *(each for each in every if each not in (None, own))]
    written = [run_emitter(program, ops, each) for each in emitters]
    for emitter, before in zip(emitters, written, strict=True):
        if run_emitter(program, ops, emitter) != before:
            fix = "let it depend on nothing but the program and files of its folder"
            what, at = "emit gives something else when it is called again", emitter or own
            yield Problem("KRN024", what, str(at.file) if at else where, fix)
    text_files(Joined.of(program), ops, [Source("example", "0")], written=written[0], **facts)
    manifest(program, ops)
