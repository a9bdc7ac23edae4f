"""LogicalNot: whether an element is false."""

from __future__ import annotations

import numpy as np

from opsmith.op import Rename, boolean
from opsmith.runtimes.families.unary import by_reference, unary

NEGATED = by_reference(boolean, lambda node, x: np.logical_not(x), cost=5.0)
OP = unary("logical_not", Rename("tflite.LOGICAL_NOT"), variants=(NEGATED,))
