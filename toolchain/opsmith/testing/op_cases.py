"""Proves an op: its cases become one model, which numpy, this machine and boards run against
LiteRT.

Where LiteRT does not have the op, oracle="numpy" takes the op's `evaluate` for the definition. Op
folders outside of this repository can be proved, too; they know the shipped ops. `OpTests` in
op_tests.py makes pytest tests of the checks here.
"""

import hashlib
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.op.kernel import Plan, planned
from opsmith.op.node import view
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Detail, Reference
from opsmith.select.choice import Preferences, choose
from opsmith.testing.batch_firmware import answers
from opsmith.testing.changed_ops import literal
from opsmith.testing.checkout import ROOT
from opsmith.testing.differences import Results, assert_equal
from opsmith.testing.failures import hides
from opsmith.testing.host_firmware import HostFirmware, build_hosts
from opsmith.testing.host_programs import HostProgram, host_programs
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import SHIPPED, known_beside
from opsmith.testing.legal import Oracle, for_kernels, legal, oracle_of, part_of
from opsmith.tflite.cases import Case, merged_model

__tracebackhide__ = hides

RANDOM_SETS = 12  # random sets, besides the extremes
NUMPY_SETS = 6  # two of each kind, since formulas have no tails, and all elements are compared
QUICK = False  # whether numpy is compared with LiteRT for few cases and inputs
QUICK_CASES = 8
QUICK_SETS = 0, 1, 6, 8  # the lowest, the highest, random ones of two kinds
BOARD_SETS = 3  # random sets besides the extremes, since consoles are slow
OUT = ROOT / "build" / "op_tests"
Compiled = Sequence[tuple[HostProgram, HostFirmware]]
PLENTY = str(1 << 24)  # bytes of flash, so that every case gets an instance of its own


def numpy_reference(op_folder: Path, case: Case) -> NumpyReference:
    """Case as a NumpyReference, which computes its outputs."""
    ops = known_beside(op_folder)
    return NumpyReference(legal(merged_model([case]), ops), ops)


def ops_of(op_folder: Path, case: Case) -> list[str]:
    """Names of the ops into which a case is legalised, in order, before any is decomposed."""
    return [node.op for node in legal(merged_model([case]), known_beside(op_folder)).nodes]


def check_evaluate(op_folder: Path, cases: Sequence[Case], optimised: bool = False) -> None:
    """Fail unless the op's numpy `evaluate` equals LiteRT for every case, within its `ulps`."""
    if QUICK:
        cases = Random(op_folder.name).sample(cases, min(len(cases), QUICK_CASES))
    content = merged_model(cases)
    ops = known_beside(op_folder)
    numpy = NumpyReference(legal(content, ops), ops)
    litert = Reference(content, optimised=optimised)
    sets = seeded_inputs(litert.inputs, NUMPY_SETS)
    sets = [sets[number] for number in QUICK_SETS] if QUICK else sets
    results, wanted = ([each.run(values) for values in sets] for each in (numpy, litert))
    ulps, at = max((variant.ulps, variant.ulps_at) for variant in ops[op_folder.name].variants)
    assert_equal("numpy", litert.outputs, results, wanted, ulps, at)


def check_on_host(
    op_folder: Path,
    cases: Sequence[Case],
    opts: Sequence[str] = ("balanced",),
    oracle: Oracle = "litert",
    sets: Results | None = None,
    conan: str = "",
    made: Compiled | None = None,
) -> None:
    """Fail unless the kernels, compiled with sanitizers for this machine, equal the oracle.

    Inputs are `sets`, one after the other, or seeded ones; `conan` is as in builds, and `made` are
    programs that are compiled already, maybe with those of other ops.

    Views are computed rather than left in place, as are unchanging channels, so that the kernels
    for which the cases are meant do run: those that this machine takes, and the reference. An op
    with decompose= is proved both by its kernels and by the ops of its decomposition. All programs
    are one executable (`host_programs.py`).
    """
    content = merged_model(cases)
    numerics = "notebook" if oracle == "notebook" else ""
    made = _alone(op_folder, cases, opts, conan, numerics) if made is None else made
    reference = oracle_of(content, literal(known_beside(op_folder)), oracle)
    sets = seeded_inputs(reference.inputs, RANDOM_SETS) if sets is None else sets
    wanted = [reference.run(each) for each in sets]
    for each, firmware in made:
        results = firmware.run(_of_cases(reference.inputs, sets, each.cases))
        outputs = [detail for detail in reference.outputs if _case(detail) in each.cases]
        assert_equal(each.way, outputs, results, _of_cases(reference.outputs, wanted, each.cases))


