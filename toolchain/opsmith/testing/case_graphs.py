"""Legal graph of an op's cases, read once for all boards, and its parts for some of the cases."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from opsmith.ir import Graph
from opsmith.op.index import OpIndex
from opsmith.testing.known_ops import known_beside, shipped_ops
from opsmith.testing.legal import legal, part_of
from opsmith.tflite.cases import Case, merged_model


def graph_of(op_folder: Path, cases: Sequence[Case], every: Sequence[Case]) -> Graph:
    """Legal graph of some cases of an op, as `legal` reads it from their merged model, except for
    names of nodes. It is a part of the graph of `every` case, if that has one.
    """
    whole = legal_cases(op_folder, tuple(every))
    if len(cases) == len(every):
        return whole
    found = part_of(whole, {case.name for case in cases}, {case.name for case in every})
    return legal_cases(op_folder, tuple(cases)) if found is None else found


def legal_cases(op_folder: Path, cases: tuple[Case, ...]) -> Graph:
    """Legal graph of a model of given cases."""
    ops = known_beside(op_folder)
    # Ops that are not shipped may be edited meanwhile.
    return _kept(cases, ops) if ops is shipped_ops() else legal(merged_model(cases), ops)


@cache
def _kept(cases: tuple[Case, ...], ops: OpIndex) -> Graph:
    return legal(merged_model(cases), ops)
