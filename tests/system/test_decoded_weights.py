"""Compressed weights that flash cannot hold folded are decoded by their kernels, on the board."""

import json
from pathlib import Path

import numpy as np
import pytest

from opsmith.testing.firmware import products, scons
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d
from tests.unit.frontend.compressed_models import by_tables, quantised

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.qemu]
BOARD, FLASH = "microbit", 256 * 1024
WIDTH = 512
LAYERS = WIDTH * WIDTH + 16 * WIDTH  # bytes of weights, folded


def compressed(m: ModelWriter, name: str, weights: np.ndarray, scales: list[float]) -> ModelTensor:
    """Compressed weights of few values, looked up by TFLM_DECODE in a table for each channel."""
    given = by_tables(weights, 0, 0, quantised(len(weights), 0))
    parts = {"codes": given.encoded, "tables": given.ancillary}
    stored = [
        m.tensor(f"{name}/{part}", (len(data),), "uint8", data=data) for part, data in parts.items()
    ]
    made = m.tensor(name, weights.shape, "int8", scales, [0] * len(scales))
    m.node("CUSTOM", stored, [made], custom="TFLM_DECODE")
    return made


def network() -> bytes:
    """Model of a convolution and two layers, with 14 values of weights for each channel."""
    random, m = np.random.default_rng(1), ModelWriter()

    def weights(*shape: int) -> np.ndarray:
        tables = random.integers(-127, 128, (shape[0], 14), np.int8)
        places = random.integers(0, 14, (shape[0], int(np.prod(shape[1:]))))
        return np.take_along_axis(tables, places, axis=1).reshape(shape)

    x = m.input("x", (1, 4, 4, 32), "int8", 0.05, -3)
    filters = compressed(m, "filters", weights(32, 3, 3, 32), [0.01] * 32)
    image = m.tensor("image", (1, 4, 4, 32), "int8", 0.9, 2)
    bias = m.constant("bias", np.arange(32, dtype=np.int32) * 40, [0.0005] * 32)
    y = conv_2d(m, x, filters, bias, image)
    for name, channels, scale in (("hidden", WIDTH, 30.0), ("scores", 16, 1000.0)):
        given = compressed(m, f"{name}/weights", weights(channels, WIDTH), [0.011])
        inner, y = y, m.tensor(name, (1, channels), "int8", scale, 4)
        m.node("FULLY_CONNECTED", [inner, given], [y], {}, version=4)
    m.output(y)
    return m.bytes()


def test_a_model_that_fits_only_as_codes_is_decoded_by_its_kernels(tmp_path: Path) -> None:
    model = tmp_path / "compressed.tflite"
    model.write_bytes(network())
    settings = (f"board={BOARD}", f"model={model}")
    done = scons(*settings, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "equal to LiteRT node by node: yes" in done.stdout, done.stdout
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    assert report["memory"]["flash"]["used"] < FLASH < LAYERS
    kernels = [node["kernel"] for node in report["nodes"]]
    assert kernels == ["plain", "looked_up", "plain_long"], "one node spares enough"
    offers = report["flash_offers"]
    (spared,) = [
        each for each in offers if (each["what"], each["nodes"]) == ("looked_up", ["hidden"])
    ]
    assert spared["bought"]
    assert spared["bytes"] < -WIDTH * WIDTH // 3
