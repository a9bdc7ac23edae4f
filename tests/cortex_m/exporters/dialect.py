"""Quantises networks for ExecuTorch's Cortex-M backend: `PYTHON dialect.py DIR SEED INPUTS NAME…`

writes, by an interpreter that has executorch, NAME.pt2, and in NAME.npz inputs and the program's
outputs by the `cortex_m` dialect: `python` by its operators in Python, `kernels` with averages of
integers, as arm_avgpool_s8 has them, which is the kernel that ships. NAME.txt says what fails.
Of FLOATS both are PyTorch's outputs of the float program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.exir import EdgeCompileConfig, to_edge
from torch.nn import functional
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).parent))
from networks import EVERY, FLOATS

CALIBRATED = 8  # inputs
KEPT = [torch.ops.aten.linear.default, torch.ops.aten.hardsigmoid.default]
KEPT += [torch.ops.aten.hardswish.default, torch.ops.aten.silu.default]
SHOWN = 150  # of a failure


def main(folder: Path, seed: int, count: int, names: list[str]) -> None:
    """Export each network in a process of its own: passes keep what they were given before."""
    for name in names:
        for suffix in (".txt", ".pt2", ".npz"):
            (folder / f"{name}{suffix}").unlink(missing_ok=True)
        if (child := os.fork()) == 0:
            try:
                export(folder, seed, count, name)
            except Exception as error:
                text = f"{type(error).__name__}: {error}".splitlines()[0][:SHOWN]
                (folder / f"{name}.txt").write_text(text, encoding="utf-8")
            os._exit(0)
        os.waitpid(child, 0)


def export(folder: Path, seed: int, count: int, name: str) -> None:
    """Quantise and export one network, and compute its outputs."""
    make, sizes = EVERY[name]
    torch.manual_seed(seed)
    network = make().eval()
    for each in network.modules():  # which keep neither zeros nor ones
        if isinstance(each, torch.nn.BatchNorm2d):
            each.running_mean.normal_(0, 0.2)
            each.running_var.uniform_(0.5, 1.5)
    network = network.to(memory_format=torch.channels_last)
    if name in FLOATS:
        program = torch.export.export(network, given(sizes))
        save(folder, name, program, program.module(), inputs(sizes, count))
        return
    traced = torch.export.export(network, given(sizes)).module(check_guards=False)
    prepared = prepare_pt2e(traced, CortexMQuantizer())
    for _ in range(CALIBRATED):
        prepared(*given(sizes))
    program = torch.export.export(convert_pt2e(prepared), given(sizes))
    config = EdgeCompileConfig(preserve_ops=KEPT, _check_ir_validity=False)
    edge = to_edge(program, compile_config=config).exported_program()
    compute = CortexMPassManager(edge).transform().module()
    save(folder, name, program, compute, inputs(sizes, count))


def save(folder, name, program, compute, given) -> None:
    """Write a program to NAME.pt2, and its inputs and outputs to NAME.npz."""
    torch.export.save(program, folder / f"{name}.pt2")
    arrays = {
        f"x{i}": np.stack([x.numpy() for x in each])
        for i, each in enumerate(zip(*given, strict=True))
    }
    arrays["python"] = outputs(compute, given)
    library = torch.library.Library("cortex_m", "IMPL")
    target = "CompositeExplicitAutograd"
    library.impl("quantized_avg_pool2d", average, target, allow_override=True)
    arrays["kernels"] = outputs(compute, given)
    np.savez(folder / f"{name}.npz", **arrays)


def inputs(sizes, count):
    """Random inputs whose range goes a little beyond that of calibration."""
    return [given(sizes, wide=1.3) for _ in range(count)]


def outputs(compute: Callable[..., object], inputs: list[tuple[torch.Tensor, ...]]) -> np.ndarray:
    """Output of a program of one output, for each of the inputs."""
    made = [compute(*each) for each in inputs]
    found = [each[0] if isinstance(each, tuple | list) else each for each in made]
    return np.stack([each.detach().numpy() for each in found])


def average(x, size, stride, padding, ceil_mode, zero_point, multiplier, shift, scratch):
    """Average pool in integers: means within the image, halves rounded away from zero."""
    options = {"stride": list(stride), "padding": list(padding), "ceil_mode": ceil_mode}
    sums, counts = (
        functional.avg_pool2d(each, list(size), divisor_override=1, **options).to(torch.int64)
        for each in (x.double(), torch.ones_like(x, dtype=torch.float64))
    )
    found = (sums.abs() + counts // 2) // counts * sums.sign()
    return found.clamp(-128, 127).to(torch.int8)


def given(sizes: tuple[tuple[int, ...], ...], wide: float = 1.0) -> tuple[torch.Tensor, ...]:
    """Random inputs of the given shapes; images have channels last."""
    made = [torch.randn(size) * wide for size in sizes]
    last = {"memory_format": torch.channels_last}
    return tuple(each.to(**last) if each.ndim == 4 else each for each in made)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
