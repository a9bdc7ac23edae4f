"""Reference values: those of LiteRT; node by node, where LiteRT is wrong or cannot run a model.

`expected` gives the final values of tensors, `recorded` the outputs of each node in every run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.tflite.departures import KEPT
from opsmith.ir import Array, Numerics
from opsmith.ir.flow import STRAIGHT
from opsmith.oracle.bounded import Died, bounded
from opsmith.oracle.by_node import NodeByNode, Note, Oracles, note_lines, reason
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.flow import Recorded, is_straight
from opsmith.oracle.litert import Reference, Subgraph
from opsmith.oracle.litert_runs import NO_REFERENCE, check_departures, litert_runs
from opsmith.oracle.numpy_runs import Walked, as_stored, delegated, numpy_runs, numpy_values
from opsmith.oracle.question import Question
from opsmith.oracle.rules import TITLES as RULE_TITLES
from opsmith.oracle.rules import answers, cannot_answer
from opsmith.text import escaped

Of = TypeVar("Of")
LITERT, NUMPY, BOTH = "litert", "numpy", "both"
CANNOT = "LiteRT cannot run this model"
HIDDEN = "whose oracle hides what is between nodes"
TITLES = {LITERT: "LiteRT", NUMPY: "the numpy models"}


@dataclass(frozen=True)
class Expected(Generic[Of]):
    """Reference values, their oracle, and the reason why it is not LiteRT."""

    by: str  # 'litert', 'numpy', 'both' (node by node), or the title of another target
    remark: str  # 'LiteRT cannot run this model: …', or ''
    values: Of
    notes: tuple[Note, ...] = ()  # about nodes with another reference than LiteRT's

    def lines(self, report: Mapping[str, Any]) -> list[str]:
        """Lines of notes on nodes and, for branches or loops, on LiteRT's way of running them."""
        kept = self.by == LITERT and not is_straight(report["flow"])
        return [*note_lines(self.notes), *([f"  {KEPT.text}"] if kept else [])]

    @property
    def title(self) -> str:
        """Name of the oracle of the values, in words."""
        if self.by != BOTH:
            return TITLES.get(self.by, self.by)
        if any(note.numpy for note in self.notes):
            return "LiteRT and numpy"
        return "LiteRT node by node" if self.remark else "LiteRT"

    @property
    def sound(self) -> bool:
        """True if each node that may differ from LiteRT is as close to it as its op declares."""
        return not any(note.wrong for note in self.notes)


def expected(
    asked: Question,
    by: str = "",
    agrees: Callable[[Mapping[str, Array]], bool] = lambda values: True,
) -> Expected[Mapping[str, Array]]:
    """Values of tensors by LiteRT or, where LiteRT cannot run the model, node by node.

    `by` names an oracle that must be used. Where LiteRT's values fail `agrees`, each node that
    LiteRT gets wrong is taken from numpy. A tensor that the oracle does not have is not among the
    values. Raises RIG02x, OPS040 and OPS041.
    """
    rule = Numerics(asked.reading.numerics or Numerics.REFERENCE)
    if rule != Numerics.REFERENCE and not by:
        return _by_rule(rule, asked)
    return _expected(asked, by, litert_values, numpy_values, agrees)


def recorded(
    asked: Question, by: str = "", agrees: Callable[[Recorded], bool] = lambda values: True
) -> Expected[Recorded]:
    """Values that all nodes write to given tensors in every run, by the oracle of `expected`."""
    rule = Numerics(asked.reading.numerics or Numerics.REFERENCE)
    if rule != Numerics.REFERENCE and not by:
        values = _in_time(asked, NUMPY, lambda: numpy_runs(asked))
        return Expected(NUMPY, f"by numerics={rule}: {HIDDEN}", values)
    return _expected(asked, by, _litert_record, numpy_runs, agrees)


def _expected(
    asked: Question,
    by: str,
    litert: Callable[[Question], Of],
    numpy: Callable[[Question, Walked], Of],
    agrees: Callable[[Of], bool],
) -> Expected[Of]:
    """LiteRT's values where they are right, else those of each node by LiteRT or numpy."""
    if by == NUMPY:
        return Expected(NUMPY, "", _in_time(asked, NUMPY, lambda: numpy(asked, Evaluator)))
    only = by == LITERT
    whole, failure = None, None
    try:
        whole = Expected(LITERT, "", _in_time(asked, LITERT, lambda: litert(asked)))
        if only or agrees(whole.values):
            return whole
    except ToolchainError as error:
        if error.problems[0].code not in ("RIG020", *(() if only else (NO_REFERENCE,))):
            raise
        failure = error
    try:
        nodes = _node_by_node(asked, numpy, failure)
    except ToolchainError as error:
        if whole is not None:
            return whole
        if only or error.problems[0].code != "RIG020":  # RIG020: LiteRT has died
            raise
        values = _in_time(asked, NUMPY, lambda: numpy(asked, Evaluator))
        return Expected(NUMPY, _remark(failure), values)
    if failure is not None and only and nodes.title != TITLES[LITERT]:
        raise failure
    return nodes if whole is None or nodes.notes else whole


