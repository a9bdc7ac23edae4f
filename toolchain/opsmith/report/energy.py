"""Energy of one inference: measured by a meter, or an estimate with a statement of its accuracy."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from opsmith.board.current import Current

ESTIMATE = "estimate"
UNKNOWN = "not measured"
WAITS = "without wait states, which take more"


@dataclass(frozen=True)
class Energy:
    """Energy of one inference in microjoules."""

    by: str  # title of a meter, or ESTIMATE
    microjoules: float
    error: float | None  # relative error to either side; None: it may be higher by any amount
    how: str

    @property
    def text(self) -> str:
        """Energy as text, with its error and its source."""
        shown = f"{self.microjoules:,.4g} µJ"
        if self.by != ESTIMATE:
            return f"{shown} ± {self.error or 0:.1%} by {self.by}: {self.how}"
        shown = f"at least {shown}" if self.error is None else f"about {shown} ± {self.error:.0%}"
        return f"{shown}, an estimate: {self.how}"


def estimated(cycles: int, current: Current | None, *, modelled: bool) -> Energy | None:
    """Energy of a number of cycles by the current that the MCU's maker publishes; None without one.

    Microamps per MHz are picocoulombs per cycle.
    """
    if current is None:
        return None
    each = current.volts * cycles * 1e-6
    most = current.most or current.least
    middle = (current.least + most) / 2
    per_mhz = f"{current.least:g}" + (f" to {most:g}" if most > current.least else "")
    which = f"modelled cycles, {WAITS}," if modelled else "cycles"
    how = f"{cycles:,} {which} at {per_mhz} µA/MHz and {current.volts:g} V ({current.source})"
    error = (most - current.least) / 2 / middle if current.most else None
    return Energy(ESTIMATE, middle * each, error, how)


def measured(by: str, microjoules: Sequence[float]) -> Energy:
    """Energy that a meter measured in several inferences: the median."""
    middle = median(microjoules)
    error = (max(microjoules) - min(microjoules)) / 2 / middle if middle else 0.0
    return Energy(by, middle, error, f"the median of {len(microjoules)} inferences")
