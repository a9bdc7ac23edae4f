"""Boards that prove the kernels of an op, the cases that each runs, and the firmware in which they
are.

The ops that share a firmware follow from their names, so that all their tests can go to one
process, as in `scheduling`.

A board runs the cases for which it takes kernels that neither this machine takes, whose programs
have all cases, nor a board before it in `PROVING`; and one for each kernel that it takes at all.
Where ops share a firmware, every third op alone has the latter for integers that this machine
proves: the same C++, which computes the same on every core, as floats need not.
"""

import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.board.runtime import Runtime, load_runtime
from opsmith.home import RUNTIMES
from opsmith.ir import Graph, Node
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.op.kernel import unavailable
from opsmith.select.choice import Choose, best, choose_on_cores
from opsmith.select.flash_budget import UNLIMITED
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import spend_flash
from opsmith.testing.case_graphs import legal_cases
from opsmith.testing.failures import hides
from opsmith.testing.firmware import BOARDS
from opsmith.testing.known_ops import SHIPPED, known_beside, loaded
from opsmith.testing.simulated_devices import simulator
from opsmith.tflite.cases import Case

__tracebackhide__ = hides

PROVING = ("mps2_an386", "mps2_an385", "mps3_an547", "host_gpu")  # boards that prove kernels
# Shipped ops are distributed over N firmware of each board. Each further firmware costs a second or
# two of processor time, whatever its cases; one process builds those of the same ops for all
# boards.
PARTS = 4
TURNS = 3  # one op in N proves on boards what this machine computes by the same kernels
EVERY_CASE = False  # True with `pytest --every-case`: all cases on each board, and on devices
HOST = "host"  # board whose kernels `check_on_host` proves
_Chosen = frozenset[tuple[str, str, str]]


def boards_of(op_folder: Path) -> list[str]:
    """Boards that each have a kernel of the op which no earlier board takes."""
    found: list[str] = []
    taken: list[frozenset[str]] = []
    for board in PROVING:
        kernels = kernels_on(op_folder, board)
        if kernels and kernels not in taken and _has_kernels_of_device(op_folder, board):
            found.append(board)
            taken.append(kernels)
    return found


def firmware_of(op_folder: Path, board: str) -> str:
    """Name of the firmware that contains the op's cases: equal for ops that share one."""
    return f"{board}_{part_of_ops(op_folder)}"


@cache  # called for each pair of tests that may share a firmware
def part_of_ops(op_folder: Path) -> str:
    """Name of the part of the ops that share the firmware of each board.

    Ops from elsewhere are few, and those of a folder form one part.
    """
    if op_folder.resolve().parent != SHIPPED.resolve():
        return op_folder.parent.name
    return str(zlib.crc32(op_folder.name.encode()) % PARTS)


def cases_on(
    op_folder: Path, cases: tuple[Case, ...], board: str, seen: set[object] | None = None
) -> list[Case]:
    """Cases for which the board takes a kernel that no earlier board proves for them, and one case
    for each kernel and its types that it takes at all, which is other machine code on another core.

    A simulated device takes long, and runs only the latter unless every case is requested; where
    the ops of one firmware extend `seen`, only cases that bring a kernel, or an element type to a
    function that ops share: compiled for each op and all types, it is most of the code. There a
    board without a device runs no case for integer kernels of this machine, but for some ops.
    """
    before = takewhile(lambda name: name != board, PROVING) if board in PROVING else ()
    earlier = [name for name in before if kernels_on(op_folder, name)]
    earlier += [HOST] if board in PROVING and on_host(op_folder) else []
    if not earlier or (EVERY_CASE and not simulator(board).is_file()):
        return list(cases)
    taken = _chosen(op_folder, cases, board)
    shared, device = seen is not None, simulator(board).is_file()
    alike = _alike_here(op_folder, cases) if shared and not device and HOST in earlier else set()
    first: dict[str, str] = {}
    for case in cases:
        for kernel in sorted({kernel for name, _, kernel in taken if name == case.name} - alike):
            first.setdefault(kernel, case.name)
    kept = set(first.values())
    if EVERY_CASE or not device:
        known = set().union(*(_chosen(op_folder, cases, each) for each in earlier))
        kept |= {case for case, _, _ in taken - known}
    elif seen is not None:
        kept = _with_new_code(op_folder, cases, kept, board, seen)
    return [case for case in cases if case.name in kept]


