"""Flash budget of a firmware, and purchases from it."""

from dataclasses import dataclass

from opsmith.ir import Graph
from opsmith.select.stored import constant_bytes

# bytes of kernels' code by opt, of those by -O2: medians of models on a core with DSP instructions
SWELLING = {"speed": 1.25, "balanced": 1.0, "size": 0.94}
ALLOWANCE = 16 * 1024  # bytes besides constants, for all code and for offers


@dataclass(frozen=True)
class FlashBudget:
    """Flash budget of a firmware; `bytes` None means unlimited."""

    bytes: int | None = None
    buys: bool = True  # False: spend no flash on speed, and save some where possible
    elsewhere: int = 0  # bytes of other memories, for constants but not for what is bought
    room: int | None = None  # bytes of the board for code and constants; None: unlimited
    as_stored: bool = False  # reduced by what kernels save that read constants as stored
    weighs: bool = False  # True: code is saved where it gains little time
    swelling: float = 1.0  # bytes of kernels' code, of those that they declare

    @property
    def most(self) -> int | None:
        """Bytes for code and constants that a user or the board allows; None: unlimited."""
        return self.room if self.weighs else self.bytes


UNLIMITED, NOTHING = FlashBudget(), FlashBudget(0, buys=False, weighs=True)


def balanced_budget(graph: Graph) -> FlashBudget:
    """Return the budget of opt=balanced: the constants of a legal graph, in the model file's size
    for kernels that read them so, and an allowance.
    """
    return FlashBudget(usual_bytes(graph), as_stored=True, weighs=True)


def usual_bytes(graph: Graph) -> int:
    """Constants of a legal graph as the file stores them, and an allowance for all code."""
    return constant_bytes(graph) + ALLOWANCE