def _by_rule(rule: Numerics, asked: Question) -> Expected[Mapping[str, Array]]:
    """Outputs by the rule's oracle, and tensors that it hides by numpy; all by numpy where the
    oracle does not run here, or leaves nodes of the rule to other kernels.
    """
    values, remark = _in_time(asked, NUMPY, lambda: numpy_values(asked)), cannot_answer(rule)
    if remark:
        return Expected(NUMPY, f"by numerics={rule}, as {remark}", values)
    try:
        own = answers(rule, asked, partial(delegated, asked))
    except ToolchainError as error:
        return Expected(NUMPY, f"by numerics={rule}, as {error.problems[0].what}", values)
    return Expected(RULE_TITLES[rule], "", {**values, **own})


def _node_by_node(
    asked: Question, numpy: Callable[[Question, Walked], Of], failure: ToolchainError | None
) -> Expected[Of]:
    """Values of each node by the oracle that is right for the node."""

    def run() -> tuple[Of, tuple[Note, ...], bool]:
        oracles = Oracles(asked.model, as_stored(asked))
        values = numpy(asked, partial(NodeByNode, oracles=oracles))
        return values, tuple(oracles.notes.values()), bool(oracles.asked)

    values, notes, by_litert = _in_time(asked, NUMPY, run)
    explained = notes and failure is not None and failure.problems[0].code != NO_REFERENCE
    remark = "" if explained else _remark(failure)
    if by_litert:
        return Expected(BOTH, remark.replace(CANNOT, "as a whole LiteRT fails"), values, notes)
    return Expected(NUMPY, remark, values, notes)


def _remark(failure: ToolchainError | None) -> str:
    """Reason why LiteRT as a whole is no reference, in words."""
    if failure is None:
        return ""
    problem = failure.problems[0]
    if problem.code == NO_REFERENCE:
        return escaped(problem.what)
    return escaped(f"{CANNOT}: {reason(failure)}")


def _in_time(asked: Question, by: str, run: Callable[[], Of]) -> Of:
    """Result of an oracle. Raises RIG026 where it takes too long, RIG020 where it crashes."""
    where = escaped(str(asked.model))
    try:
        return bounded(run, asked.deadline.reference())
    except TimeoutError:
        seconds = asked.deadline.seconds
        what = f"{TITLES[by]} did not run the model in what was left of {seconds:g} s"
        fix = "look for a loop that never ends, give an input with fewer passes (input=FILE.npz), "
        fix += "or allow more with timeout=SECONDS"
        raise ToolchainError.of("RIG026", what, where=where, fix=fix) from None
    except Died as error:
        what, fix = f"{TITLES[by]} cannot run the model: {error}", "run it on another machine"
        raise ToolchainError.of("RIG020", what, where=where, fix=fix) from error


def litert_values(asked: Question) -> dict[str, Array]:
    """Values by LiteRT of those wanted tensors that the file has. Raises RIG020, RIG024."""
    found = as_stored(asked).sound()
    check_departures(asked.model, found)
    # tensors that are one in the graph: the others are copies of the first
    number = {ident: index for index, ident in reversed([*enumerate(found.ids)])}
    ends = (tuple(number[n] for n in names) for names in (found.graph.inputs, found.graph.outputs))
    shapes = [np.shape(each) for each in asked.inputs]
    reference = Reference(asked.model, subgraph=Subgraph(found.subgraph, *ends), shapes=shapes)
    own = dict(zip(found.graph.outputs, reference.run(list(asked.inputs)), strict=True))
    return {
        ident: own[ident] if ident in own else reference.tensor(number[ident])
        for ident in asked.wanted
        if ident in number
    }


def _litert_record(asked: Question) -> Recorded:
    found = as_stored(asked).sound()
    if found.graph.flow != STRAIGHT:
        return litert_runs(asked.model, found, asked.inputs, asked.deadline.keep)
    return {(0, name, 0): [value] for name, value in litert_values(asked).items()}
