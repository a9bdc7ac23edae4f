"""Proves the kernels of many ops by one firmware for each board.

Starting the build, the linker and the emulator takes longer than the cases of most ops do.
`board_cases` decides which cases of which ops share a firmware.
"""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import ClassVar, Protocol

from opsmith.board.manifest import load_board
from opsmith.build_options import BuildOptions
from opsmith.emit.pack_weights import pack_weights
from opsmith.errors import ToolchainError
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration, compile_graph
from opsmith.select.choice import Preferences
from opsmith.testing import board_cases
from opsmith.testing.batch_firmware import is_emulated
from opsmith.testing.board_cases import cases_on, features_of, firmware_of, preferred_on
from opsmith.testing.board_programs import program_answers
from opsmith.testing.case_graphs import graph_of
from opsmith.testing.device_programs import device_answers
from opsmith.testing.differences import Results, assert_equal
from opsmith.testing.failures import cause, hides
from opsmith.testing.firmware import BOARDS, build, run
from opsmith.testing.host_programs import in_both_forms, in_general_forms
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import SHIPPED, known_beside
from opsmith.testing.legal import Oracle, legal
from opsmith.testing.op_cases import BOARD_SETS, PLENTY
from opsmith.testing.simulated_devices import examine, simulated, simulator
from opsmith.tflite.cases import Case, merged_model

__tracebackhide__ = hides

# Boards with only general forms of kernels. On the others, the first case of each kernel has an
# instance, and so has each case of ops that ask for it.
GENERAL_FORMS = ("mps2_an385",)
# Input sets for a simulated device, which interprets kernels: lowest and highest values, and two
# kinds of random values.
DEVICE_SETS = (0, 1, 6, 8)


class ProvedFirmware(Protocol):
    """Interface of an op's test class that check_together uses."""

    folder: ClassVar[Path]
    cases: ClassVar[Sequence[Case]]
    kernel_oracle: ClassVar[Oracle]
    boards: ClassVar[Sequence[str]]
    instances: ClassVar[bool]
    conan: ClassVar[str]


def check_together(
    own: type[ProvedFirmware], others: Sequence[type[ProvedFirmware]], board: str
) -> None:
    """Fail unless a firmware with the cases of all classes equals the oracle for those of `own`.

    If it cannot be built or run, a firmware of only the cases of `own` is tried, since others may
    be the cause.
    """
    root = own.folder.parent
    together = tuple(dict.fromkeys(each for each in (*others, own) if each.folder.parent == root))
    proofs = _answers(together, board)
    if isinstance(proofs, Exception):
        proofs = _alone(own, board)
    for proof in (proof for (each, _), proof in proofs.items() if each is own):
        # no results if another board or this machine has the same kernels for all cases
        if own.kernel_oracle == "none":
            assert len(proof.results) == len(proof.sets)
        else:
            results = proof.results, proof.wanted
            assert_equal(board, proof.oracle.outputs, *results, signs_of_nan=False)


def _alone(own: type[ProvedFirmware], board: str) -> Proofs:
    """Proofs by a firmware of one class's cases that is built as a user's is, whose rig reports
    errors. Fails also where that firmware is correct but the program of tests with these cases is
    not: in the latter kernels have other forms, and bytes beside tensors are painted.
    """
    proofs = _answers((own,), board, alone=True)
    assert not isinstance(proofs, Exception)
    if _compiled_directly((own,), board):
        error = _answers((own,), board)
        if isinstance(error, Exception):
            raise error
    return proofs


class _Proof:
    """Cases of one op for one board, with their inputs and expected outputs."""

    def __init__(self, own: type[ProvedFirmware], cases: Sequence[Case], board: str) -> None:
        self.cases = cases
        self.graph = graph_of(own.folder, cases, tuple(own.cases))
        self.oracle: Reference | NumpyReference
        if own.kernel_oracle in ("numpy", "none"):
            self.oracle = NumpyReference(self.graph, known_beside(own.folder))
        else:
            optimised = own.kernel_oracle == "optimised"
            self.oracle = Reference(merged_model(cases), optimised=optimised)
        self.sets = seeded_inputs(self.oracle.inputs, BOARD_SETS)
        if simulator(board).is_file() and not board_cases.EVERY_CASE:
            self.sets = [self.sets[number] for number in DEVICE_SETS]
        asked = self.sets if own.kernel_oracle != "none" else ()
        self.wanted = [self.oracle.run(each) for each in asked]
        self.results: Results = ()


Proofs = Mapping[tuple[type[ProvedFirmware], str], _Proof]  # by test class and preferred kernel


@cache
def _answers(
    together: tuple[type[ProvedFirmware], ...], board: str, alone: bool = False
) -> Proofs | Exception:
    """Proofs with the outputs of the firmware, or the exception that prevented them, which is
    raised where the firmware is built `alone`, as a user's is.
    """
    proofs = {(own, ""): _Proof(own, of_own, board) for own, of_own in _cases(together, board)}
    preferred: dict[tuple[type[ProvedFirmware], str], list[Case]] = {}
    for own in (each for each in together if not each.boards):
        for kernel, case in preferred_on(own.folder, tuple(own.cases), board):
            preferred.setdefault((own, kernel), []).append(case)
    proofs |= {(own, name): _Proof(own, some, board) for (own, name), some in preferred.items()}
    try:
        for part in _firmware(proofs, board, alone):
            _answer(part, board, alone)
    except (AssertionError, ToolchainError, subprocess.TimeoutExpired) as error:
        if alone:
            raise
        warnings.warn(f"{board}: no firmware of several ops: {cause(error)}", stacklevel=2)
        return error
    return proofs


