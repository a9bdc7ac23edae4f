"""Time that kernels take on the processor and on the runtime's device.

A kernel that declares no cost is taken to need `UNKNOWN` cycles for each multiplication with
a weight, or for each element that it writes.
"""

from dataclasses import dataclass

from opsmith.board.device import Device
from opsmith.ir import Candidate, Graph, Node
from opsmith.op.node import view
from opsmith.op.typed import TypedOp
from opsmith.select.flash_ledger import UNKNOWN
from opsmith.select.tuning import CLOCK, EVENTS


@dataclass(frozen=True)
class Clock:
    """Estimates of the time that kernels take for one node."""

    graph: Graph
    node: Node
    op: TypedOp
    device: Device
    unit: str  # unit of measurements

    def ns(self, kernel: Candidate) -> int:
        """Nanoseconds of a kernel, measured if possible, else derived from its declared cost."""
        device = self.device
        if kernel.measured is not None and self.unit in (CLOCK, EVENTS):
            if not kernel.device:
                return kernel.measured
            if self.unit == EVENTS:
                return round(kernel.measured + device.launch_ns)
            # Nodes are measured one at a time: on the device, with borders on both sides.
            around = 2 * device.border_ns + self._bytes() * device.byte_ns
            return round(max(kernel.measured - around, device.launch_ns))
        figure = self._unknown() if kernel.figure is None else kernel.figure
        if kernel.device:
            return round(device.launch_ns + figure * device.instruction_ns)
        return round(figure * device.cpu_instruction_ns)

    def _unknown(self) -> float:
        """Instructions assumed for a kernel without declared cost, by elements written or
        multiplications.
        """
        macs = self.op.hooks.macs
        steps = 0 if macs is None else macs(view(self.graph, self.node, self.op))
        written = sum(self.graph.tensors[name].elements for name in self.node.outputs)
        return UNKNOWN * max(steps, written)

    def _bytes(self) -> int:
        """Bytes that the node reads and writes at run time."""
        tensors = [self.graph.tensors[n] for n in (*self.node.inputs, *self.node.outputs) if n]
        return sum(tensor.bytes for tensor in tensors if tensor.constant is None)
