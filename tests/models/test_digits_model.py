"""The committed model is as good as the README says, and made of the ops it says."""

import re
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.litert import Array, Reference
from tests.models.layers import AveragePool, Convolution, FullyConnected, Layer, Residual, run
from tests.models.quantise import quantise

FOLDER = Path(__file__).parent
MODEL = FOLDER / "digits_int8.tflite"


@pytest.mark.slow
def test_accuracy_is_what_the_readme_says() -> None:
    with np.load(FOLDER / "digits_test.npz") as arrays:
        images, labels = arrays["images"], arrays["labels"]
    reference = Reference(MODEL)
    answers = [reference.run([image[None]])[0].argmax() for image in images]
    right = int(np.sum(answers == labels))
    said = re.search(r"\*\*(\d+) of the (\d+)\*\*", (FOLDER / "README.md").read_text())
    assert said is not None
    assert (right, len(labels)) == tuple(int(each) for each in said.groups())
    assert right / len(labels) > 0.97


def test_the_model_is_small_and_speaks_int8() -> None:
    assert MODEL.stat().st_size < 20_000
    reference = Reference(MODEL)
    (image,), (probabilities,) = reference.inputs, reference.outputs
    assert (image.name, image.shape, image.dtype) == ("image", (1, 8, 8, 1), np.dtype(np.int8))
    assert (probabilities.scale, probabilities.zero_point) == (1 / 256, -128)


def network(random: np.random.Generator) -> tuple[Layer, ...]:
    """A small network with every layer there is, and biases that are not zero."""
    biased = (
        Convolution(random, (1, 4), 3),
        Convolution(random, (4, 4), 3, stride=2, depthwise=True),
        Convolution(random, (4, 4), 1, relu=False),
        FullyConnected(random, 16, 3),
    )
    for layer in biased:
        layer.bias += random.normal(size=layer.bias.shape) * 0.2
    first, second, branch, last = biased
    return first, second, Residual(branch), AveragePool(), last


def test_quantised_values_are_near_the_real_ones() -> None:
    random = np.random.default_rng(1)
    layers = network(random)
    brightness = random.random((32, 1, 1, 1))  # noise alone has the same sums everywhere
    pixels = (random.integers(0, 256, (32, 8, 8, 1)) * brightness).astype(np.int16) - 128
    pixels = pixels.astype(np.int8)
    real = (pixels.astype(np.float32) + 128) / 255
    reference = Reference(quantise(layers, real, "small"), outputs=["logits"])
    logits = reference.outputs[1]
    assert logits.scale is not None
    assert logits.zero_point is not None
    got = np.concatenate([reference.run([each[None]])[1] for each in pixels]).astype(np.float32)
    expected = run(layers, real)
    error = np.abs((got - logits.zero_point) * logits.scale - expected)
    assert error.max() < 0.04 * np.ptp(
        expected
    )  # a wrong axis or a lost bias makes it 0.2 and more


@pytest.mark.parametrize("number", range(5))
def test_gradients_are_those_of_finite_differences(number: int) -> None:
    random = np.random.default_rng(number)
    layers = network(random)
    x = random.normal(size=(2, 8, 8, 1)).astype(np.float64)
    direction: Array = random.normal(size=x.shape) * 1e-5
    run(layers, x)
    gradient: Array = np.ones((2, 3))
    for layer in reversed(layers):
        gradient = layer.backward(gradient)
    change = run(layers, x + direction).sum() - run(layers, x - direction).sum()
    assert change == pytest.approx(2 * np.sum(gradient * direction), rel=0.05, abs=1e-7)
