"""Handlers of torch's layers: convolution, matrix product, pooling, normalisation, enlarging."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from opsmith.frontend.pt2.writer import Arguments, Writer

Handler = Callable[[Writer, Arguments], None]


def conv(writer: Writer, given: Arguments) -> None:
    """Write convolutions of images or sequences, transposed ones, or convolution, which is any."""
    inputs = [given.get("input"), given.get("weight"), given.get("bias")]
    transposed = given.get("transposed", "transpose" in writer.call.target)
    axes = _axes(writer, inputs[0])
    padding, added = given.get("padding", 0), given.along(axes, "output_padding", 0)
    steps, dilations = (given.along(axes, name, 1) for name in ("stride", "dilation"))
    options = {"strides": steps, "dilations": dilations, "group": given.get("groups", 1)}
    if isinstance(padding, str):
        options["auto_pad"] = {"same": b"SAME_UPPER", "valid": b"VALID"}.get(padding, b"")
    else:
        options["pads"] = given.along(axes, "padding", 0) * 2
    if transposed:
        options["output_padding"] = added
    elif any(added):
        raise writer.refuse("output_padding is of transposed convolutions alone")
    names = [writer.operand(name) for name in inputs if name is not None]
    writer.emit("ConvTranspose" if transposed else "Conv", names, **options)


def _axes(writer: Writer, x: str) -> int:
    """Number of axes besides batch and channels."""
    axes = writer.rank(x) - 2
    if axes not in (1, 2):
        raise writer.refuse("only images and sequences are read, with batch and channels")
    return axes


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
    axes = _axes(writer, x)
    kernel = given.along(axes, "kernel_size", [])
    options = {
        "kernel_shape": kernel,
        "strides": given.along(axes, "stride", kernel),
        "pads": given.along(axes, "padding", 0) * 2,
        "ceil_mode": given.get("ceil_mode", False),
    }
    if most:
        options["dilations"] = given.along(axes, "dilation", 1)
    else:
        options["count_include_pad"] = given.get("count_include_pad", True)
        if given.get("divisor_override") is not None:
            raise writer.refuse("divisor_override is not read")
    writer.emit("MaxPool" if most else "AveragePool", [writer.operand(x)], **options)


def adaptive_pool(writer: Writer, given: Arguments) -> None:
    """Write adaptive average pooling as averages of equal windows, one per pixel of the output."""
    x = given.get("self")
    axes = _axes(writer, x)
    asked, sizes = given.along(axes, "output_size", []), writer.sizes(x)[2:]
    if any(n < 1 or size % n for size, n in zip(sizes, asked, strict=True)):
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


def group_norm(writer: Writer, given: Arguments) -> None:
    """Write a group norm, with a factor and an addend for each channel."""
    x = given.get("input")
    names, count = [writer.operand(x)], writer.sizes(x)[1]
    for index, name in enumerate(("weight", "bias")):
        found = given.get(name)
        plain = np.full(count, 1 - index, np.float32)
        names.append(writer.constant(plain) if found is None else writer.operand(found))
    options = {"num_groups": given.get("num_groups"), "epsilon": float(given.get("eps", 1e-5))}
    writer.emit("GroupNormalization", names, **options)


def attention(writer: Writer, given: Arguments) -> None:
    """Write a scaled dot product attention of heads."""
    names = [given.get(each) for each in ("query", "key", "value", "attn_mask")]
    if any(writer.rank(name) != 4 for name in names[:3]):
        raise writer.refuse("only batches of heads are read: four axes")
    options: dict[str, Any] = {"is_causal": int(given.get("is_causal", False))}
    if (scale := given.get("scale")) is not None:
        options["scale"] = float(scale)
    given.seen.add("enable_gqa")
    writer.emit("Attention", [writer.operand(name) for name in names if name], **options)


LAYERS: dict[str, Handler] = {
    **dict.fromkeys(("conv1d", "conv2d", "convolution"), conv),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d"), conv),
    "linear": linear,
    **dict.fromkeys(("addmm", "mm", "bmm", "matmul"), product),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "max_pool2d_with_indices"), pool),
    **dict.fromkeys(("avg_pool1d", "avg_pool2d"), pool),
    **dict.fromkeys(("adaptive_avg_pool1d", "adaptive_avg_pool2d"), adaptive_pool),
    **dict.fromkeys(("batch_norm", "_native_batch_norm_legit_no_training"), batch_norm),
    **dict.fromkeys(("layer_norm", "native_layer_norm"), layer_norm),
    "group_norm": group_norm,
    "scaled_dot_product_attention": attention,
    **dict.fromkeys(("upsample_nearest2d", "upsample_bilinear2d"), upsample),
}