def _alike_here(op_folder: Path, cases: tuple[Case, ...]) -> set[str]:
    """Kernels of integers that this machine takes for the cases; none for an op whose turn it is to
    prove them on boards, too.
    """
    if zlib.crc32(op_folder.name.encode()) // PARTS % TURNS == 0:
        return set()
    here = {kernel for _, _, kernel in _chosen(op_folder, cases, HOST)}
    return {kernel for kernel in here if "f32" not in kernel.partition(" of ")[2]}


def preferred_on(op_folder: Path, cases: tuple[Case, ...], board: str) -> list[tuple[str, Case]]:
    """Kernels of the board that no case takes by default, on it or an earlier board, and the cases
    that take them where `prefer=` names them, as builds with less flash do: all cases on the first
    board that has the kernel, one on others.
    """
    if simulator(board).is_file() or board not in PROVING:
        return []
    until = [each for each in PROVING[: PROVING.index(board) + 1] if kernels_on(op_folder, each)]
    until += [HOST] if on_host(op_folder) else []
    known = set[str]().union(*(_taken(op_folder, cases, each) for each in until))
    names = (path.rpartition("/")[2] for path in sorted(kernels_on(op_folder, board) - known))
    before = [kernels_on(op_folder, each) for each in PROVING[: PROVING.index(board)]]
    found: dict[str, list[tuple[str, Case]]] = {}
    by_name = {case.name: case for case in cases}
    for name in dict.fromkeys(names):
        for case, path in _exact_with(op_folder, cases, board, name):
            if path not in known and not (path in found and any(path in each for each in before)):
                found.setdefault(path, []).append((name, by_name[case]))
    return [each for some in found.values() for each in some]


def _taken(op_folder: Path, cases: tuple[Case, ...], board: str) -> set[str]:
    """Names of the kernels of the op that the board takes for the cases."""
    mine = f"{op_folder.name}:"
    kernels = (kernel.partition(" of ")[0] for _, _, kernel in _chosen(op_folder, cases, board))
    return {kernel.removeprefix(mine) for kernel in kernels if kernel.startswith(mine)}


def _exact_with(
    op_folder: Path, cases: tuple[Case, ...], board: str, prefer: str
) -> Iterator[tuple[str, str]]:
    """Pairs (case, kernel) of the op's nodes that an exact kernel of a given name can compute."""
    graph, ops = _with_kernels(op_folder, cases, board), known_beside(op_folder)
    for node in graph.nodes:
        assert node.kernel is not None
        fitting = [c for c in node.kernel.candidates if c.name == prefer and not c.refused]
        if fitting and node.op == op_folder.name:
            taken = best([replace(each, preferred=True) for each in fitting])
            by_it = replace(node, kernel=replace(node.kernel, index=taken.index))
            case, _, kernel = _named(graph.tensors[node.outputs[0]].name, by_it, ops)
            yield case, kernel.removeprefix(f"{op_folder.name}:").partition(" of ")[0]


def on_host(op_folder: Path) -> bool:
    """True if this machine has kernels for all variants of the op, so that its test runs them."""
    return not any(variant.only_runtime for variant in loaded(op_folder).op.variants)


def _with_new_code(
    op_folder: Path, cases: tuple[Case, ...], some: Collection[str], board: str, seen: set[object]
) -> set[str]:
    """Names of the cases in `some` that bring a function to the op or a folder of its variants, or
    an element type to a function in a source file.

    A function has separate code for each combination of types, since macros differ. So have its
    forms, each of which some op brings; in one folder they differ in nothing else. For functions
    that move elements, types become integers of their width, for which the compiled code is equal.
    """
    ops, codes = known_beside(op_folder), defaultdict[str, set[object]](set)
    graph = _with_kernels(op_folder, cases, board)
    for node in graph.nodes:
        assert node.kernel is not None
        op, kernel = ops.kernel(node.op, node.kernel.types, node.kernel.index)
        source = kernel.header or (node.op, kernel.source)
        function = (source, kernel.function or kernel.name)
        of_case = codes[graph.tensors[node.outputs[0]].name.partition("/")[0]]
        of_case.add((cases, node.op, kernel.path.rpartition("/")[0], *function))
        form = (*function, *kernel.arguments, *sorted(kernel.defines.items()))
        seen_as = (t.size if op.variant.untyped else t for _, t in node.kernel.types)
        of_case |= {(form, at, each) for at, each in enumerate(seen_as)}
    kept = set()
    for name in (case.name for case in cases if case.name in some):
        kept |= set() if codes[name] <= seen else {name}
        seen |= codes[name]
    return kept


