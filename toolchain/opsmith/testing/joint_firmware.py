"""Prove the kernels of many ops by one firmware for each board.

Starting the build, the linker and the emulator takes longer than the cases of most ops do. Which
ops share a firmware follows from their names, so that all their tests can go to one process, as
`scheduling` has it.

A board runs the cases for which it takes kernels that neither this machine takes, whose programs
have all cases, nor a board before it in `PROVING`; and one for each kernel that it takes at all.
"""

from __future__ import annotations

import subprocess
import tempfile
import warnings
import zlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from itertools import accumulate, chain, pairwise, takewhile
from pathlib import Path
from typing import ClassVar, Protocol

from opsmith.board.manifest import load_board
from opsmith.board.runtime import Runtime, load_runtime
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.ir import KernelChoice
from opsmith.legalize.decompose import decompose
from opsmith.modules import load_function
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import UNLIMITED, spend_flash
from opsmith.testing.batch_firmware import answers
from opsmith.testing.differences import Results, assert_equal
from opsmith.testing.firmware import BOARDS, build, run
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import SHIPPED, known_beside, loaded
from opsmith.testing.legal import Oracle, legal, oracle_of
from opsmith.testing.op_cases import (
    BOARD_SETS,
    PLENTY,
    Case,
    merged_model,
)

# Each board that proves kernels -> how many firmware the ops are dealt to. One more takes a second
# of processor time or two, whatever its cases are; several are built at the same time.
PROVING = {"mps2_an386": 3, "mps2_an385": 1, "mps3_an547": 2, "host_gpu": 2}
# Boards with general forms of kernels, which the budget of a user's build leaves to nearly all of
# the cases. On the others each case has an instance of its own and takes twice as long to compile.
GENERAL_FORMS = ("mps2_an385",)
EVERY_CASE = False  # on each board, as `pytest --every-case` has it; also on a simulated device
HOST = "host"  # proved by `check_on_host`


def device_of(board: str) -> AbstractContextManager[None]:
    """What plays the device of the board's runtime meanwhile, where it has one: `simulated()` of
    the runtime's simulator.py.
    """
    file = simulator(board)
    if not file.is_file():
        return nullcontext()
    found: AbstractContextManager[None] = load_function(file, "simulated", "OPS002")()
    return found


@cache
def simulator(board: str) -> Path:
    """What plays the device of the board's runtime in tests, where there is such a module."""
    return HOME / "runtimes" / load_board(board, BOARDS).runtime / "simulator.py"


def absent_device(board: str) -> str:
    """Why a board's runtime cannot run here; empty where it can."""
    file = simulator(board)
    return load_function(file, "absent", "OPS002")() if file.is_file() else ""


def examine(board: str, built: Path) -> None:
    """Fail where something is wrong with a program that its device does not tell: `examine()` of
    the runtime's simulator.py.
    """
    if (file := simulator(board)).is_file():
        load_function(file, "examine", "OPS002")(built)


class Proved(Protocol):
    """The class of an op's tests."""

    folder: ClassVar[Path]
    cases: ClassVar[Sequence[Case]]
    kernel_oracle: ClassVar[Oracle]
    boards: ClassVar[Sequence[str]]
    conan: ClassVar[str]


def boards_of(op_folder: Path) -> list[str]:
    """The boards that have a kernel of the op each which no board before them takes."""
    found: list[str] = []
    taken: list[frozenset[str]] = []
    for board in PROVING:
        kernels = _kernels_on(op_folder, board)
        if kernels and kernels not in taken and _has_kernels_of_device(op_folder, board):
            found.append(board)
            taken.append(kernels)
    return found


def firmware_of(op_folder: Path, board: str) -> str:
    """The name of the firmware that the op's cases are in: equal for ops that share one."""
    return f"{board}_{zlib.crc32(op_folder.name.encode()) % PROVING.get(board, 1)}"


def check_together(own: type[Proved], others: Sequence[type[Proved]], board: str) -> None:
    """Fail unless a firmware with the cases of all these equals the oracle for those of `own`.

    Where it cannot be built or does not run, those of `own` are alone in one: it may not be theirs.
    """
    root = own.folder.parent
    together = tuple(dict.fromkeys(each for each in (*others, own) if each.folder.parent == root))
    proofs = _answers(together, board) or _answers((own,), board, alone=True)
    assert proofs is not None
    if own in proofs:  # else another board takes the same kernels for all cases
        proof = proofs[own]
        if own.kernel_oracle == "none":
            assert len(proof.results) == len(proof.sets)
        else:
            assert_equal(board, proof.oracle.outputs, proof.results, proof.wanted)


class _Proof:
    """The cases of one op for one board, what they are given and what they must answer."""

    def __init__(self, own: type[Proved], cases: Sequence[Case]) -> None:
        content = merged_model(cases)
        self.oracle = oracle_of(content, known_beside(own.folder), own.kernel_oracle)
        self.sets = seeded_inputs(self.oracle.inputs, BOARD_SETS)
        asked = self.sets if own.kernel_oracle != "none" else ()
        self.wanted = [self.oracle.run(each) for each in asked]
        self.results: Results = ()


