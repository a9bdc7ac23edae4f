"""Keras networks of layers that the others do not have, and of newer designs."""

import keras
from keras import Model, ops
from keras import layers as k


def merges() -> Model:
    """Network of every layer that merges two tensors."""
    a, b = k.Input((6, 8), name="a"), k.Input((6, 8), name="b")
    layers = (k.Add, k.Subtract, k.Multiply, k.Average, k.Maximum, k.Minimum, k.Concatenate)
    outputs = [layer()([a, b]) for layer in layers]
    return Model([a, b], [*outputs, k.Dot(axes=2)([a, b]), k.Dot(axes=(1, 1))([a, b])])


def convolutions() -> Model:
    """Strides, dilations, depth multipliers and paddings of every kind."""
    x = inputs = k.Input((15, 14, 4))
    outputs = [
        k.Conv2D(6, (3, 5), strides=(2, 3), padding="same")(x),
        k.Conv2D(6, 3, dilation_rate=(2, 1), activation="relu")(x),
        k.DepthwiseConv2D(3, strides=2, depth_multiplier=2, activation="relu6")(x),
        k.DepthwiseConv2D((1, 5), padding="same", use_bias=False)(x),
        k.Conv2DTranspose(5, 4, strides=3, padding="valid", activation="relu")(x),
        k.Conv2DTranspose(5, 3, strides=2, padding="same", output_padding=1)(x),
        k.Conv2DTranspose(5, 2, strides=(1, 2), padding="same", use_bias=False)(x),
        k.MaxPooling2D((3, 2), strides=(2, 1), padding="same")(x),
        k.AveragePooling2D((2, 3), strides=1, padding="valid")(x),
        k.GlobalMaxPooling2D(keepdims=True)(x),
    ]
    return Model(inputs, outputs)


def masked_lstm() -> Model:
    """Words of which 0 is none: the LSTM keeps its state there."""
    inputs = k.Input((5,), dtype="int32")
    x = k.Embedding(40, 16, mask_zero=True)(inputs)
    return Model(inputs, k.Dense(3)(k.LSTM(16, unroll=True)(x)))


def lstm_with_state() -> Model:
    """LSTM that runs one step at a time, its states being inputs and outputs."""
    x, h, c = k.Input((1, 8), name="x"), k.Input((16,), name="h"), k.Input((16,), name="c")
    y, *states = k.LSTM(16, unroll=True, return_state=True)(x, initial_state=[h, c])
    return Model([x, h, c], [k.Dense(4)(y), *states])


def gru_variants() -> Model:
    """GRUs without a bias, backward, with the reset before the product, and of relu."""
    x = inputs = k.Input((4, 8))
    x = k.GRU(12, unroll=True, reset_after=False, return_sequences=True)(x)
    x = k.GRU(12, unroll=True, go_backwards=True, return_sequences=True, use_bias=False)(x)
    return Model(inputs, k.GRU(8, unroll=True, activation="relu")(x))


def attentions() -> Model:
    """Network of additive and dot-product attention, grouped queries, and EinsumDense."""
    x = inputs = k.Input((6, 16))
    x = k.EinsumDense("abc,cd->abd", output_shape=(None, 16), bias_axes="d")(x)
    x = k.RMSNormalization()(k.Add()([x, k.AdditiveAttention()([x, x])]))
    x = k.Add()([x, k.GroupQueryAttention(8, 4, 2)(x, x)])
    return Model(inputs, k.Attention(use_scale=True)([x, x]))


def mixer() -> Model:
    """MLP-Mixer: dense layers along patches and along channels."""
    x = inputs = k.Input((12, 12, 3))
    x = k.Reshape((9, 32))(k.Conv2D(32, 4, strides=4)(x))
    y = k.Permute((2, 1))(k.LayerNormalization()(x))
    y = k.Dense(9)(k.Dense(32, activation="gelu")(y))
    x = k.Add()([x, k.Permute((2, 1))(y)])
    y = k.Dense(32)(k.Dense(64, activation="gelu")(k.LayerNormalization()(x)))
    return Model(inputs, k.Dense(5)(k.GlobalAveragePooling1D()(k.Add()([x, y]))))


def deeplab() -> Model:
    """Atrous pyramid: dilated convolutions and the image's mean, enlarged."""
    x = inputs = k.Input((16, 16, 3))
    x = k.Conv2D(16, 3, 2, padding="same", activation="relu")(x)
    branches = [
        k.Conv2D(12, 3, padding="same", dilation_rate=rate, activation="relu")(x)
        for rate in (1, 2, 3)
    ]
    pooled = k.Conv2D(12, 1, activation="relu")(k.GlobalAveragePooling2D(keepdims=True)(x))
    branches.append(k.UpSampling2D(8, interpolation="bilinear")(pooled))
    x = k.Conv2D(3, 1)(k.Concatenate()(branches))
    return Model(inputs, k.Softmax()(k.Resizing(16, 16, interpolation="bilinear")(x)))


