"""Handlers of torch's layers: convolution, matrix product, pooling, normalisation, enlarging."""

import math
from collections.abc import Callable

import numpy as np

from opsmith.frontend.pt2.writer import Arguments, Writer

Handler = Callable[[Writer, Arguments], None]


def conv(writer: Writer, given: Arguments) -> None:
    """Write conv2d, conv_transpose2d or convolution, which can be both."""
    inputs = [given.get("input"), given.get("weight"), given.get("bias")]
    transposed = given.get("transposed", "transpose" in writer.call.target)
    padding, added = given.get("padding", 0), given.pair("output_padding", 0)
    steps = given.pair("stride", 1), given.pair("dilation", 1)
    if writer.rank(inputs[0]) != 4:
        raise writer.refuse("only images are read: two axes besides batch and channels")
    options = {"strides": steps[0], "dilations": steps[1], "group": given.get("groups", 1)}
    if isinstance(padding, str):
        options["auto_pad"] = {"same": b"SAME_UPPER", "valid": b"VALID"}.get(padding, b"")
    else:
        options["pads"] = given.pair("padding", 0) * 2
    if transposed:
        options["output_padding"] = added
    elif any(added):
        raise writer.refuse("output_padding is of transposed convolutions alone")
    names = [writer.operand(name) for name in inputs if name is not None]
    writer.emit("ConvTranspose" if transposed else "Conv", names, **options)


def linear(writer: Writer, given: Arguments) -> None:
    """Write a linear layer: rows of x times rows of the weights."""
    names = [given.get("input"), given.get("weight"), given.get("bias")]
    names = [writer.operand(name) for name in names if name is not None]
    writer.emit("MatMul", names, transB=1)


def product(writer: Writer, given: Arguments) -> None:
    """Write addmm, mm, bmm or matmul."""
    added = "mat1" in writer.call.arguments
    first, second = (
        ("mat1" if added else "self"),
        ("other" if "other" in given.call.arguments else "mat2"),
    )
    names = [given.get(first), given.get(second), given.get("self") if added else None]
    if {given.get("alpha", 1), given.get("beta", 1)} != {1}:
        raise writer.refuse("alpha and beta are not read but as 1")
    writer.emit("MatMul", [writer.operand(name) for name in names if name is not None])


def pool(writer: Writer, given: Arguments) -> None:
    """Write pooling by windows."""
    most, x = "max" in writer.call.target, given.get("self")
    kernel = given.pair("kernel_size", [])
    options = {
        "kernel_shape": kernel,
        "strides": given.pair("stride", kernel),
        "pads": given.pair("padding", 0) * 2,
        "ceil_mode": given.get("ceil_mode", False),
    }
    if most:
        options["dilations"] = given.pair("dilation", 1)
    else:
        options["count_include_pad"] = given.get("count_include_pad", True)
        if given.get("divisor_override") is not None:
            raise writer.refuse("divisor_override is not read")
    writer.emit("MaxPool" if most else "AveragePool", [writer.operand(x)], **options)


def adaptive_pool(writer: Writer, given: Arguments) -> None:
    """Write adaptive average pooling as averages of equal windows, one per pixel of the output."""
    x, asked = given.get("self"), given.pair("output_size", [])
    sizes = writer.sizes(x)[-2:]
    if len(sizes) != 2 or any(n < 1 or size % n for size, n in zip(sizes, asked, strict=True)):
        raise writer.refuse(f"{sizes} is not cut into {asked} equal windows", "MDL014")
    kernel = [size // n for size, n in zip(sizes, asked, strict=True)]
    writer.emit("AveragePool", [writer.operand(x)], kernel_shape=kernel, strides=kernel)


def batch_norm(writer: Writer, given: Arguments) -> None:
    """Write a batch norm in evaluation: a factor and an addend for each channel."""
    if given.get("training", False):
        raise writer.refuse("it is in training", "MDL013")
    x, mean = given.get("input"), given.get("running_mean")
    if mean is None or given.get("running_var") is None:
        raise writer.refuse("it has no mean and variance of training")
    names = [writer.operand(x)]
    for index, name in enumerate(("weight", "bias")):
        found = given.get(name)
        plain = np.full(writer.array(mean).shape, 1 - index, np.float32)
        names.append(writer.constant(plain) if found is None else writer.operand(found))
    names += [writer.operand(mean), writer.operand(given.get("running_var"))]
    writer.emit("BatchNormalization", names, epsilon=float(given.get("eps", 1e-5)))


def layer_norm(writer: Writer, given: Arguments) -> None:
    """Write a layer norm over the last axes."""
    shape, x = given.get("normalized_shape", []), given.get("input")
    names = [given.get("weight"), given.get("bias")]
    epsilon = float(given.get("eps", 1e-5))
    if any(n < 1 for n in shape) or tuple(shape) != writer.sizes(x)[-len(shape) :]:
        raise writer.refuse(f"its axes are not {shape}", "MDL014")
    weight = names[0]
    first = (
        writer.constant(np.ones(shape, np.float32)) if weight is None else writer.operand(weight)
    )
    inputs = [writer.operand(x), first]
    inputs += [writer.operand(names[1])] if names[1] is not None else []
    writer.emit("LayerNormalization", inputs, axis=-len(shape), epsilon=epsilon)


def upsample(writer: Writer, given: Arguments) -> None:
    """Write an enlarging of images, nearest or bilinear, to the size that the file states."""
    x = given.get("input", given.get("self"))
    given.seen |= {"output_size", "scale_factors", "scales_h", "scales_w"}
    corners = given.get("align_corners", False)
    nearest = "nearest" in writer.call.target
    old, sizes = writer.sizes(x), writer.sizes(writer.call.outputs[0])
    scales = given.get("scale_factors", [given.get("scales_h"), given.get("scales_w")])
    for before, after, scale in zip(old[2:], sizes[2:], scales, strict=False):
        if scale is not None and not math.isclose(before * scale, after):
            raise writer.refuse(f"{before} pixels times {scale} are not {after}", "MDL014")
    where = b"asymmetric" if nearest else b"align_corners" if corners else b"half_pixel"
    names = [writer.operand(x), "", "", writer.constant(np.array(sizes, np.int64))]
    mode = b"nearest" if nearest else b"linear"
    writer.emit(
        "Resize",
        names,
        None,
        mode=mode,
        nearest_mode=b"floor",
        coordinate_transformation_mode=where,
    )


LAYERS: dict[str, Handler] = {
    **dict.fromkeys(("conv2d", "convolution", "conv_transpose2d"), conv),
    "linear": linear,
    **dict.fromkeys(("addmm", "mm", "bmm", "matmul"), product),
    **dict.fromkeys(("max_pool2d", "max_pool2d_with_indices", "avg_pool2d"), pool),
    "adaptive_avg_pool2d": adaptive_pool,
    **dict.fromkeys(("batch_norm", "_native_batch_norm_legit_no_training"), batch_norm),
    **dict.fromkeys(("layer_norm", "native_layer_norm"), layer_norm),
    **dict.fromkeys(("upsample_nearest2d", "upsample_bilinear2d"), upsample),
}
