"""Memory plan of a graph, as values."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """Place of a tensor, and the range of nodes during which it is occupied."""

    memory: str  # name of a memory of the board
    offset: int  # bytes from the start of that memory's arena
    bytes: int
    first: int  # index of the first node that needs it; -1: before invoke()
    last: int  # index of the last node that needs it; len(nodes): after invoke()


@dataclass(frozen=True)
class Trade:
    """RAM and cycles of the model if a run of nodes, or none, is streamed."""

    first: int  # index of the first node that runs row by row
    nodes: int  # number of such nodes; 0: all tensors are whole
    bytes: int  # bytes of RAM: arenas and the states of nodes
    instructions: int  # modelled cycles of one invoke(), as kernels declare them


@dataclass(frozen=True)
class MemoryPlan:
    """Memory plan: a placement for every tensor and scratch buffer that is not constant."""

    placements: Mapping[str, Placement]
    arenas: Mapping[str, int]  # memory -> bytes
    alignment: int
    lower_bounds: Mapping[str, int]  # memory -> bytes that any plan of this node order needs
    trades: tuple[Trade, ...] = ()  # alternatives that were compared, the least RAM last