def yolo() -> Model:
    """A detector of one size: boxes decoded from cells, scores times confidence."""
    x = inputs = k.Input((16, 16, 3))
    for filters in (8, 16):
        x = k.Conv2D(filters, 3, 2, padding="same")(x)
        x = k.Activation("leaky_relu")(k.BatchNormalization()(x))
    x = k.Reshape((4, 4, 2, 8))(k.Conv2D(16, 1)(x))
    cells = ops.reshape(ops.arange(16, dtype="float32") % 4, (1, 4, 4, 1, 1))
    centres = (ops.sigmoid(x[..., 0:2]) + cells) / 4
    sizes = ops.exp(ops.clip(x[..., 2:4], -4, 4)) * 0.25
    scores = ops.sigmoid(x[..., 4:5]) * ops.softmax(x[..., 5:], axis=-1)
    rows = [k.Reshape((32, -1))(each) for each in (centres, sizes, scores)]
    return Model(inputs, [ops.concatenate(rows[:2], axis=-1), ops.max(rows[2], axis=-1)])


def feature_pyramid() -> Model:
    """Features of two sizes, added by weights that are learnt."""
    x = inputs = k.Input((16, 16, 3))
    fine = k.Conv2D(16, 3, 2, padding="same", activation="swish")(x)
    coarse = k.Conv2D(16, 3, 2, padding="same", activation="swish")(fine)
    up = k.UpSampling2D(2)(k.Conv2D(16, 1)(coarse))
    fine = k.SeparableConv2D(16, 3, padding="same")((fine * 0.6 + up * 0.4) / 1.0001)
    down = k.MaxPooling2D(3, 2, padding="same")(fine)
    return Model(inputs, [fine, k.Conv2D(8, 1)(k.Add()([coarse, down]))])


def ghost() -> Model:
    """Half of all channels by cheap depthwise convolutions, and channels split and shuffled."""
    x = inputs = k.Input((10, 10, 8))
    for _ in range(2):
        y = k.ReLU()(k.Conv2D(8, 1)(x))
        x = k.Concatenate()([y, k.DepthwiseConv2D(3, padding="same", activation="relu")(y)])
        left, right = ops.split(x, 2, axis=-1)
        x = ops.stack([left, right], axis=-1)
        x = k.Reshape((10, 10, 16))(x)
    return Model(inputs, k.Dense(4, "softmax")(k.GlobalAveragePooling2D()(x)))


def gated() -> Model:
    """Layers with gates: gated linear units, highways, maxout."""
    x = inputs = k.Input((12,))
    left, right = ops.split(k.Dense(32)(x), 2, axis=-1)
    x = left * ops.sigmoid(right)
    gate = k.Dense(16, "sigmoid")(x)
    x = gate * k.Dense(16, "relu")(x) + (1 - gate) * x
    x = ops.max(k.Reshape((8, 2))(x), axis=-1)
    return Model(inputs, k.Dense(3, "softmax")(x))


def nested() -> Model:
    """Model that uses an inner model twice, and has outputs of inner layers."""
    block = keras.Sequential([k.Conv2D(8, 3, padding="same"), k.BatchNormalization(), k.ReLU()])
    x = inputs = k.Input((8, 8, 8))
    first = block(x)
    second = block(first)
    return Model(inputs, {"first": first, "pooled": k.GlobalAveragePooling2D()(second)})


def preprocessing() -> Model:
    """Layers that prepare features: categories, scales, crops."""
    number, word = k.Input((3,), name="number"), k.Input((1,), dtype="int32", name="word")
    image = k.Input((9, 9, 1), name="image")
    scaled = k.Normalization(mean=0.5, variance=4.0)(number)
    many = k.CategoryEncoding(num_tokens=41, output_mode="one_hot")(word)
    cropped = k.CenterCrop(6, 6)(k.Rescaling(1 / 255)(image))
    x = k.Concatenate()([scaled, many, k.Flatten()(cropped)])
    return Model([number, word, image], k.Dense(4, "sigmoid")(x))


def gestures() -> Model:
    """Accelerometer windows: 2-D convolutions over time and axes, as peers' tutorials have it."""
    x = inputs = k.Input((32, 3, 1))
    x = k.MaxPooling2D((3, 3))(k.Conv2D(8, (4, 3), padding="same", activation="relu")(x))
    x = k.Dropout(0.1)(k.Conv2D(16, (4, 1), padding="same", activation="relu")(x))
    x = k.Dropout(0.1)(k.MaxPooling2D((3, 1), padding="same")(x))
    x = k.Dense(16, activation="relu")(k.Flatten()(x))
    return Model(inputs, k.Dense(4, activation="softmax")(x))


def sine() -> Model:
    """Network of the sine tutorial: three dense layers of one number."""
    x = inputs = k.Input((1,))
    return Model(inputs, k.Dense(1)(k.Dense(16, "relu")(k.Dense(16, "relu")(x))))
