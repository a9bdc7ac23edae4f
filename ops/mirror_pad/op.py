"""MirrorPad: a border in which a tensor is mirrored."""

from opsmith.op import *
from runtimes.families.axes import borders
from runtimes.families.movement import moved_problems
from runtimes.families.take import Positions, taken

MODES = ("REFLECT", "SYMMETRIC")  # without and with the outermost elements once more


def positions(node: NodeView) -> Positions:
    """Positions along each axis, with mirrored ones before its start and after its end."""
    x, mode, found = node["x"], node.attributes["mode"], []
    for axis, (size, border) in enumerate(zip(x.shape, borders(node), strict=True)):
        most = size - (mode == "REFLECT")
        if min(border) < 0 or max(border) > most:
            raise OpError(f"borders {border} of axis {axis} are not 0 to {most}")
        found.append(np.pad(np.arange(size), border, mode=mode.lower()))
    return found


OP = taken(
    "mirror_pad",
    Rename("tflite.MIRROR_PAD", versions=range(1, 4)),
    positions,
    Example.of({"mode": "REFLECT"}, x=(2, 3), paddings=[[0, 1], [2, 0]], y=(3, 5)),
    check=moved_problems,
    attributes=(Attribute("mode", str, choices=MODES),),
)