def _alone(
    op_folder: Path, cases: Sequence[Case], opts: Sequence[str], conan: str, numerics: str
) -> Compiled:
    """Programs of the given cases as an executable of their own."""
    programs = programs_on_host(op_folder, cases, opts, numerics)
    of_these_cases = hashlib.sha256(merged_model(cases)).hexdigest()[:8] + numerics
    folder = OUT / op_folder.name / of_these_cases  # other tests run at the same time
    pairs = [(each.program, each.ops) for each in programs]
    ops = literal(known_beside(op_folder))
    made = build_hosts(pairs, ops, folder, sanitize=True, guarded=True, conan=conan)
    return [*zip(programs, made, strict=True)]


def programs_on_host(
    op_folder: Path,
    cases: Sequence[Case],
    opts: Sequence[str] = ("balanced", "size"),
    numerics: str = "",
) -> list[HostProgram]:
    """Programs that prove the kernels of the op for given cases."""
    content = merged_model(cases)
    ops = literal(known_beside(op_folder))
    names = [case.name for case in cases]

    def graph_of(some: Collection[str]) -> Graph:
        whole = legal(content, ops, numerics)
        found = whole if len(some) == len(names) else part_of(whole, some, names)
        alone = merged_model([case for case in cases if case.name in some])
        return found or legal(alone, ops, numerics)

    return host_programs(op_folder.name, names, graph_of, ops, opts)


def _of_cases(details: Sequence[Detail], sets: Results, cases: Collection[str]) -> Results:
    """Arrays of the tensors that belong to given cases, for each set."""
    return [
        [array for detail, array in zip(details, each, strict=True) if _case(detail) in cases]
        for each in sets
    ]


def _case(tensor: Detail) -> str:
    return tensor.name.partition("/")[0]


def check_on_board(
    op_folder: Path,
    cases: Sequence[Case],
    board: str,
    opt: str = "balanced",
    runtime: str = "",
    oracle: Oracle = "litert",
    sets: Results | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Fail unless a firmware, built by SCons as a user would, equals the oracle on a board.

    Inputs are `sets`, or seeded ones. `options` are further build options.
    """
    content = merged_model(cases)
    reference = oracle_of(content, known_beside(op_folder), oracle)
    sets = seeded_inputs(reference.inputs, BOARD_SETS) if sets is None else sets
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, f"{op_folder.name}_{opt}_cases.tflite")
        model.write_bytes(content)
        outside = not op_folder.resolve().is_relative_to(SHIPPED)
        ops = str(op_folder.resolve().parent) if outside else ""
        preferences = {"opt": opt, "runtime": runtime, "ops": ops, "flash_budget": PLENTY}
        preferences |= options
        results = answers(board, model, Path(folder), sets, reference.outputs, **preferences)
    wanted = [reference.run(each) for each in sets]
    assert_equal(f"{board}, opt={opt}", reference.outputs, results, wanted)


def check_coverage(op_folder: Path, cases: Sequence[Case], backend: Path | None = None) -> None:
    """Fail unless every kernel of each variant of the op has a case by some rule of numerics, or
    every kernel that a given backend brings.
    """
    ops = known_beside(op_folder, backend)
    op = ops[op_folder.name]
    rules = {rule for variant in op.variants for rule in variant.numerics}
    graphs = [
        for_kernels(legal(merged_model(cases), ops, rule), ops, op.name) for rule in ("", *rules)
    ]
    left = {
        (tuple(variant.types.items()), number): kernel
        for variant in op.variants
        for number, kernel in enumerate(variant.kernels)
        if backend is None or kernel.backend == backend.resolve()
    }
    assert left or backend is None, f"{backend} brings no kernel for {op.name}"
    pairs = ((graph, node) for graph in graphs for node in graph.nodes)
    for graph, node in (each for each in pairs if each[1].op == op.name):
        seen = ops.of(graph, node)
        types = tuple(seen.variant.types.items())
        for kernel in [kernel for (of, _), kernel in left.items() if of == types]:
            prefer, features = Preferences(prefer=kernel.name), frozenset(kernel.requires)
            if isinstance(planned(view(graph, node, seen), kernel, features), Plan):
                choice = choose(graph, node, seen, features, prefer)
                left.pop((choice.types, choice.index), None)
    for (types, _), kernel in left.items():
        what = f"'{kernel.path}' for {', '.join(str(dtype) for _, dtype in types)}"
        raise AssertionError(f"no case reaches the kernel {what}")


def check_rejected(op_folder: Path, case: Case, code: str, sentence: str) -> None:
    """Fail unless a case is refused with a given code, in words that contain the sentence."""
    answers = _refusals(op_folder, merged_model([case]))
    assert any(c == code and sentence in what for c, what in answers), (
        f"{case.name}: wanted {code} '{sentence}', got {answers or 'no error'}"
    )


def _refusals(op_folder: Path, content: bytes) -> list[tuple[str, str]]:
    """Pairs (code, sentence) of each problem that reading a model reports."""
    try:
        legal(content, known_beside(op_folder))
    except ToolchainError as error:
        return [(problem.code, problem.what) for problem in error.problems]
    return []
