"""Quantised ops at the boundaries of their rounding, compared with the oracle of their rule.

`python -m tests.fuzz.boundaries --count=2000 --seed=1 --numerics=notebook`. A trial takes a variant
of an op, a use of it in the op's own tests, and other scales, zero points and biases: next to where
an element steps (`boundary_search.py`), or degenerate. All outputs in numpy must equal the
oracle's; for some trials those of the compiled kernels, too.
"""

import argparse
import contextlib
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.ir import Graph, Numerics
from opsmith.legalize.numerics import not_reproduced
from opsmith.oracle.rules import cannot_answer
from opsmith.testing.differences import assert_equal
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelSubgraph, ModelTensor
from tests.fuzz.boundary_search import at_steps_of_biases, at_steps_of_scales, requantised
from tests.fuzz.boundary_uses import Use, chosen, unserved, variants
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.campaign import described
from tests.fuzz.graphs.defined import defined
from tests.fuzz.graphs.targets import Host
from tests.fuzz.graphs.trial import Trial, detail, legal, options
from tests.fuzz.models.oracle import NotRun, Ran, Results, oracle
from tests.fuzz.trials import Limits, command

LIMITS = Limits(seconds=120.0, mebibytes=1024)
ATTEMPTS = 6  # at a step
ELEMENTS = 2048  # of an input, in all sets together
SETS = range(6, 33)
FLOATS = 50.0  # the largest of an input
COMPILED = 1 / 64  # of trials
DEGENERATE = (0.0, 1e-45, 1e-39, 1.2e-38, 3e-35, 1e-20, 1e20, 1e38, float("inf"), float("nan"))
WILD = (1e-9, 1e-5, 1.0, 1e3)  # scales of channels
EQUAL = "equal"
NUMBER = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?|\binf\b|\bnan\b")


@dataclass
class Boundaries:
    """Runner of trials that counts how often each variant was compared."""

    compared: Counter[str] = field(default_factory=Counter)
    compiled: float = COMPILED
    rule: Numerics = Numerics.REFERENCE

    def trial(self, chance: random.Random, folder: Path) -> str:
        """Kind of quantisation in a trial, and its outcome. Raises AssertionError where an output
        differs.
        """
        name, use = chosen(chance)
        sets = inputs_of(chance, use.content)
        kind, changed = _changed(chance, use.content, sets, self.rule)
        compiled = chance.random() < self.compiled
        outcomes = [
            outcome(use, each, sets, folder, compiled=compiled, rule=self.rule) for each in changed
        ]
        self.compared[name] += outcomes.count(EQUAL)
        return f"{kind}: {next((each for each in outcomes if each != EQUAL), EQUAL)}"


def outcome(
    use: Use,
    content: ModelSubgraph,
    sets: Results,
    folder: Path,
    *,
    compiled: bool = False,
    rule: Numerics = Numerics.REFERENCE,
) -> str:
    """Outcome of a graph made from an op's use. Raises AssertionError where an output differs."""
    (folder / "model.tflite").write_bytes(model(content))
    asked = {"optimised": use.optimised} if rule == Numerics.REFERENCE else options(rule, content)
    answer = _litert()((model(content), sets, asked))
    try:
        graph = legal(model(content), "boundary", rule)
    except ToolchainError as error:
        how = "LiteRT answers" if isinstance(answer, Ran) else f"LiteRT {answer.how}"
        problem = error.problems[0]
        return f"refused, {how}: {problem.code} {NUMBER.sub('N', problem.what)[:150]}"
    if any(not_reproduced(graph, rule, shipped_ops())):
        return "the rule is not reproduced"
    if not isinstance(answer, Ran):
        return f"LiteRT {answer.how}: {NUMBER.sub('N', answer.text)[:150]}"
    used, ours = defined(graph, sets, ())
    if not used or _beyond_int32(graph, sets):
        return "LiteRT's result is undefined"
    given, wanted = ([each[i] for i in used] for each in (sets, answer.results))
    found = Trial(0, content, graph, {}, given, wanted, ours)
    _check("numpy", found, ours)
    if compiled and content.inputs:
        for way in (each for each in Host(folder).ways if not each.prefer):
            _check("C++", found, Host(folder).answers([found], way)[0].results)
    return EQUAL


