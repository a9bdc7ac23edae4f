"""The network that reads digits as a float .tflite, which recipes quantise, and a set for it."""

from pathlib import Path

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.roads.network import images, labels, write_network


def write_float_digits(folder: Path) -> Path:
    """Path of a float digits.tflite, written beside set.npz, of 360 images with labels."""
    network = folder / "network.npz"
    write_network(network)
    with np.load(network) as arrays:
        content = _Digits({name: arrays[name] for name in arrays.files}).bytes()
    (folder / "digits.tflite").write_bytes(content)
    np.savez(folder / "set.npz", image=images(), labels=labels().astype(np.int32))
    return folder / "digits.tflite"


class _Digits(ModelWriter):
    """Writer of the network that reads digits, layer by layer."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        super().__init__(signature="serving_default")
        self._arrays = arrays
        x = self.input("image", (1, 8, 8, 1), "float32")
        x = self._convolution(0, x, (8, 8, 12))
        x = self._convolution(1, x, (4, 4, 12), stride=2, depthwise=True)
        x = self._convolution(2, x, (4, 4, 24))
        y = self._convolution(3, x, (4, 4, 24), depthwise=True)
        y = self._convolution(4, y, (4, 4, 24), activation="NONE")
        added = self._made("ADD", [x, y], (4, 4, 24), activation="RELU")
        pool: dict[str, int | str] = {"padding": "VALID", "stride_h": 2, "stride_w": 2}
        pool |= {"filter_height": 2, "filter_width": 2}
        pooled = self._made("AVERAGE_POOL_2D", [added], (2, 2, 24), **pool)
        shape = self.constant("shape", np.array([1, 96], np.int32))
        flat = self._made("RESHAPE", [pooled, shape], (96,))
        logits = self._made("FULLY_CONNECTED", [flat, *self._weights(5)], (10,))
        self.output(self._made("SOFTMAX", [logits], (10,), beta=1.0))

    def _convolution(
        self,
        number: int,
        x: ModelTensor,
        shape: tuple[int, ...],
        stride: int = 1,
        activation: str = "RELU",
        *,
        depthwise: bool = False,
    ) -> ModelTensor:
        options: dict[str, int | str] = {"padding": "SAME", "activation": activation}
        options |= {"stride_h": stride, "stride_w": stride}
        options |= {"dilation_h_factor": 1, "dilation_w_factor": 1}
        options |= {"depth_multiplier": 1} if depthwise else {}
        op = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
        return self._made(op, [x, *self._weights(number)], shape, **options)

    def _weights(self, number: int) -> list[ModelTensor]:
        return [self.constant(name, self._arrays[name]) for name in (f"w{number}", f"b{number}")]

    def _made(
        self,
        op: str,
        inputs: list[ModelTensor],
        shape: tuple[int, ...],
        **options: float | int | str,
    ) -> ModelTensor:
        """Output of a new node of the float network."""
        if activation := options.pop("activation", ""):
            options["fused_activation_function"] = activation
        y = self.tensor(f"{op.lower()}_{len(self.content.nodes)}", (1, *shape), "float32")
        self.node(op, inputs, [y], options)
        return y
