"""Keras networks that say what an image shows."""

import keras
from keras import Model
from keras import layers as k


def ds_cnn() -> Model:
    """Keyword spotting: depthwise-separable convolutions over a spectrogram."""
    x = inputs = k.Input((24, 10, 1))
    x = _normalised(k.Conv2D(32, (10, 4), strides=2, padding="same", use_bias=False)(x))
    for _ in range(2):
        x = _normalised(k.DepthwiseConv2D(3, padding="same", use_bias=False)(x))
        x = _normalised(k.Conv2D(32, 1, use_bias=False)(x))
    x = k.Dropout(0.4)(k.AveragePooling2D(x.shape[1:3])(x))
    return Model(inputs, k.Dense(12, "softmax")(k.Flatten()(x)))


def cnn() -> Model:
    """The tutorial's classifier: convolutions, maximum pooling, Flatten, Dense."""
    return keras.Sequential(
        [
            k.Input((12, 12, 1)),
            k.Rescaling(1 / 127.5, offset=-1),
            k.Conv2D(12, 3, activation="relu"),
            k.MaxPooling2D(),
            k.Conv2D(16, 3, activation="relu"),
            k.Flatten(),
            k.Dense(16, activation="relu"),
            k.Dense(10, activation="softmax"),
        ]
    )


def mobilenet_v1() -> Model:
    """Depthwise-separable convolutions, padded by layers of their own."""
    x = inputs = k.Input((16, 16, 3))
    x = k.ReLU(6.0)(k.BatchNormalization()(k.Conv2D(8, 3, 2, padding="same", use_bias=False)(x)))
    for filters, stride in ((16, 1), (32, 2), (32, 1)):
        if stride == 2:
            x = k.ZeroPadding2D(((0, 1), (0, 1)))(x)
        x = k.DepthwiseConv2D(3, stride, padding="valid" if stride == 2 else "same")(x)
        x = k.ReLU(6.0)(k.BatchNormalization()(x))
        x = k.ReLU(6.0)(k.BatchNormalization()(k.Conv2D(filters, 1, use_bias=False)(x)))
    x = k.Conv2D(5, 1)(k.Dropout(0.001)(k.GlobalAveragePooling2D(keepdims=True)(x)))
    return Model(inputs, k.Activation("softmax")(k.Reshape((5,))(x)))


def mobilenet_v2() -> Model:
    """Inverted residuals, whose narrow ends have no activation."""
    x = inputs = k.Input((16, 16, 3))
    x = k.ReLU(6.0)(k.BatchNormalization()(k.Conv2D(8, 3, strides=2, padding="same")(x)))
    for filters, stride in ((8, 1), (16, 2), (16, 1)):
        wide = k.ReLU(6.0)(k.BatchNormalization()(k.Conv2D(6 * x.shape[-1], 1)(x)))
        wide = k.DepthwiseConv2D(3, stride, padding="same")(wide)
        wide = k.ReLU(6.0)(k.BatchNormalization()(wide))
        y = k.BatchNormalization()(k.Conv2D(filters, 1)(wide))
        x = k.Add()([x, y]) if y.shape == x.shape else y
    return Model(inputs, k.Dense(5)(k.GlobalAveragePooling2D()(x)))


def mobilenet_v3() -> Model:
    """Keras' own blocks in small: hard swish, and squeeze-and-excite by a hard sigmoid."""
    x = inputs = k.Input((16, 16, 3))
    x = k.Activation("hard_swish")(k.Conv2D(8, 3, strides=2, padding="same")(x))
    for size in (3, 5):
        wide = k.Activation("hard_swish")(k.Conv2D(32, 1)(x))
        wide = k.Activation("hard_swish")(k.DepthwiseConv2D(size, padding="same")(wide))
        x = k.Add()([x, k.Conv2D(8, 1)(_excited(wide, "hard_sigmoid"))])
    x = k.GlobalAveragePooling2D(keepdims=True)(x)
    x = k.Conv2D(40, 1, activation="hard_swish")(x)
    return Model(inputs, k.Flatten()(k.Conv2D(5, 1)(x)))


def efficientnet() -> Model:
    """Swish, and squeeze-and-excite by a sigmoid."""
    x = inputs = k.Input((12, 12, 3))
    x = k.Activation("swish")(k.BatchNormalization()(k.Conv2D(8, 3, 2, padding="same")(x)))
    for _ in range(2):
        wide = k.Activation("swish")(k.BatchNormalization()(k.Conv2D(32, 1)(x)))
        wide = k.Activation("swish")(k.DepthwiseConv2D(5, padding="same")(wide))
        x = k.Add()([x, k.BatchNormalization()(k.Conv2D(8, 1)(_excited(wide, "sigmoid")))])
    return Model(inputs, k.Dense(5, "softmax")(k.GlobalAveragePooling2D()(x)))


def efficientnet_lite() -> Model:
    """Inverted residuals without swish."""
    x = inputs = k.Input((12, 12, 3))
    x = k.Conv2D(8, 3, strides=2, padding="same", activation="relu6")(x)
    for size in (3, 5):
        wide = k.Conv2D(48, 1, activation="relu6")(x)
        wide = k.DepthwiseConv2D(size, padding="same", activation="relu6")(wide)
        x = k.Add()([x, k.Conv2D(8, 1)(wide)])
    return Model(inputs, k.Dense(5)(k.Dropout(0.2)(k.GlobalAveragePooling2D()(x))))