def _beyond_int32(graph: Graph, sets: Results) -> bool:
    """Whether LiteRT converts reals for the tables of a node that may be no int32."""
    (node,) = graph.nodes
    y = graph.tensors[node.outputs[0]]
    kernels = shipped_ops().of(graph, node).variant.kernels
    tables = any("::lookup::" in each.function for each in kernels)
    if y.quantization is None or not tables:
        return False
    coarse = replace(y.quantization, scales=(y.scale * 2.0 ** (30 - 8 * y.dtype.size),))
    changed = {**graph.tensors, y.id: replace(y, quantization=coarse)}
    try:
        _, results = defined(replace(graph, tensors=changed), sets, ())
    except ToolchainError:  # of a scale that the op does not take
        return False
    ends = [end for end in y.dtype.limits if end != y.zero_point]
    return any((each == end).any() for (each,) in results for end in ends)


def _check(by: str, trial: Trial, results: Results) -> None:
    if not trial.equal(results):
        details = [detail(trial.content.tensors[index]) for index in trial.content.outputs]
        try:
            assert_equal(by, details, results, trial.wanted)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{described(trial.content)}") from None


@cache
def _litert() -> Callable[..., Ran | NotRun]:
    return oracle()


def inputs_of(chance: random.Random, content: ModelSubgraph) -> Results:
    """Sets of inputs, the first of which are random; more sets where inputs are small."""
    details = [detail(content.tensors[index]) for index in content.inputs]
    largest = max((math.prod(each.shape) for each in details), default=1)
    count = min(max(ELEMENTS // max(largest, 1), SETS[0]), SETS[-1])
    found = seeded_inputs(details, count, chance.getrandbits(32))
    small = [[x.clip(-FLOATS, FLOATS) if x.dtype.kind == "f" else x for x in s] for s in found]
    return [*small[-count:], *small[:-count]]


def _changed(
    chance: random.Random, content: ModelSubgraph, sets: Results, rule: Numerics
) -> tuple[str, Sequence[ModelSubgraph]]:
    """Kind of special quantisation, and the graphs that have it, at least one."""
    if chance.random() < 0.25:
        return "a degenerate scale", [_degenerate(chance, content)]
    searches = {"a step of scales": at_steps_of_scales, "steps of biases": at_steps_of_biases}
    for attempt in range(ATTEMPTS):
        kind, search = chance.choice([*searches.items()])
        with contextlib.suppress(ToolchainError):  # of a quantisation that the op does not take
            other = requantised(chance, content, 1 - attempt / (ATTEMPTS - 1))
            if found := [*search(chance, other, sets[0], rule)]:
                return kind, found
    return "no step", [requantised(chance, content)]


def _degenerate(chance: random.Random, content: ModelSubgraph) -> ModelSubgraph:
    """Graph with a scale, or scales of channels, that no converter should give."""
    tensor = chance.choice([each for each in content.tensors if each.scale])
    choices = WILD if len(tensor.scale) > 1 and chance.random() < 0.7 else DEGENERATE
    alike, one_channel = chance.random() < 0.5, chance.random() < 0.5
    scales = [chance.choice(choices) for _ in tensor.scale]
    if one_channel:
        number = chance.randrange(len(scales))
        scales = [*tensor.scale[:number], scales[number], *tensor.scale[number + 1 :]]

    def with_scales(t: ModelTensor) -> ModelTensor:
        same = alike and (t.scale, t.zero_point) == (tensor.scale, tensor.zero_point)
        return replace(t, scale=tuple(scales)) if same or t is tensor else t

    return replace(content, tensors=[with_scales(each) for each in content.tensors])


def main(argv: Sequence[str]) -> int:
    """Run the command line; returns 1 when a trial failed."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--numerics", type=Numerics, default=Numerics.REFERENCE)
    given, others = parser.parse_known_args(argv)
    if why := cannot_answer(given.numerics):
        parser.error(why)
    campaign = Boundaries(rule=given.numerics)
    again = f"--numerics={given.numerics}"
    status = command("boundaries", campaign.trial, LIMITS, others, again)
    compared = [name for name in variants() if campaign.compared[name]]
    print(f"{len(compared)} of {len(variants())} variants were compared")
    for reason, names in unserved().items():
        print(f"{len(names)} are not served, {reason}: {', '.join(names)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
