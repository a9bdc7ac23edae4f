"""Networks of int8 on one image, some of whose channels are dead or saturate: whole, or streamed.

Layers come one after the other, now and then beside each other. Those of `ROWS` can be pushed row
by row; those of `FRAMES` are VALID and of stride 1 along time.
"""

from random import Random

from opsmith.tflite.emitter import ModelTensor
from tests.fuzz.graphs import elementwise, layers, movement, reductions
from tests.fuzz.graphs import window as windows
from tests.fuzz.graphs.builder import Builder, of
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.kind import Kind, kinds

MOST_NODES = 8
DEAD = 0.2  # of channels, in networks that have some


def residual(build: Builder, op: str, dtype: str) -> None:
    """Add a residual block: x, or some of its pixels, plus the result of one or two windows."""
    x = build.pick(dtype, rank=4)
    stride = build.one(1, 1, 2)
    a = _filtered(build, x, x.shape[3], (1, 1), stride) if stride > 1 else x
    b = _filtered(build, x, a.shape[3], (3, 3), stride)
    if build.one(True, False):
        b = _filtered(build, b, a.shape[3], (3, 1))
    options: windows.Options = {"fused_activation_function": windows.activation(build)}
    build.node(op, [a, b], a.shape, dtype, build.quantisation(dtype), options, version=2)


def _filtered(
    build: Builder, x: ModelTensor, filters: int, sizes: tuple[int, int], stride: int = 1
) -> ModelTensor:
    """A convolution of x, padded to keep the size of the image over the stride."""
    w, scales = layers.made_weights(build, x, "int8", (filters, *sizes, x.shape[3]), 0)
    b = layers.made_bias(build, x, "int32", filters, scales)
    shape = (1, *(-(-size // stride) for size in x.shape[1:3]), filters)
    options: windows.Options = {"padding": "SAME", "stride_h": stride, "stride_w": stride}
    return build.node(
        "CONV_2D", [x, w, b], shape, "int8", build.quantisation("int8"), options, version=3
    )


def mean_of_windows(build: Builder, op: str, dtype: str) -> None:
    """Add the mean of adjacent windows, often over all rows."""
    x = build.pick(dtype, rank=4)
    height = build.one(x.shape[1], x.shape[1], (x.shape[1] + 1) // 2)
    width = build.chance.randint(1, x.shape[2])
    options: windows.Options = {"padding": "VALID", "stride_w": width, "stride_h": height}
    options |= {"filter_height": height, "filter_width": width}
    shape = (1, x.shape[1] // height, x.shape[2] // width, x.shape[3])
    build.node(op, [x], shape, dtype, of(x), options, version=2)


def _of(*modules: tuple[Kind, ...], ops: str) -> list[Kind]:
    """Kinds of int8 nodes of the named operators, repeated as often as named."""
    found = [kind for each in modules for kind in each if set(kind.types) <= {"int8", "int32"}]
    return [kind for op in ops.split() for kind in found if (kind.op, kind.apart) == (op, "")]


ALL = (elementwise.KINDS, layers.KINDS, movement.KINDS, reductions.KINDS, windows.KINDS)
WHOLE = _of(
    *ALL,
    ops="CONV_2D DEPTHWISE_CONV_2D AVERAGE_POOL_2D MAX_POOL_2D PAD PADV2 ADD ADD SUB MUL MAXIMUM "
    "MINIMUM RELU RELU6 QUANTIZE RESHAPE CONCATENATION STRIDED_SLICE TRANSPOSE SPLIT_V MEAN "
    "FULLY_CONNECTED",
)
FRAMES = _of(
    *ALL, ops="CONV_2D CONV_2D DEPTHWISE_CONV_2D AVERAGE_POOL_2D MAX_POOL_2D ADD ADD MUL RELU"
)
ROWS = [
    *_of(*ALL, ops="CONV_2D DEPTHWISE_CONV_2D AVERAGE_POOL_2D MAX_POOL_2D ADD CONCATENATION RELU"),
    *kinds(residual, ADD="int8 int8"),
    *kinds(mean_of_windows, AVERAGE_POOL_2D="int8"),
]
# The sizes of images; some widths and channels make rows of 16 bytes, which need no copy.
SIZES = {
    "whole": (range(2, 7), range(1, 7), range(2, 7)),
    "rows": (range(5, 16), (1, 2, 4, 5), (1, 4, 8)),
    "frames": (range(26, 31), (1, 2, 4), (1, 4, 8)),
}


def network(seed: int, kind: str = "whole") -> bytes:
    """The .tflite file of the network of this seed, of a kind of `SIZES`."""
    chance = Random(f"network {kind} {seed}")
    build = Builder(chance)
    build.frames, build.dead = kind == "frames", chance.choice((0.0, DEAD))
    build.input("int8", (1, *(chance.choice(sizes) for sizes in SIZES[kind])))
    build.alone = True
    some = {"whole": WHOLE, "rows": ROWS, "frames": FRAMES}[kind]
    for _ in range(chance.randint(1, MOST_NODES)):
        chance.choice(some).add(build)
    if len(build.tensors) == 1:
        some[0].add(build)
    return model(build.finish())
