"""Trains digits_int8.tflite on the 8x8 digits that come with scikit-learn.

Run from the root: `.venv/bin/python -m tests.models.train_digits`. Needs scikit-learn, which
nothing else here does. Writes digits_int8.tflite and digits_test.npz beside itself.
"""

import importlib
import math
from pathlib import Path

import numpy as np

from opsmith.oracle.litert import Reference
from tests.models.layers import (
    Array,
    AveragePool,
    Convolution,
    FullyConnected,
    Layer,
    Residual,
    run,
)
from tests.models.quantise import quantise

FOLDER = Path(__file__).parent
SEED = 20240
EPOCHS = 120
BATCH = 64
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 2e-4


def main() -> None:
    """Train, quantise, write, and say how well it reads the held-out digits."""
    images, labels, test_images, test_labels = load()
    random = np.random.default_rng(SEED)
    layers = network(random)
    with importlib.import_module("threadpoolctl").threadpool_limits(1):  # sums in one order
        train(layers, images, labels, random)
    model = quantise(layers, pixels_to_real(images), name="digits")
    (FOLDER / "digits_int8.tflite").write_bytes(model)
    np.savez_compressed(FOLDER / "digits_test.npz", images=test_images, labels=test_labels)
    real = accuracy(run(layers, pixels_to_real(test_images)), test_labels)
    reference = Reference(model)
    answers = [reference.run([image[None]])[0][0] for image in test_images]
    print(f"{len(model)} bytes; test accuracy: float {real:.4f}", end=", ")
    print(f"int8 {accuracy(np.array(answers), test_labels):.4f} of {len(test_labels)} images")


def load() -> tuple[Array, Array, Array, Array]:
    """Training images and labels, test images and labels; pixels are int8, black is -128."""
    datasets = importlib.import_module("sklearn.datasets")
    digits = datasets.load_digits()
    pixels = np.rint(digits.images * (255 / 16)).astype(np.int16) - 128
    images, labels = pixels.astype(np.int8)[..., None], digits.target.astype(np.uint8)
    order = np.random.default_rng(SEED).permutation(len(images))
    test, rest = order[:360], order[360:]
    return images[rest], labels[rest], images[test], labels[test]


def pixels_to_real(pixels: Array) -> Array:
    """Float32 values of int8 pixels, from 0 to 1."""
    return ((pixels.astype(np.float32) + 128) / 255).astype(np.float32)


def network(random: np.random.Generator) -> tuple[Layer, ...]:
    """The untrained network: 8x8x1 pixels in, 10 logits out."""
    return (
        Convolution(random, (1, 12), 3),
        Convolution(random, (12, 12), 3, stride=2, depthwise=True),
        Convolution(random, (12, 24), 1),
        Residual(
            Convolution(random, (24, 24), 3, depthwise=True),
            Convolution(random, (24, 24), 1, relu=False),
        ),
        AveragePool(),
        FullyConnected(random, 2 * 2 * 24, 10),
    )


def train(
    layers: tuple[Layer, ...], images: Array, labels: Array, random: np.random.Generator
) -> None:
    """Train by Adam with a decaying rate, on images shifted by up to one pixel."""
    optimiser = Adam()
    steps = EPOCHS * (len(images) // BATCH)
    for step in range(steps):
        pick = random.choice(len(images), BATCH, replace=False)
        batch = shifted(images[pick], random)
        probabilities = softmax(run(layers, pixels_to_real(batch)))
        gradient = (probabilities - np.eye(10, dtype="f4")[labels[pick]]) / BATCH
        for layer in reversed(layers):
            gradient = layer.backward(gradient)
        rate = LEARNING_RATE * 0.5 * (1 + math.cos(math.pi * step / steps))
        optimiser.step(layers, rate)


class Adam:
    """Adam optimiser, which keeps the moments of each parameter."""

    def __init__(self) -> None:
        self.moments: dict[int, tuple[Array, Array]] = {}
        self.count = 0

    def step(self, layers: tuple[Layer, ...], rate: float) -> None:
        """Move every parameter of the layers, in place."""
        self.count += 1
        pairs = [
            pair for layer in layers for pair in zip(layer.parameters, layer.gradients, strict=True)
        ]
        for number, (parameter, gradient) in enumerate(pairs):
            first, second = self.moments.get(number, (0 * parameter, 0 * parameter))
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            self.moments[number] = first, second
            mean, square = first / (1 - 0.9**self.count), second / (1 - 0.999**self.count)
            parameter -= rate * (mean / (np.sqrt(square) + 1e-8) + WEIGHT_DECAY * parameter)


def shifted(images: Array, random: np.random.Generator) -> Array:
    """Images, each moved by -1, 0 or 1 pixel in both directions, with black at the edge."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-128)
    offsets = random.integers(0, 3, (len(images), 2))
    moved = [padded[i, y : y + 8, x : x + 8] for i, (y, x) in enumerate(offsets)]
    return np.stack(moved)


def softmax(logits: Array) -> Array:
    """Probabilities of classes from logits, row by row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def accuracy(scores: Array, labels: Array) -> float:
    """Share of rows whose largest score is at the label."""
    return float(np.mean(scores.argmax(axis=1) == labels))


if __name__ == "__main__":
    main()
