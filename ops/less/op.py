"""Less: whether the first of two elements is less, of tensors that broadcast."""

from __future__ import annotations

import numpy as np

from opsmith.op import Rename
from opsmith.runtimes.families.relation import relation

OP = relation("less", Rename("tflite.LESS", versions=range(1, 4)), np.less)
