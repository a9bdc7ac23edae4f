"""Problems of a model's nodes, grouped so that a problem of many nodes is reported once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from opsmith.errors import Problem, listed, printable
from opsmith.legalize.kinds import ModelKind

_LONGEST = 400  # characters of a sentence


@dataclass(frozen=True)
class Finding:
    """Problem of one node; `problem.where` is the source of the node."""

    problem: Problem
    kind: ModelKind | None = None  # kind of the model, if that is the problem


def problems_of(findings: Sequence[Finding], model: str) -> Iterator[Problem]:
    """Problems grouped by kind of model, or by sentence, each with the nodes that it concerns."""
    groups: dict[tuple[str, ModelKind | str], list[Problem]] = {}
    for each in findings:
        problem = each.problem
        groups.setdefault((problem.code, each.kind or problem.what), []).append(problem)
    for (_, title), group in groups.items():
        what, fix = "; ".join(dict.fromkeys(problem.what for problem in group)), group[0].fix
        if isinstance(title, ModelKind):
            what, fix = f"{title.name} is not supported: {what}", title.fix
        where = f"{model}: {listed(problem.where for problem in group)}"
        yield _shown(replace(group[0], what=what, where=where, fix=fix))


def _shown(problem: Problem) -> Problem:
    """Problem with its text escaped, since names and values of options come from the model."""
    what = printable(problem.what)
    return replace(problem, what=what if len(what) <= _LONGEST else f"{what[:_LONGEST]}…")
