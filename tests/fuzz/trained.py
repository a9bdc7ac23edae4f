"""`python -m tests.fuzz.trained --count=N --seed=S`: layers of bytes as training leaves them.

Multipliers are log-normal, with tails at both ends, or of a kind that is hard to round; biases of
tiny ones are large; some layers have weights of -128, others are of uint8. On every core with the
DSP extension or Helium, another kernel than the reference must fit each layer, and by other rules
another than those that compute sums one by one, by the notebook's where there is an FPU; the trial
says which has none, and why others refuse it. Where windows are mostly beyond the image, the
reference, which omits those taps, is fastest.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from opsmith.board.cores import CORES
from opsmith.pipeline import Reading, read
from opsmith.select.choice import refusals
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.writer import ModelWriter
from runtimes.families import trained_cases
from runtimes.families.convolution_cases import ConvU8, TransposeConv
from runtimes.families.depthwise_cases import DepthwiseU8
from runtimes.families.matmul_cases import MatMul
from runtimes.families.trained_cases import TrainedConv, TrainedDepthwise, TrainedMatMul
from tests.fuzz.trials import Limits, command

Build = Callable[[ModelWriter], None]
UNSIGNED = 0.15  # of layers
QUICK = frozenset({"dsp", "mve"})
SLOW = {  # kernels, by rule
    "": ("reference",),
    "notebook": ("reference", "single"),
    "tflm": ("reference", "fixed_point"),
}
FPU = frozenset({"fpu", "mve_float"})


def trial(chance: Random, folder: Path) -> str:
    """The kind of a layer that every core has another kernel for than the reference."""
    (layer,) = drawn(chance, 1)
    unserved = [*by_reference([layer], folder)]
    assert not unserved, unserved
    return type(layer.build).__name__


def drawn(chance: Random, count: int) -> list[Case]:
    """Layers of any kind."""
    return [Case(f"layer_{i}", chance.choice(KINDS)(chance)) for i in range(count)]


def by_reference(layers: Sequence[Case], folder: Path) -> Iterator[str]:
    """A line for each rule, layer and core where no kernel but slow ones fits."""
    path, ops = folder / "m.tflite", shipped_ops()
    path.write_bytes(merged_model(layers))
    for rule, slow in SLOW.items():
        graph = read(path, "m", ops, Reading(numerics=rule))[1]
        for name, features in cores().items():
            if rule == "notebook" and not features & FPU:
                continue
            for node in select_kernels(graph, ops, features).nodes:
                assert node.kernel is not None
                if all(each.refused for each in node.kernel.candidates if each.name not in slow):
                    (build,) = (e.build for e in layers if node.outputs[0].startswith(f"{e.name}_"))
                    yield f"{rule} {name}: {build}: {refusals(node.kernel.candidates)}"


def cores() -> Mapping[str, frozenset[str]]:
    """A core for each set of features that kernels for the DSP extension or Helium may ask for."""
    some = {core.features: name for name, core in CORES.items() if core.features & QUICK}
    return {name: features for features, name in some.items()}


def _convolution(chance: Random) -> Build:
    groups = chance.choice((1, 1, 1, 2, 4, 8))
    inputs, outputs = groups * chance.randint(1, 24), groups * chance.randint(1, 12)
    height, width = chance.choice(((1, 1), (1, 1), (3, 3), (5, 5), (1, 4), (9, 1), (2, 3)))
    down, right = chance.randint(1, 2), chance.randint(1, 2)
    rows, columns = chance.randint(1, 6), chance.randint(1, 6)
    lower, further = chance.choice(((1, 1), (1, 1), (2, 1), (3, 3)))  # dilation
    x = (
        chance.randint(1, 2),
        (rows - 1) * down + (height - 1) * lower + 1,
        (columns - 1) * right + (width - 1) * further + 1,
        inputs,
    )
    shapes = x, (outputs, height, width, inputs // groups), (x[0], rows, columns, outputs)
    options = {
        "stride_h": down,
        "stride_w": right,
        "fused_activation_function": _activation(chance),
    }
    options |= {"dilation_h_factor": lower, "dilation_w_factor": further}
    if chance.random() < UNSIGNED:
        return ConvU8(*shapes, options, **_unsigned(chance, "filter_zero_point"))
    return TrainedConv(
        *shapes, options, large=chance.choice((3, 7, 20)), y_zero_point=_zero_point(chance),
        lowest=_lowest(chance), kind=_kind(chance),
    )  # fmt: skip


def _depthwise(chance: Random) -> Build:
    """Any depthwise layer or, as often, one as most networks have: 3x3, a filter a channel."""
    usual = chance.random() < 0.5
    side = chance.choice((4, 9, 16)) if usual else 9
    channels = chance.randint(1, 40 if usual else 24)
    x = chance.randint(1, 2), chance.randint(3, side), chance.randint(3, side), channels
    window = chance.choice(((3, 3), (3, 3), (5, 5), (7, 7), (1, 5), (9, 1), (2, 3)))
    multiplier = chance.choice((1, 1, 2, 3, 8))
    stride = chance.randint(1, 2), chance.randint(1, 2)
    dilation = chance.choice(((1, 1), (1, 1), (2, 1), (1, 2), (2, 2)))
    if usual:
        window, multiplier, dilation = (3, 3), 1, (1, 1)
        stride = chance.choice(((1, 1), (2, 2), (2, 2), stride))
    if chance.random() < UNSIGNED:
        shapes = x, (1, *window, x[3] * multiplier), (*x[:3], x[3] * multiplier)
        options = {"padding": "SAME", "depth_multiplier": multiplier}
        return DepthwiseU8(*shapes, options, **_unsigned(chance, "filter_zero_point"))
    return TrainedDepthwise(
        x,
        window,
        multiplier=multiplier,
        stride=stride,
        dilation=dilation,
        activation=_activation(chance),
        y_zero_point=_zero_point(chance),
        large=chance.choice((3, 7, 20)),
        lowest=_lowest(chance),
        kind=_kind(chance),
    )


def _transposed(chance: Random) -> Build:
    strides, size = ((chance.randint(1, 3), chance.randint(1, 3)) for _ in range(2))
    height, width = chance.randint(1, 4), chance.randint(1, 4)
    inputs, outputs = chance.choice((*range(1, 25), 1300)), chance.randint(1, 12)
    kind = chance.choice(("int8", "uint8"))
    return TransposeConv(
        (1, height, width, inputs),
        (outputs, *size, inputs),
        (1, height * strides[0], width * strides[1], outputs),
        strides=strides,
        activation=_activation(chance),
        x_type=kind,
        filter_type=kind,
        scales=outputs if kind == "int8" else 1,
        y_scale=chance.choice((4e-5, 4e-4, 0.03, 3.0)),
    )


def _product(chance: Random) -> Build:
    inputs = chance.choice((1, 7, 32, 100, 600))
    shape, channels = (chance.randint(1, 6), inputs), chance.randint(1, 20)
    if chance.random() < UNSIGNED:
        return MatMul(
            shape, channels, dtype="uint8", y_zero_point=110,
            **_unsigned(chance, "weights_zero_point"),
        )  # fmt: skip
    return TrainedMatMul(
        shape,
        channels,
        activation=_activation(chance),
        y_zero_point=_zero_point(chance),
        large=chance.choice((3, 7, 20)),
        same=chance.choice((0.0, 0.0, 1e-6, 0.9, 30.0, 2.0**-8)),
        lowest=_lowest(chance),
        kind=_kind(chance),
    )


def _unsigned(chance: Random, of_weights: str) -> dict[str, Any]:
    """Scale of y, zero points and least weight of a layer of uint8, by name."""
    return {
        "y_scale": chance.choice((0.0005, 0.03, 0.3, 3.0)),
        "x_zero_point": chance.randint(0, 255),
        of_weights: chance.choice((0, chance.randint(0, 255), chance.randint(64, 192))),
        "least": chance.randint(0, 1),
    }


def _kind(chance: Random) -> str:
    """Kind of multipliers, as often as not those that training leaves."""
    return chance.choice(("", chance.choice([*trained_cases.KINDS])))


def _lowest(chance: Random) -> bool:
    """Whether some weights are -128."""
    return chance.random() < 0.5


def _activation(chance: Random) -> str:
    return chance.choice(("NONE", "RELU", "RELU6"))


def _zero_point(chance: Random) -> int:
    return chance.choice((-128, -128, 4, 60))


KINDS: tuple[Callable[[Random], Build], ...] = (_convolution, _depthwise, _transposed, _product)

if __name__ == "__main__":
    sys.exit(command("trained", trial, Limits(30, 1024), sys.argv[1:]))
