"""Keras networks that make images, or say what is where in one."""

from keras import Model, ops
from keras import layers as k


def u_net() -> Model:
    """Segmentation: the decoder also reads what the encoder kept."""
    x = inputs = k.Input((16, 16, 1))
    kept = []
    for filters in (8, 16):
        x = k.Conv2D(filters, 3, padding="same", activation="relu")(x)
        kept.append(x)
        x = k.MaxPooling2D()(x)
    x = k.Conv2D(16, 3, padding="same", activation="relu")(x)
    for filters, fine in zip((16, 8), reversed(kept), strict=True):
        x = k.Concatenate()([k.Conv2DTranspose(filters, 2, strides=2)(x), fine])
        x = k.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return Model(inputs, k.Conv2D(1, 1, activation="sigmoid")(x))


def upsampling_u_net() -> Model:
    """Segmentation whose decoder enlarges by UpSampling2D."""
    x = inputs = k.Input((8, 8, 3))
    fine = k.Conv2D(16, 3, padding="same", activation="relu")(x)
    x = k.Conv2D(16, 3, padding="same", activation="relu")(k.AveragePooling2D(2)(fine))
    x = k.UpSampling2D(2, interpolation="bilinear")(x)
    x = k.Conv2D(16, 3, padding="same")(k.Concatenate()([x, fine]))
    return Model(inputs, k.Conv2D(4, 1, activation="softmax")(k.UpSampling2D(2)(x)))


def convolutional_autoencoder() -> Model:
    """An image by a bottleneck, enlarged again by transposed convolutions."""
    x = inputs = k.Input((12, 12, 1))
    for filters in (16, 8):
        x = k.Conv2D(filters, 3, strides=2, padding="same", activation="relu")(x)
    for filters in (8, 16):
        x = k.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu")(x)
    return Model(inputs, k.Conv2D(1, 3, padding="same", activation="sigmoid")(x))


def generator() -> Model:
    """An image from noise: Dense, Reshape, transposed convolutions, tanh."""
    x = inputs = k.Input((16,))
    x = k.LeakyReLU()(k.BatchNormalization()(k.Dense(4 * 4 * 16, use_bias=False)(x)))
    x = k.Reshape((4, 4, 16))(x)
    x = k.Conv2DTranspose(12, 5, strides=2, padding="same", use_bias=False)(x)
    x = k.LeakyReLU(0.1)(k.BatchNormalization()(x))
    x = k.Conv2DTranspose(3, 5, strides=2, padding="valid", activation="tanh")(x)
    return Model(inputs, x)


def super_resolution() -> Model:
    """Details by depth_to_space, added to the image that is enlarged smoothly."""
    x = inputs = k.Input((8, 10, 1))
    y = k.Conv2D(4, 3, padding="same")(k.Conv2D(32, 5, padding="same", activation="relu")(x))
    batch, height, width = -1, 16, 20
    y = ops.reshape(y, (batch, 8, 10, 2, 2, 1))
    y = ops.reshape(ops.transpose(y, (0, 1, 3, 2, 4, 5)), (batch, height, width, 1))
    smooth = k.Resizing(height, width, interpolation="bilinear")(x)
    return Model(inputs, k.Add()([y, smooth]))


def pixel_shuffle() -> Model:
    """Super-resolution by TensorFlow's own depth_to_space."""
    import tensorflow

    x = inputs = k.Input((8, 8, 3))
    x = k.Conv2D(12, 3, padding="same")(k.Conv2D(24, 3, padding="same", activation="relu")(x))
    return Model(inputs, k.Lambda(lambda y: tensorflow.nn.depth_to_space(y, 2))(x))


def resizer() -> Model:
    """Layers that resize, crop, pad and flip."""
    x = inputs = k.Input((10, 12, 3))
    x = k.Cropping2D(((1, 1), (2, 0)))(x)
    x = k.ZeroPadding2D((1, 2))(k.Resizing(12, 9, interpolation="nearest")(x))
    x = k.Conv2D(12, 3)(k.Resizing(16, 16)(x))
    return Model(inputs, k.Cropping2D(2)(k.UpSampling2D((2, 1))(x)))


def detector() -> Model:
    """Boxes and scores from features of two sizes."""
    x = inputs = k.Input((16, 16, 3))
    fine = k.Conv2D(16, 3, 4, padding="same", activation="relu")(x)
    coarse = k.Conv2D(16, 3, 2, padding="same", activation="relu")(fine)
    maps = (fine, coarse)
    boxes = [k.Reshape((-1, 4))(k.Conv2D(8, 3, padding="same")(x)) for x in maps]
    scores = [k.Reshape((-1, 3))(k.Conv2D(6, 3, padding="same")(x)) for x in maps]
    boxes = k.Concatenate(axis=1)(boxes)
    scores = k.Activation("sigmoid")(k.Concatenate(axis=1)(scores))
    sizes = ops.exp(boxes[..., 2:] * 0.2)
    corners = k.Concatenate()([boxes[..., :2] - sizes / 2, boxes[..., :2] + sizes / 2])
    return Model(inputs, [corners, scores])


def spatial_attention() -> Model:
    """Convolutional block attention: gates of channels and of pixels."""
    x = inputs = k.Input((8, 8, 16))
    few, many = k.Dense(16, activation="relu"), k.Dense(16)
    pooled = (k.GlobalAveragePooling2D()(x), k.GlobalMaxPooling2D()(x))
    gate = k.Activation("sigmoid")(k.Add()([many(few(each)) for each in pooled]))
    x = k.Multiply()([x, k.Reshape((1, 1, 16))(gate)])
    maps = [ops.mean(x, axis=-1, keepdims=True), ops.max(x, axis=-1, keepdims=True)]
    gate = k.Conv2D(1, 7, padding="same", activation="sigmoid")(k.Concatenate()(maps))
    return Model(inputs, k.Conv2D(8, 3)(k.Multiply()([x, gate])))


def normalisations() -> Model:
    """Dilated convolutions, and normalisations of groups and units."""
    x = inputs = k.Input((10, 10, 8))
    x = k.GroupNormalization(4)(k.Conv2D(16, 3, dilation_rate=2, padding="same")(x))
    x = k.UnitNormalization()(k.DepthwiseConv2D(3, dilation_rate=2, padding="same")(x))
    return Model(inputs, k.SpatialDropout2D(0.1)(k.Conv2D(16, 3, dilation_rate=3)(x)))