def _firmware(proofs: Proofs, board: str, alone: bool) -> list[Proofs]:
    """Proofs grouped by firmware, since a build has only one `prefer=`."""
    if proofs and not alone and _compiled_directly((own for own, _ in proofs), board):
        return [proofs]
    names = dict.fromkeys(prefer for _, prefer in proofs)
    return [{key: p for key, p in proofs.items() if key[1] == name} for name in names]


def _answer(proofs: Proofs, board: str, alone: bool) -> None:
    """Run a firmware of all cases and store its outputs in each proof."""
    results = _run(proofs, board, alone)
    ends = [0, *accumulate(len(proof.oracle.outputs) for proof in proofs.values())]
    for proof, (start, end) in zip(proofs.values(), pairwise(ends), strict=True):
        proof.results = [each[start:end] for each in results]


def _cases(
    together: Sequence[type[ProvedFirmware]], board: str
) -> Iterator[tuple[type[ProvedFirmware], Sequence[Case]]]:
    """Test classes that have cases which the board runs, each with these cases.

    Code that several ops share is proved by one of them on a device; each proves all of it where
    the tests of one op run alone.
    """
    shared = len({own.folder for own in together}) > 1 and not board_cases.EVERY_CASE
    seen: set[object] | None = set() if shared else None
    for own in together:
        every = tuple(own.cases)
        if found := every if own.boards else cases_on(own.folder, every, board, seen):
            yield own, found


def _run(proofs: Proofs, board: str, alone: bool) -> Results:
    """Outputs of a firmware of all cases, for each set of inputs."""
    cases = {own: proof.cases for (own, _), proof in proofs.items()}
    sets = [
        [*chain.from_iterable(each)]
        for each in zip(*(p.sets for p in proofs.values()), strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        if not alone and _compiled_directly(cases, board):
            if simulator(board).is_file():
                ops = known_beside(next(iter(cases)).folder)
                graph = legal(merged_model(_every(cases)), ops)
                return device_answers(board, graph, ops, Path(folder), sets)
            outputs = [*chain.from_iterable(proof.oracle.outputs for proof in proofs.values())]
            programs = [
                _program(key, proof, board, number)
                for number, (key, proof) in enumerate(proofs.items())
            ]
            return program_answers(board, programs, Path(folder), sets, outputs)
        ((_, prefer), *_) = proofs
        return _built(cases, sets, board, Path(folder), alone, prefer)


def _compiled_directly(owns: Iterable[type[ProvedFirmware]], board: str) -> bool:
    """True if the firmware is compiled without SCons, which is not so for ops from elsewhere and
    for ops that require packages, since their builds do more.
    """
    ours = all(own.folder.resolve().is_relative_to(SHIPPED) and not own.conan for own in owns)
    return ours and (is_emulated(load_board(board, BOARDS)) or simulator(board).is_file())


def _every(cases: Mapping[type[ProvedFirmware], Sequence[Case]]) -> list[Case]:
    """Cases of all classes, under distinct names."""
    return [
        Case(f"{own.__name__}/{case.name}", case.build)
        for own, of_own in cases.items()
        for case in of_own
    ]


def _program(
    key: tuple[type[ProvedFirmware], str], proof: _Proof, board: str, number: int
) -> tuple[Program, OpIndex]:
    """Program of an op's cases, and the ops with which it is compiled."""
    own, prefer = key
    ops, name = known_beside(own.folder), own.folder.name
    graph = replace(proof.graph, name=f"{name}_{number}")
    room = BuildOptions(guards=True)  # space between tensors, which is painted
    arena = load_board(board, BOARDS).arena
    configuration = Configuration(
        features_of(board),
        arena=arena,
        options=room,
        preferences=Preferences(prefer=prefer),
        search=False,  # with such space the search seldom proves a plan smallest
    )
    program = compile_graph(graph, ops, configuration, name)
    program = replace(program, guards=False)
    if board in GENERAL_FORMS:
        return pack_weights(in_general_forms(program.graph), ops), ops
    if (own.instances and not prefer) or board_cases.EVERY_CASE:
        return program, ops
    return pack_weights(in_both_forms(program.graph), ops), ops


def _built(
    cases: Mapping[type[ProvedFirmware], Sequence[Case]],
    sets: Results,
    board: str,
    folder: Path,
    alone: bool,
    prefer: str,
) -> Results:
    """Outputs of a firmware of one model of all cases, built by SCons as a user's would be and run
    on the board's rig, which reports errors.
    """
    first = next(iter(cases)).folder
    outside = not first.resolve().is_relative_to(SHIPPED)
    preferences = {"ops": str(first.resolve().parent) if outside else ""}
    preferences |= {"prefer": prefer} if prefer else {}
    preferences["conan"] = ",".join(dict.fromkeys(own.conan for own in cases if own.conan))
    if alone or board not in GENERAL_FORMS:
        preferences["flash_budget"] = PLENTY
    if (outside or alone) and not simulator(board).is_file():
        preferences["guards"] = "1"  # detect nodes that write beside their tensors
    if simulator(board).is_file():  # run on the device, even if nodes are small
        preferences["affinity"] = f"*:{load_board(board, BOARDS).runtime}"
    model = folder / f"{first.name if alone else firmware_of(first, board)}_cases.tflite"
    model.write_bytes(merged_model(_every(cases)))
    with simulated(board):
        built = build(board, model, folder, **preferences)
        examine(board, built)
        return run(built, board, sets)