def resnet() -> Model:
    """Residual blocks, the second with a convolution in its shortcut."""
    x = inputs = k.Input((16, 16, 3))
    x = _normalised(k.Conv2D(16, 3, padding="same")(x))
    for filters, stride in ((16, 1), (24, 2)):
        y = _normalised(k.Conv2D(filters, 3, stride, padding="same")(x))
        y = k.BatchNormalization()(k.Conv2D(filters, 3, padding="same")(y))
        short = x if stride == 1 else k.Conv2D(filters, 1, stride)(x)
        x = k.ReLU()(k.Add()([short, y]))
    return Model(inputs, k.Dense(10, "softmax")(k.GlobalAveragePooling2D()(x)))


def preactivated_resnet() -> Model:
    """ResNet with batch norms before convolutions, which cannot absorb the norms."""
    x = inputs = k.Input((12, 12, 3))
    x = k.Conv2D(16, 3, padding="same")(x)
    for _ in range(2):
        y = k.Conv2D(16, 3, padding="same")(_normalised(x))
        x = k.Add()([x, k.Conv2D(16, 3, padding="same")(_normalised(y))])
    return Model(inputs, k.Dense(10)(k.GlobalAveragePooling2D()(_normalised(x))))


def squeezenet() -> Model:
    """Fire modules: two convolutions of one input, concatenated."""
    x = inputs = k.Input((16, 16, 3))
    x = k.MaxPooling2D(3, 2)(k.Conv2D(16, 3, 2, activation="relu", padding="same")(x))
    for squeeze, expand in ((8, 16), (12, 24)):
        few = k.Conv2D(squeeze, 1, activation="relu")(x)
        parts = [k.Conv2D(expand, n, padding="same", activation="relu")(few) for n in (1, 3)]
        x = k.Concatenate()(parts)
    x = k.GlobalAveragePooling2D()(k.Conv2D(6, 1, activation="relu")(x))
    return Model(inputs, k.Softmax()(x))


def shufflenet() -> Model:
    """Grouped convolutions, and channels that change groups."""
    x = inputs = k.Input((8, 8, 24))
    for _ in range(2):
        y = k.ReLU()(k.Conv2D(24, 1, groups=3)(x))
        y = k.Permute((1, 2, 4, 3))(k.Reshape((8, 8, 3, 8))(y))
        y = k.DepthwiseConv2D(3, padding="same")(k.Reshape((8, 8, 24))(y))
        x = k.ReLU()(k.Add()([x, k.Conv2D(24, 1, groups=3)(y)]))
    return Model(inputs, k.Dense(5)(k.GlobalMaxPooling2D()(x)))


def inception() -> Model:
    """Convolutions of several sizes and a pool side by side."""
    x = inputs = k.Input((10, 10, 3))
    for _ in range(2):
        parts = [
            k.Conv2D(8, 1, activation="relu")(x),
            k.Conv2D(12, 3, padding="same", activation="relu")(k.Conv2D(8, 1)(x)),
            k.Conv2D(8, 5, padding="same", activation="relu")(k.Conv2D(4, 1)(x)),
            k.Conv2D(8, 1)(k.MaxPooling2D(3, 1, padding="same")(x)),
            k.AveragePooling2D(3, 1, padding="same")(x),
        ]
        x = k.Concatenate()(parts)
    return Model(inputs, k.Dense(5, "softmax")(k.GlobalAveragePooling2D()(x)))


def densenet() -> Model:
    """Dense blocks, each layer of which reads all layers before."""
    x = inputs = k.Input((10, 10, 3))
    x = k.Conv2D(16, 3, padding="same")(x)
    for _ in range(3):
        y = k.Conv2D(12, 3, padding="same")(_normalised(k.Conv2D(24, 1)(_normalised(x))))
        x = k.Concatenate()([x, y])
    x = k.AveragePooling2D(2)(k.Conv2D(16, 1)(x))
    return Model(inputs, k.Dense(5)(k.GlobalAveragePooling2D()(x)))


def xception() -> Model:
    """Separable convolutions with a depth multiplier."""
    x = inputs = k.Input((12, 12, 3))
    x = k.SeparableConv2D(16, 3, depth_multiplier=2, padding="same", activation="relu")(x)
    y = k.SeparableConv2D(32, 3, padding="same", activation="relu")(x)
    y = k.MaxPooling2D(3, strides=2, padding="same")(y)
    x = k.Add()([y, k.Conv2D(32, 1, strides=2)(x)])
    return Model(inputs, k.Dense(5)(k.GlobalAveragePooling2D()(x)))


def convnext() -> Model:
    """Depthwise 7x7, LayerNormalization and GELU, with a residual."""
    x = inputs = k.Input((8, 8, 3))
    x = k.LayerNormalization()(k.Conv2D(16, 2, strides=2)(x))
    y = k.LayerNormalization(epsilon=1e-6)(k.DepthwiseConv2D(7, padding="same")(x))
    y = k.Dense(16)(k.Dense(64, activation="gelu")(y))
    return Model(inputs, k.Dense(5)(k.GlobalAveragePooling2D()(k.Add()([x, y]))))


def _normalised(x: keras.KerasTensor) -> keras.KerasTensor:
    return k.ReLU()(k.BatchNormalization()(x))


def _excited(x: keras.KerasTensor, gate: str) -> keras.KerasTensor:
    """Channels scaled by gates that the channels' means decide."""
    few = k.Conv2D(8, 1, activation="relu")(k.GlobalAveragePooling2D(keepdims=True)(x))
    return k.Multiply()([x, k.Conv2D(x.shape[-1], 1, activation=gate)(few)])
