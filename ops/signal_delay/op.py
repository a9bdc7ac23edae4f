"""SignalDelay: every row of a signal, later by `delay_length` samples, which are zero at first.

Defined by TensorFlow Lite Micro (signal/micro/kernels/delay.cc); rows are independent.
"""

from opsmith.op import *
from runtimes.families.signal import append, signal


@dataclass(frozen=True)
class Params(Rows):
    """Number and size of rows, and samples kept of each row."""

    kept: int  # samples: a row and the delay


def kept(node: NodeView) -> int:
    """Number of samples kept of a row: the delay and the samples of x."""
    return int(node["x"].shape[-1]) + int(node.attributes["delay_length"])


params = by_name(Params, kept=kept)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Oldest samples in numpy; the state is updated."""
    p = params(node)
    samples = state["samples"].reshape(p.rows, p.kept)
    append(samples, inputs[0].reshape(p.rows, p.depth))
    return [samples[:, : p.depth].copy().reshape(node["y"].shape)]


OP = signal(
    "signal_delay",
    "SignalDelay",
    inputs={"x": i16},
    outputs={"y": i16},
    kernels=(reference(params),),
    example={"x": (2, 8), "delay_length": 3},
    integers={"delay_length": 2**24},
    ranks={"x": at_least(1)},
    states=(State("samples", i16, lambda node: params(node).rows * kept(node)),),
    evaluate=evaluate,
)