def _chosen(op_folder: Path, cases: tuple[Case, ...], board: str) -> _Chosen:
    """Triples (case, first output, kernel) of all nodes of the op."""
    mine = _offered(op_folder, cases, board)
    like = (each for each in (HOST, *PROVING) if _offered(op_folder, cases, each) == mine)
    return _chosen_there(op_folder, cases, next(like, board))


@cache
def _chosen_there(op_folder: Path, cases: tuple[Case, ...], board: str) -> _Chosen:
    graph, ops = _with_kernels(op_folder, cases, board), known_beside(op_folder)
    return frozenset(_named(graph.tensors[n.outputs[0]].name, n, ops) for n in graph.nodes)


@cache
def _offered(op_folder: Path, cases: tuple[Case, ...], board: str) -> frozenset[tuple[str, str]]:
    """Kernels that the board has for the cases' ops. Boards with equal kernels choose alike."""
    ops, features = known_beside(op_folder), features_of(board)
    graph = legal_cases(op_folder, cases)
    nodes = (*graph.nodes, *decompose(graph, ops, features).nodes)
    return frozenset(
        (name, kernel.path)
        for name in {node.op for node in nodes}
        for variant in ops[name].variants
        for kernel in variant.kernels
        if unavailable(kernel, features) is None
    )


@lru_cache(maxsize=1)  # called twice for a simulated device
def _with_kernels(op_folder: Path, cases: tuple[Case, ...], board: str) -> Graph:
    """Graph of a model of cases with the kernels that the board takes."""
    ops, features = known_beside(op_folder), features_of(board)
    graph = decompose(legal_cases(op_folder, cases), ops, features)
    choose = _choose(ops, cases, tuple((node.name, node.op) for node in graph.nodes))
    return spend_flash(select_kernels(graph, ops, features, choose=choose), ops, UNLIMITED)


@cache  # one board after the other asks for all ops
def _choose(ops: OpIndex, cases: tuple[Case, ...], nodes: tuple[tuple[str, str], ...]) -> Choose:
    """Function that chooses kernels for nodes of the cases on any board, planning each once."""
    return choose_on_cores()


def _named(output: str, node: Node, ops: OpIndex) -> tuple[str, str, str]:
    assert node.kernel is not None
    path = ops.kernel(node.op, node.kernel.types, node.kernel.index)[1].path
    types = " ".join(str(dtype) for _, dtype in node.kernel.types)
    return output.partition("/")[0], output, f"{node.op}:{path} of {types}"


def kernels_on(op_folder: Path, board: str) -> frozenset[str]:
    """Paths of the kernels of the op that the board could take."""
    features = features_of(board)
    variants = loaded(op_folder).op.variants
    return frozenset(
        kernel.path
        for variant in variants
        for kernel in variant.kernels
        if unavailable(kernel, features) is None
    )


def _has_kernels_of_device(op_folder: Path, board: str) -> bool:
    """True if a board's runtime has no device, or the op has kernels that run on it."""
    runtime = _runtime(board)
    kernels = (k for variant in loaded(op_folder).op.variants for k in variant.kernels)
    return runtime.device is None or any(kernel.runtime == runtime.name for kernel in kernels)


@cache
def features_of(board: str) -> frozenset[str]:
    """Features that kernels may use on the board."""
    return _runtime(board).features(load_board(board, BOARDS).core.features)


@cache
def _runtime(board: str) -> Runtime:
    return load_runtime(load_board(board, BOARDS).runtime, RUNTIMES)
