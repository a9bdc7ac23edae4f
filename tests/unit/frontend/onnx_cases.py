"""Operators that the ONNX front end reads, each with constants, attributes and a shape."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opsmith.ir import Array

RNG = np.random.default_rng(42)
IMAGE = (1, 4, 6, 8)
SCALE, POINT = 0.05, 3
WEIGHT = 0.0125  # scale of constants
OF_SHARES = 1 / 256, -128  # scale and zero point
SHARES = ("Softmax",)
WEIGHTED = ("PRelu", "Add", "Sub", "Mul", "Div", "Conv", "ConvTranspose", "MatMul", "Gemm")


def normal(*shape: int) -> Array:
    """Random elements of float32 with a normal distribution."""
    return RNG.normal(0, 0.5, shape).astype(np.float32)


# Operator, the constants after x, attributes, how far a quantised output may be from ONNX's
# float32 (None: it is read in float32 alone), and the shape of x.
Case = tuple[str, Sequence[Any], dict[str, Any], int | None, Sequence[int]]
IMAGES: list[tuple[str, Sequence[Any], dict[str, Any], int | None]] = [
    ("Add", [normal(4, 1, 1)], {}, 0),
    ("Sub", [normal(1, 4, 6, 8)], {}, 0),
    ("Mul", [normal(8)], {}, 0),
    ("Div", [normal(4, 1, 1) + np.float32(3)], {}, 1),
    *((kind, [np.float32(0.75)], {}, 0) for kind in ("Add", "Sub", "Mul", "Div")),
    ("Relu", [], {}, 0),
    ("Sigmoid", [], {}, 0),
    ("Tanh", [], {}, 0),
    ("HardSwish", [], {}, 0),
    ("LeakyRelu", [], {"alpha": 0.2}, 0),
    ("Gelu", [], {}, 0),
    ("Gelu", [], {"approximate": "tanh"}, 0),
    ("Clip", [np.float32(0), np.float32(6)], {}, 0),
    ("Clip", [np.float32(0)], {}, 0),
    ("Clip", [np.float32(-0.3), np.float32(0.7)], {}, 0),
    ("Elu", [], {}, 0),
    ("Elu", [], {"alpha": 0.7}, 0),
    ("HardSigmoid", [], {}, 0),
    ("HardSigmoid", [], {"alpha": 0.3, "beta": 0.4}, 0),
    ("PRelu", [np.float32(0.3)], {}, 0),
    ("PRelu", [normal(4, 1, 1)], {}, 0),
    *((kind, [], {}, 0) for kind in ("Abs", "Neg", "Exp", "Sin", "Cos", "Ceil", "Floor", "Round")),
    *((kind, [], {}, 0) for kind in ("Mish", "Selu", "Sign", "Softplus", "Softsign", "Swish")),
    ("Celu", [], {"alpha": 0.5}, 0),
    *((kind, [], {}, None) for kind in ("Log", "Reciprocal", "Sqrt")),
    ("Pow", [np.float32(2)], {}, 1),
    ("Max", [normal(8)], {}, 1),
    ("Min", [np.float32(0.2)], {}, 0),
    ("Softmax", [], {"axis": 1}, 1),
    ("Softmax", [], {"axis": -1}, 1),
    ("LogSoftmax", [], {"axis": 1}, 1),
    ("ArgMax", [], {"axis": 1}, None),
    ("ArgMin", [], {"axis": -1, "keepdims": 0}, None),
    ("Conv", [normal(6, 4, 3, 3), normal(6)], {"pads": [1, 1, 1, 1]}, 1),
    ("Conv", [normal(8, 1, 3, 3)], {"group": 4, "dilations": [2, 2]}, 1),
    ("Conv", [normal(6, 2, 3, 3)], {"group": 2, "auto_pad": "SAME_UPPER"}, 1),
    ("ConvTranspose", [normal(4, 5, 3, 3), normal(5)], {"strides": [2, 2]}, 1),
    (
        "ConvTranspose",
        [normal(4, 2, 3, 3)],
        {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
        1,
    ),
    ("ConvTranspose", [normal(4, 1, 2, 3)], {"group": 4, "dilations": [2, 1]}, 1),
    ("ConvTranspose", [normal(4, 2, 3, 3)], {"strides": [2, 2], "auto_pad": "SAME_UPPER"}, 1),
    ("ConvTranspose", [normal(4, 2, 2, 2)], {"strides": [2, 3], "output_shape": [13, 24]}, 1),
    ("MatMul", [normal(8, 3)], {}, 1),
    ("MaxPool", [], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 0]}, 0),
    ("MaxPool", [], {"kernel_shape": [3, 3], "strides": [2, 3], "ceil_mode": 1}, 0),
    ("MaxPool", [], {"kernel_shape": [2, 2], "strides": [4, 3], "ceil_mode": 1}, 0),
    ("AveragePool", [], {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}, 1),
    ("AveragePool", [], {"kernel_shape": [3] * 2, "pads": [1] * 4, "count_include_pad": 1}, 1),
    ("MaxPool", [], {"kernel_shape": [2, 3], "dilations": [2, 2], "pads": [1, 2, 0, 2]}, 0),
    ("AveragePool", [], {"kernel_shape": [2, 3], "dilations": [2, 2], "pads": [1, 2, 0, 2]}, 1),
    ("AveragePool", [], {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}, 1),
    ("GlobalAveragePool", [], {}, 1),
    ("GlobalMaxPool", [], {}, 0),
    ("ReduceMean", [np.array([2, 3])], {}, 1),
    ("ReduceMean", [np.array([-1])], {"keepdims": 0}, 1),
    ("ReduceSum", [np.array([1])], {"keepdims": 0}, 1),
    ("ReduceMax", [np.array([2, 3])], {"keepdims": 0}, 0),
    ("ReduceMin", [np.array([1])], {}, 0),
    ("ReduceMax", [], {}, 0),
    ("Slice", [np.array([1, -5]), np.array([9, -1]), np.array([2, 3])], {}, 0),
    ("Slice", [np.array([-1]), np.array([-99]), np.array([3]), np.array([-2])], {}, 0),
    ("Pad", [np.array([0, 1, 2, 0, 0, 1, 0, 3])], {}, 0),
    ("Pad", [np.array([1, 2]), np.float32(-np.inf), np.array([3])], {}, None),
    ("Pad", [np.zeros(8, np.int64)], {}, 0),
    ("Pad", [np.array([1, 2]), np.float32(-0.4), np.array([3])], {}, 0),
    ("Pad", [np.array([0, 0, 2, 1, 0, 0, 1, 0])], {"mode": "reflect"}, 0),
    *(("Pad", [np.array([1, 2, 2, 1]), None, np.array([3, 2])], {"mode": mode}, 0)
      for mode in ("edge", "wrap")),
    ("Gather", [np.array([3, -1, 0])], {"axis": 1}, 0),
    ("Gather", [np.array(2)], {"axis": 1}, 0),
    ("Gather", [np.array([[0, 1], [2, 3]])], {"axis": 3}, 0),
    ("Resize", [None, np.array([1, 1, 2, 3], np.float32)],
     {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, 0),
    ("Resize", [None, np.array([1, 1, 2, 2], np.float32)], {}, 0),
    ("Resize", [None, None, np.array([4, 7])],
     {"axes": [2, 3], "keep_aspect_ratio_policy": "not_larger", "nearest_mode": "ceil"}, 0),
    ("Resize", [None, None, np.array([1, 4, 9, 4])], {"mode": "linear"}, 1),
    ("Resize", [None, None, np.array([1, 4, 11, 15])],
     {"mode": "linear", "coordinate_transformation_mode": "align_corners"}, 1),
    *(("Resize", [None, None, np.array([1, 4, size, 16])],
       {"mode": "linear", "coordinate_transformation_mode": f"{name}"}, 1)
      for name, size in (("asymmetric", 5), ("pytorch_half_pixel", 3))),
    *(("DepthToSpace", [], {"blocksize": 2, "mode": mode}, 0) for mode in ("DCR", "CRD")),
    ("SpaceToDepth", [], {"blocksize": 2}, 0),
    ("Tile", [np.array([1, 2, 1, 3])], {}, 0),
    ("Expand", [np.array([3, 1, 4, 1, 1])], {}, 0),
    ("Transpose", [], {"perm": [0, 2, 3, 1]}, 0),
    ("Reshape", [np.array([0, 8, -1])], {}, 0),
    ("Flatten", [], {"axis": 2}, 0),
    ("Unsqueeze", [np.array([0])], {}, 0),
    ("Squeeze", [np.array([0])], {}, 0),
    ("Squeeze", [], {}, 0),
    ("BatchNormalization", [*normal(3, 4), normal(4) ** 2], {"epsilon": 0.01}, 1),
    ("InstanceNormalization", [normal(4), normal(4)], {}, 1),
    ("LayerNormalization", [normal(8), normal(8)], {}, 1),
    ("LayerNormalization", [normal(4, 6, 8)], {"axis": 1}, None),
    ("RMSNormalization", [normal(8)], {}, 1),
    ("GroupNormalization", [normal(4), normal(4)], {"num_groups": 2}, 1),
    ("MeanVarianceNormalization", [], {}, 1),
    ("LpNormalization", [], {"axis": 1}, 1),
    ("ReduceProd", [np.array([1])], {}, 1),
    *((kind, [], {}, None) for kind in ("Acos", "Asin", "Tan")),
    ("Atan", [], {}, 0),
    ("Shrink", [], {"lambd": 0.3, "bias": 0.1}, 0),
    ("ThresholdedRelu", [], {"alpha": 0.2}, 0),
    ("CumSum", [np.array(2)], {"exclusive": 1}, 1),
    ("CumSum", [np.array(-1)], {"reverse": 1}, 1),
    ("Einsum", [normal(8, 3)], {"equation": "nchw,wk->nkch"}, None),
    ("Einsum", [normal(2, 4, 8, 5)], {"equation": "abij,zbjk"}, None),
    ("Einsum", [], {"equation": "nchw->hc"}, 1),
    ("GatherElements", [np.array([[[[0] * 8, [-1] * 8]] * 4])], {"axis": 2}, 0),
    ("GatherND", [np.array([[[1, -1], [3, 0], [0, 2]]])], {"batch_dims": 1}, 0),
    ("GatherND", [np.array([[0, 2], [0, -1]])], {}, 0),
    ("ScatterElements", [np.array([[[[2, 0, -1]]]]), normal(1, 1, 1, 3)], {"axis": 3}, None),
    ("ScatterND", [np.array([[0, 3], [0, -3]]), normal(2, 6, 8)], {}, None),
    ("Trilu", [np.array(1)], {"upper": 0}, 0),
    ("Trilu", [], {}, 0),
]  # fmt: skip
ROWS: list[tuple[str, Sequence[Any], dict[str, Any], int | None]] = [
    ("Gemm", [normal(5, 8), normal(5)], {"transB": 1}, 1),
    ("MatMul", [normal(8, 3)], {}, 1),
    ("Softmax", [], {}, 1),
    ("BatchNormalization", [normal(8), normal(8), normal(8), normal(8) ** 2], {}, 1),
    ("LayerNormalization", [normal(8), normal(8)], {}, 1),
    ("ReduceMean", [np.array([1])], {}, 1),
]
LINES: list[tuple[str, Sequence[Any], dict[str, Any], int | None]] = [
    ("Conv", [normal(6, 2, 3), normal(6)], {"group": 2, "pads": [1, 2], "dilations": [2]}, 1),
    ("ConvTranspose", [normal(4, 3, 3), normal(3)], {"strides": [2], "output_padding": [1]}, 1),
    ("MaxPool", [], {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}, 0),
    ("AveragePool", [], {"kernel_shape": [2], "strides": [2]}, 1),
    ("Resize", [None, np.array([1, 1, 2.5], np.float32)], {}, 0),
    ("Resize", [None, None, np.array([1])], {"axes": [2]}, 0),
    ("Resize", [None, np.array([1, 2], np.float32)], {"axes": [1, 2]}, 0),
    ("GlobalAveragePool", [], {}, 1),
]
ROUNDED = [None, None, np.array([1, 2, 31, 5])]  # 31 / 7 in float32, times 7, is not 31
CASES: list[Case] = [
    ("Resize", ROUNDED, {"mode": "linear"}, 1, (1, 2, 7, 5)),
    *((*each, IMAGE) for each in IMAGES),
    *((*each, (3, 8)) for each in ROWS),
    *((*each, (1, 4, 10)) for each in LINES),
    ("GlobalAveragePool", [], {}, 1, (1, 2, 3, 4, 2)),
]
QUANTISED = [case for case in CASES if case[3] is not None]
