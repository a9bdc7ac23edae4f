"""Choice of the kernel that computes a node, with all candidates."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from opsmith.ir.types import DType


@dataclass(frozen=True)
class Candidate:
    """A kernel of an op, as judged for one node."""

    name: str  # 'reference'; 'gpu@32x8' for a kernel with a group size other than planned
    index: int  # index into the kernels of the node's variant
    refused: str = ""  # reason why it cannot or may not compute the node
    inexact: str = ""  # how its bytes may differ from the reference's bytes
    cost: float | None = None  # cycles that it declares for this node
    measured: int | None = None  # measurement of a rig: instructions or cycles
    preferred: bool = False  # prefer= names it
    device: str = ""  # backend whose emitter writes its calls, so that its device may run it
    growth: int = 0  # bytes of flash beyond those of kernels that cost nothing extra
    plan: Any = field(default=None, compare=False, repr=False)  # plan for the node
    absent: bool = False  # no node of this core, runtime and rule of numerics can use it
    elsewhere: bool = False  # it is for another runtime than that of the build; reports omit it

    @property
    def figure(self) -> float | None:
        """Cost of the node with this kernel: measured, else declared; None if unknown."""
        return self.cost if self.measured is None else self.measured


@dataclass(frozen=True)
class Offer:
    """Flash that could buy speed: a kernel with larger weights, or an instance for one node."""

    what: str  # the file of the kernel, or 'instance'
    nodes: tuple[str, ...]  # names of nodes that it makes faster
    bytes: int
    gain: float  # cycles, or the unit of a rig's measurements
    bought: bool = False


@dataclass(frozen=True)
class Side:
    """Side on which a node runs, in builds for a processor and a device, with reason and time."""

    name: str  # 'cpu', or the runtime of the device
    why: str
    ns: int  # estimated time of the node there, without borders


@dataclass(frozen=True)
class KernelChoice:
    """Kernel chosen for a node, and the reason."""

    symbol: str  # its C++ function in the op's namespace: 'reference'
    name: str  # of the candidate: 'reference'
    index: int  # index into the kernels of the node's variant
    types: tuple[tuple[str, DType], ...]  # the variant: element types by type variable
    why: str  # 'dsp: needs dsp'
    candidates: tuple[Candidate, ...] = ()  # all kernels, in their order
    specialised: bool = True  # its instance is for these Params only
    offers: tuple[Offer, ...] = ()  # offers of flash for the node, bought or not
    side: Side | None = None  # None if the runtime has no device

    @cached_property
    def taken(self) -> Candidate:
        """Candidate that was chosen."""
        own = (self.index, self.name)  # kernels for several cores can have one name
        return next(each for each in self.candidates if (each.index, each.name) == own)

    @property
    def plan(self) -> Any:
        """`Plan` of the chosen kernel for the node."""
        return self.taken.plan
