"""Counts of how often each variant of each op was compared, and which variants too seldom."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from opsmith.op.describe import Variant
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.graphs.trial import Trial

ENOUGH = 50  # uses of a variant
MANY = 3000  # graphs after which each variant has as many
CALLS = ("CALL_ONCE", "IF", "WHILE")  # operators that are no ops


@dataclass
class Coverage:
    """Counts of compared nodes by op and variant, as `add i8`."""

    compared: Counter[str] = field(default_factory=Counter)  # with LiteRT
    apart: Counter[str] = field(default_factory=Counter)  # of numpy and C++ alone
    reasons: dict[str, str] = field(default_factory=dict)  # why these are apart

    def count(self, trial: Trial) -> None:
        """Count the nodes of a compared graph, except nodes that may not run."""
        tensors = trial.content.tensors
        apart = {tensors[index].name: reason for index, reason in trial.apart.items()}
        self.compared.update(each.op for each in trial.content.nodes if each.op in CALLS)
        always = {each for each in trial.graph.flow if isinstance(each, int)}
        for node in (each for each in trial.graph.nodes if each.block in always):
            name = variant_name(node.op, shipped_ops().of(trial.graph, node).variant)
            reason = apart.get(trial.graph.tensors[node.outputs[0]].name)
            if reason is None:
                self.compared[name] += 1
            else:
                self.apart[name] += 1
                self.reasons[name] = reason

    def seldom(self) -> Mapping[str, int]:
        """Variants that were compared less than `ENOUGH` times, and how often."""
        return {
            name: uses
            for name in (*_every_variant(), *CALLS)
            if (uses := self.compared[name] + self.apart[name]) < ENOUGH
        }


def variant_name(op: str, variant: Variant) -> str:
    """The variant of an op by its element types, as `add i8`."""
    return op + "".join(f" {each}" for each in variant.types.values())


def _every_variant() -> Iterator[str]:
    for name, found in sorted(shipped_ops().by_name.items()):
        for variant in found.op.variants:
            yield variant_name(name, variant)
