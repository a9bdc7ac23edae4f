"""Proves an op's claims about the order in which its kernels read and write: where its output may
lie over an input, and how images are made row by row.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.testing.changed_ops import has_portable_kernels, literal, reference_alone
from opsmith.testing.failures import hides
from opsmith.testing.known_ops import known_beside, loaded
from opsmith.testing.legal import for_kernels, legal
from opsmith.testing.op_cases import OUT
from opsmith.testing.overlap_cases import check_overlaps, tight_programs
from opsmith.testing.row_cases import check_rows
from opsmith.testing.traced_firmware import build_traced
from opsmith.tflite.cases import Case, merged_model

__tracebackhide__ = hides


def check_walks(op_folder: Path, cases: Sequence[Case], conan: str = "") -> None:
    """Fail where a kernel reads a byte that it overwrote, y as close to x as its plan allows."""
    of_these_cases = hashlib.sha256(merged_model(cases)).hexdigest()[:8]
    folder = OUT / f"{op_folder.name}_walks" / of_these_cases
    if programs := programs_of_walks(op_folder, cases):
        check_overlaps(build_traced(programs, folder, conan))


def programs_of_walks(op_folder: Path, cases: Sequence[Case]) -> list[tuple[Program, OpIndex]]:
    """Programs of cases with tensors as close as plans allow; none where no overlap is claimed."""
    ops, name = literal(known_beside(op_folder)), op_folder.name
    graph = for_kernels(legal(merged_model(cases), ops), ops, name)
    candidates = {f"{name}_walks": ops}
    if has_portable_kernels(ops, name):
        candidates[f"{name}_reference_walks"] = reference_alone(ops, name)
    return tight_programs(graph, candidates)


def claims_overlap(op_folder: Path) -> bool:
    """True if kernels of the op may let its only output lie over an input."""
    return len(loaded(op_folder).op.outputs) == 1


def check_row_by_row(op_folder: Path, cases: Sequence[Case]) -> None:
    """Fail unless images made row by row, as `streaming.rows` says, equal those made whole, and a
    case has an image.
    """
    ops = known_beside(op_folder)
    compared = check_rows(legal(merged_model(cases), ops), ops)
    assert compared, "no case has an image that can be made row by row"


def claims_rows(op_folder: Path) -> bool:
    """True if the op has a hook of its own for making images row by row."""
    typed = loaded(op_folder).typed.values()
    return any(op.hooks.streaming.rows is not None for op in typed)
