"""Deals: what flash can buy, and what the general forms cost that instances would replace."""

import math
from dataclasses import dataclass

from opsmith.ir import Candidate, Offer
from opsmith.select.flash_ledger import Group


@dataclass(frozen=True)
class Deal:
    """An offer, and the groups, node or kernel that buying it changes."""

    offer: Offer
    groups: tuple[Group, ...] = ()  # groups that get an instance
    node: int = -1  # node that changes its kernel
    candidate: Candidate | None = None
    instance: bool = False  # the new kernel gets an instance
    whole: bool = False  # no node uses the general form any more

    def rank(self) -> float:
        """Instructions gained per byte."""
        return self.offer.gain / self.offer.bytes if self.offer.bytes > 0 else math.inf


@dataclass(frozen=True)
class Slower:
    """Nodes of a group that is computed by the general form of its kernel."""

    names: tuple[str, ...]
    cycles: float  # additional ones, compared with an instance
    times: float  # factor against an instance, for the node that is slowed down least
