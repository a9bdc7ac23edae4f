"""Networks of one-dimensional layers, written as Keras exports them."""

from collections.abc import Callable

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import INT8, Scheme

Write = Callable[[Layers], None]


def content(write: Write, scheme: Scheme = INT8) -> bytes:
    model = ModelWriter()
    write(Layers(model, scheme))
    return model.bytes()


def signal(n: Layers) -> None:
    """Network of one-dimensional Keras layers: SAME and dilated, depthwise, pooled, joined,
    cropped.
    """
    x = n.input(1, 24, 4)
    image = n.convolution(_image(n, x), 4, (1, 3))
    cut = n.moved("SPACE_TO_BATCH_ND", _steps(n, image), (2, 14, 4), (2,), [[2, 2]])
    inner = n.convolution(_image(n, cut), 4, (1, 3), padding="VALID", activation="NONE")
    y = n.moved("BATCH_TO_SPACE_ND", _steps(n, inner), (1, 24, 4), (2,), [[0, 0]])
    image = n.depthwise(_image(n, n.binary("ADD", y, n.constant([0.5, 1, -1, 0]))), (1, 5))
    left, right = (n.pool(name, image, (1, 2)) for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D"))
    right = n.requantised(right, left) if n.scheme.quantised else right
    both = n.joined(2, _steps(n, left), _steps(n, right))
    cropped = n.moved(
        "STRIDED_SLICE", both, (1, 9, 8), (0, 2, 0), (0, -1, 0), (1, 1, 1), begin_mask=5, end_mask=5
    )
    n.output(n.dense(n.mean(cropped, [1], keep=False), 3))


def causal(n: Layers) -> None:
    """Network of causal convolutions, one dilated, with its last step classified, as by Keras."""
    x = n.input(1, 20, 4)
    y = n.moved("PAD", x, (1, 22, 4), [[0, 0], [2, 0], [0, 0]])
    y = _steps(n, n.convolution(_image(n, y), 4, (1, 3), padding="VALID"))
    y = n.moved("PAD", y, (1, 24, 4), [[0, 0], [4, 0], [0, 0]])
    y = n.moved("SPACE_TO_BATCH_ND", y, (2, 12, 4), (2,), [[0, 0]])
    y = _steps(n, n.convolution(_image(n, y), 4, (1, 3), padding="VALID", activation="NONE"))
    y = n.moved("BATCH_TO_SPACE_ND", y, (1, 20, 4), (2,), [[0, 0]])
    x = n.binary("ADD", x, y)
    last = n.moved(
        "STRIDED_SLICE",
        x,
        (1, 4),
        *((0, -1, 0), (0, 0, 0), (1, 1, 1)),
        begin_mask=5,
        end_mask=5,
        shrink_axis_mask=2,
    )
    n.output(n.dense(last, 3))


def frames(n: Layers) -> None:
    """Network of VALID filters, one dilated, of which the last two steps are read."""
    x = n.input(1, 18, 4)
    y = _steps(n, n.convolution(_image(n, x), 4, (1, 3), padding="VALID"))
    y = n.moved("SPACE_TO_BATCH_ND", y, (2, 8, 4), (2,), [[0, 0]])
    y = _steps(n, n.convolution(_image(n, y), 4, (1, 3), padding="VALID", activation="NONE"))
    y = n.moved("BATCH_TO_SPACE_ND", y, (1, 12, 4), (2,), [[0, 0]])
    y = n.moved("STRIDED_SLICE", y, (1, 2, 4), (0, 10, 0), (1, 12, 4), (1, 1, 1))
    n.output(n.reshape(y, 1, 8))


def padded_at_the_end(n: Layers) -> None:
    """Network of filters of one step, the last of which see padding alone."""
    y = n.moved("PAD", n.input(1, 6, 2), (1, 9, 2), [[0, 0], [0, 3], [0, 0]])
    n.output(_steps(n, n.convolution(_image(n, y), 3, (1, 1), padding="VALID")))


def early(n: Layers) -> None:
    """Network of a convolution of which two early steps are the output, and not the last ones."""
    y = _steps(n, n.convolution(_image(n, n.input(1, 8, 4)), 4, (1, 3), padding="VALID"))
    y = n.moved("STRIDED_SLICE", y, (1, 2, 4), (0, 1, 0), (1, 3, 4), (1, 1, 1))
    n.output(n.reshape(y, 1, 8))


def _image(n: Layers, x: ModelTensor) -> ModelTensor:
    batches, *rest = x.shape
    return n.moved("EXPAND_DIMS", x, (batches, 1, *rest), -3)


def _steps(n: Layers, image: ModelTensor) -> ModelTensor:
    batches, _, *rest = image.shape
    return n.reshape(image, batches, *rest)
