"""A few bytes of constants do not become gigabytes of them."""

import numpy as np

from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled

SIZE = 16_000  # 256 MB when broadcast, and gigabytes while numpy adds


def test_what_broadcasts_beyond_any_flash_is_left_to_the_firmware() -> None:
    m = ModelWriter()
    column = m.constant("column", np.ones((SIZE, 1), np.int8), 0.5, 0)
    row = m.constant("row", np.ones((1, SIZE), np.int8), 0.5, 0)
    y = m.tensor("y", (SIZE, SIZE), "int8", 1.0, 0)
    m.node("ADD", [column, row], [y], {"fused_activation_function": "NONE"}, version=2)
    m.output(y)
    program = compiled(m, opt="size")
    assert program.graph.tensors["y"].constant is None
    assert sum(table.array.nbytes for table in program.tables) < 1_000_000
