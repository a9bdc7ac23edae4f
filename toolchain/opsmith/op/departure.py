"""Deliberate differences from the results of LiteRT."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from opsmith.ir import Array
from opsmith.op.view import NodeView

NO_KERNEL = "has no kernel"


@dataclass(frozen=True)
class Departure:
    """A deliberate difference from LiteRT, in clauses for builds, `run` and the manual."""

    where: str  # which nodes or models it is about: "int8 and int16"
    litert: str  # what LiteRT does there: "reads the elements as uint8"
    instead: str  # what is right, and whose it is: "sums of int8, as in TensorFlow Lite Micro"
    # (node, inputs) -> whether it is about an op's node that is given these values; None: always
    when: Callable[[NodeView, Sequence[Array]], bool] | None = field(default=None, compare=False)
    fails: bool = False  # LiteRT ends with an error, which tells where it is; `when` is not asked

    @property
    def text(self) -> str:
        """Clauses of the departure as one text."""
        return f"{self.where}: LiteRT {self.litert}; here it is {self.instead}"

    @property
    def always(self) -> bool:
        """True if the departure concerns a node whatever the values of its inputs."""
        return self.litert == NO_KERNEL or not (self.fails or self.when)


def no_kernel(where: str) -> Departure:
    """Departure of nodes with types for which LiteRT has no kernel."""
    return Departure(where, NO_KERNEL, "as in TensorFlow Lite Micro", fails=True)
