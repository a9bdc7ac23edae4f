"""Runtimes that have kernels for other cores than the board's."""

import pytest

from opsmith.board.cores import known_cores
from opsmith.board.runtime import SHIPPED, idle_runtime, load_runtime


@pytest.mark.parametrize(("runtime", "core", "told"), [
    ("cmsis", "rv32imac", "runtime=riscv has kernels for rv32m"),
    ("riscv", "cortex-m4", "runtime=cmsis has kernels for dsp, thumb, thumb2"),
    ("cmsis", "cortex-m0", ""),
    ("cmsis", "host", ""),  # for which no runtime has kernels
    ("reference", "cortex-m4", ""),  # which is for every core
])  # fmt: skip
def test_a_runtime_for_other_cores_is_remarked_on(runtime: str, core: str, told: str) -> None:
    said = idle_runtime(load_runtime(runtime, SHIPPED), known_cores()[core])
    assert said.endswith(told)
    assert bool(said) is bool(told)
