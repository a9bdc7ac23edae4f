"""Flash budget of a firmware, and purchases from it."""

from dataclasses import dataclass

from opsmith.ir import Graph
from opsmith.select.stored import constant_bytes

ALLOWANCE = 16 * 1024  # beside the constants of a model file, for all code and what is bought


@dataclass(frozen=True)
class FlashBudget:
    """Flash budget of a firmware; `bytes` None means unlimited."""

    bytes: int | None = None
    buys: bool = True  # False: no flash is spent on speed, and some saved where it can be
    elsewhere: int = 0  # bytes that constants may take of other memories; what is bought may not
    room: int | None = None  # bytes of the board for code and constants; None: unlimited
    as_stored: bool = False  # less where kernels read constants in the bytes that the model has
    weighs: bool = False  # True: code that gains little time is spared


UNLIMITED, NOTHING = FlashBudget(), FlashBudget(0, buys=False, weighs=True)


def balanced_budget(graph: Graph) -> FlashBudget:
    """Return the budget of opt=balanced: the constants of a legal graph, in the model file's size
    for kernels that read them so, and an allowance.
    """
    return FlashBudget(constant_bytes(graph) + ALLOWANCE, as_stored=True, weighs=True)