@cache
def _answers(
    together: tuple[type[Proved], ...], board: str, alone: bool = False
) -> Mapping[type[Proved], _Proof] | None:
    """What the firmware answers for each; None where it does not, unless it is of one op alone."""
    cases = {
        own: list(own.cases) if own.boards else cases_on(own.folder, tuple(own.cases), board)
        for own in together
    }
    cases = {own: of_own for own, of_own in cases.items() if of_own}
    proofs = {own: _Proof(own, of_own) for own, of_own in cases.items()}
    try:
        results = _run(cases, proofs, board, alone) if proofs else ()
    except (AssertionError, ToolchainError, subprocess.TimeoutExpired) as error:
        if alone:
            raise
        warnings.warn(f"{board}: no firmware of several ops: {error}", stacklevel=2)
        return None
    ends = [0, *accumulate(len(proof.oracle.outputs) for proof in proofs.values())]
    for proof, (start, end) in zip(proofs.values(), pairwise(ends), strict=True):
        proof.results = [each[start:end] for each in results]
    return proofs


def _run(
    cases: Mapping[type[Proved], Sequence[Case]],
    proofs: Mapping[type[Proved], _Proof],
    board: str,
    alone: bool,
) -> Results:
    """What a firmware of all these cases answers.

    That of one op alone runs on the board's rig, as a user's would, and so tells what went wrong.
    """
    first = next(iter(cases)).folder
    outside = not first.resolve().is_relative_to(SHIPPED)
    preferences = {"ops": str(first.resolve().parent) if outside else ""}
    preferences["conan"] = ",".join(dict.fromkeys(own.conan for own in cases if own.conan))
    if alone or board not in GENERAL_FORMS:
        preferences["flash_budget"] = PLENTY
    if simulator(board).is_file():  # on the device, however small the nodes are
        preferences["affinity"] = f"*:{load_board(board, BOARDS).runtime}"
    every = [
        Case(f"{own.__name__}/{case.name}", case.build)
        for own, of_own in cases.items()
        for case in of_own
    ]
    sets = [
        [*chain.from_iterable(each)]
        for each in zip(*(p.sets for p in proofs.values()), strict=True)
    ]
    outputs = [*chain.from_iterable(proof.oracle.outputs for proof in proofs.values())]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, f"{first.name if alone else firmware_of(first, board)}_cases.tflite")
        model.write_bytes(merged_model(every))
        with device_of(board):
            if alone or simulator(board).is_file():
                built = build(board, model, Path(folder), **preferences)
                examine(board, built)
                return run(built, board, sets)
            return answers(board, model, Path(folder), sets, outputs, **preferences)


def cases_on(op_folder: Path, cases: tuple[Case, ...], board: str) -> list[Case]:
    """The cases for which the board takes a kernel that is not proved before it for them.

    And one for each kernel that it takes at all: for another core it is other machine code. A
    simulated device takes long, and runs just these unless every case is asked for.
    """
    before = takewhile(lambda name: name != board, PROVING) if board in PROVING else ()
    earlier = [name for name in before if _kernels_on(op_folder, name)]
    earlier += [HOST] if board in PROVING and on_host(op_folder) else []
    if not earlier or (EVERY_CASE and not simulator(board).is_file()):
        return list(cases)
    content = merged_model(cases)
    taken = _chosen(op_folder, content, board)
    first: dict[str, str] = {}
    for case in cases:
        for kernel in sorted(kernel for name, _, kernel in taken if name == case.name):
            first.setdefault(kernel, case.name)
    kept = set(first.values())
    if EVERY_CASE or not simulator(board).is_file():
        known = set().union(*(_chosen(op_folder, content, each) for each in earlier))
        kept |= {case for case, _, _ in taken - known}
    return [case for case in cases if case.name in kept]


def on_host(op_folder: Path) -> bool:
    """Whether this machine has kernels for all variants of the op, so that its test runs them."""
    return not any(variant.only_runtime for variant in loaded(op_folder).op.variants)


@cache
def _chosen(op_folder: Path, content: bytes, board: str) -> frozenset[tuple[str, str, str]]:
    """(case, first output, kernel) of all nodes of the op."""
    ops, features = known_beside(op_folder), _features(board)
    graph = decompose(legal(content, ops), ops, features)
    graph = spend_flash(select_kernels(graph, ops, features), ops, UNLIMITED)
    return frozenset(_named(graph.tensors[n.outputs[0]].name, n.kernel) for n in graph.nodes)


def _named(output: str, kernel: KernelChoice | None) -> tuple[str, str, str]:
    assert kernel is not None
    types = " ".join(str(dtype) for _, dtype in kernel.types)
    return output.partition("/")[0], output, f"{kernel.name} of {types}"


def _kernels_on(op_folder: Path, board: str) -> frozenset[str]:
    """The kernels of the op that the board could take."""
    features = _features(board)
    variants = loaded(op_folder).op.variants
    return frozenset(
        kernel.path
        for variant in variants
        for kernel in variant.kernels
        if set(kernel.requires) <= features and not set(kernel.excludes) & features
    )


def _has_kernels_of_device(op_folder: Path, board: str) -> bool:
    """Whether a board whose runtime has a device has kernels of the op that run on it."""
    runtime = _runtime(board)
    kernels = (k for variant in loaded(op_folder).op.variants for k in variant.kernels)
    return runtime.device is None or any(kernel.runtime == runtime.name for kernel in kernels)


@cache
def _features(board: str) -> frozenset[str]:
    return _runtime(board).features(load_board(board, BOARDS).core.features)


@cache
def _runtime(board: str) -> Runtime:
    return load_runtime(load_board(board, BOARDS).runtime, HOME / "runtimes")
