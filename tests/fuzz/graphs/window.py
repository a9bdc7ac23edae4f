"""Windows that slide over images, and images of other sizes."""

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from tests.fuzz.graphs.builder import Builder, of
from tests.fuzz.graphs.kind import impossible_unless, kinds

Options = dict[str, OptionValue]


def window(
    build: Builder, x: ModelTensor, sizes: tuple[int, int], dilation: tuple[int, int] = (1, 1)
) -> tuple[Options, list[int]]:
    """Options of a window that slides over the image x, and the size of what it gives."""
    strides = (1, 1) if build.frames else build.one((1, 1), (1, 1), (2, 2), (1, 2))
    reach = [(size - 1) * by + 1 for size, by in zip(sizes, dilation, strict=True)]
    beyond = any(r > n for r, n in zip(reach, x.shape[1:3], strict=True))
    impossible_unless(not (build.frames and beyond))
    same = not build.frames and (beyond or build.one(True, False))
    kept = [n if same else n - r + 1 for n, r in zip(x.shape[1:3], reach, strict=True)]
    options: Options = {"padding": "SAME" if same else "VALID"}
    options |= {"stride_h": strides[0], "stride_w": strides[1]}
    options["fused_activation_function"] = activation(build)
    return options, [-(-n // stride) for n, stride in zip(kept, strides, strict=True)]


def activation(build: Builder) -> str:
    """Random fused activation, or "NONE"."""
    return str(build.one("NONE", "NONE", "RELU", "RELU6"))


def pool(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, rank=4)
    sizes = (min(x.shape[1], build.one(1, 2, 3)), min(x.shape[2], 2))
    options, size = window(build, x, sizes)
    options |= {"filter_height": sizes[0], "filter_width": sizes[1]}
    shape = (x.shape[0], *size, x.shape[3])
    version = 1 if op == "L2_POOL_2D" else 2
    build.node(op, [x], shape, dtype, of(x), options, version=version)


def resize(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, rank=4)
    size = [build.chance.randint(1, 8), build.chance.randint(1, 8)]
    corners = build.one(True, False)
    options: Options = {
        "align_corners": corners,
        "half_pixel_centers": not corners and build.one(True, False),
    }
    shape = (x.shape[0], *size, x.shape[3])
    build.node(op, [x, build.numbers(size)], shape, dtype, of(x), options, version=3)


KINDS = (
    *kinds(pool, weight=3, AVERAGE_POOL_2D="int8", MAX_POOL_2D="int8"),
    *kinds(
        pool,
        AVERAGE_POOL_2D="uint8 int16 float32",
        MAX_POOL_2D="uint8 int16 float32",
        L2_POOL_2D="float32",
    ),
    *kinds(
        resize,
        RESIZE_BILINEAR="int8 uint8 int16 float32",
        RESIZE_NEAREST_NEIGHBOR="int8 uint8 int16 int32 uint16 uint32 float32 bool",
    ),
)
