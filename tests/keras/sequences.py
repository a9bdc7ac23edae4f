"""Keras networks that look at sequences, at text, or at plain vectors."""

import keras
from keras import Model, ops
from keras import layers as k

ACTIVATIONS = (
    *("relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "silu", "mish", "softplus"),
    *("softsign", "sigmoid", "hard_sigmoid", "hard_silu", "tanh", "exponential", "log_softmax"),
    *("hard_tanh", "log_sigmoid", "celu", "squareplus", "tanh_shrink", "hard_shrink"),
)


def mlp() -> Model:
    """Dense layers of a vector, with noise and dropout that inference does not have."""
    x = inputs = k.Input((20,))
    for units in (64, 32):
        x = k.GaussianNoise(0.1)(k.Dropout(0.2)(k.Dense(units, activation="relu")(x)))
    return Model(inputs, k.Dense(4, "softmax")(x))


def normalised_mlp() -> Model:
    """Normalization of features, batch norms after activations, PReLU and ELU layers."""
    x = inputs = k.Input((20,))
    x = k.Normalization(mean=[0.1] * 20, variance=[1.5] * 20)(x)
    x = k.BatchNormalization()(k.PReLU()(k.Dense(64)(x)))
    x = k.BatchNormalization()(k.ELU()(k.Dense(24)(x)))
    return Model(inputs, k.Dense(1)(k.ReLU(6.0, negative_slope=0.1)(x)))


def autoencoder() -> Model:
    """Anomaly detection: a bottleneck of dense layers with batch norms."""
    x = inputs = k.Input((64,))
    for units in (32, 8, 32):
        x = k.ReLU()(k.BatchNormalization()(k.Dense(units)(x)))
    return Model(inputs, k.Dense(64)(x))


def wide_and_deep() -> Model:
    """Wide-and-deep network of two inputs and two outputs."""
    wide, deep = k.Input((6,), name="wide"), k.Input((40,), name="deep")
    x = k.Dense(16, "relu")(k.Dense(32, "relu")(deep))
    x = k.Concatenate()([wide, x])
    return Model([wide, deep], [k.Dense(1, name="value")(x), k.Dense(3, "softmax")(x)])


def siamese() -> Model:
    """One network of two inputs, and how far the results are apart."""
    a, b = k.Input((32,), name="a"), k.Input((32,), name="b")
    encoder = keras.Sequential([k.Dense(32, "relu"), k.Dense(8)])
    x, y = encoder(a), encoder(b)
    distance = ops.sqrt(ops.sum(ops.square(x - y), axis=-1, keepdims=True) + 1e-6)
    return Model([a, b], [distance, k.Dot(1, normalize=True)([x, y])])


def conv_1d() -> Model:
    """A classifier of a signal by strided convolutions."""
    x = inputs = k.Input((64, 3))
    x = k.MaxPooling1D(2)(k.Conv1D(16, 7, strides=2, activation="relu")(x))
    x = k.Conv1D(24, 3, activation="relu", padding="same")(x)
    return Model(inputs, k.Dense(5, "softmax")(k.GlobalAveragePooling1D()(x)))


def flat_conv_1d() -> Model:
    """A signal by depthwise and separable convolutions, pooled and flattened."""
    x = inputs = k.Input((40, 4))
    x = k.LeakyReLU()(k.SeparableConv1D(16, 5, padding="same")(x))
    x = k.AveragePooling1D(2)(k.ZeroPadding1D(1)(k.DepthwiseConv1D(3, padding="same")(x)))
    x = k.Flatten()(k.Cropping1D(1)(x))
    return Model(inputs, k.Dense(4)(k.Dense(16, "relu")(x)))


def signal_autoencoder() -> Model:
    """Conv1DTranspose and UpSampling1D."""
    x = inputs = k.Input((32, 2))
    x = k.Conv1D(16, 5, strides=2, padding="same", activation="relu")(x)
    x = k.Conv1D(16, 5, padding="same", activation="relu")(k.MaxPooling1D()(x))
    x = k.Conv1D(16, 5, padding="same", activation="relu")(k.UpSampling1D(2)(x))
    return Model(inputs, k.Conv1DTranspose(2, 5, strides=2, padding="same")(x))


def tcn() -> Model:
    """Temporal convolutions: causal, dilated, with residuals."""
    x = inputs = k.Input((24, 16))
    for dilation in (1, 2, 4):
        y = k.Conv1D(16, 3, padding="causal", dilation_rate=dilation, activation="relu")(x)
        x = k.Add()([x, k.Conv1D(16, 3, padding="causal", dilation_rate=dilation)(y)])
    return Model(inputs, k.Dense(3)(x[:, -1, :]))


def wavenet() -> Model:
    """Gated dilated convolutions and skip connections."""
    x = inputs = k.Input((16, 8))
    skips = []
    for dilation in (1, 2, 4):
        both = [
            k.Conv1D(8, 2, padding="causal", dilation_rate=dilation, activation=gate)(x)
            for gate in ("tanh", "sigmoid")
        ]
        skips.append(k.Conv1D(8, 1)(k.Multiply()(both)))
        x = k.Add()([x, skips[-1]])
    return Model(inputs, k.Conv1D(4, 1, activation="softmax")(k.ReLU()(k.Add()(skips))))


def unrolled_simple_rnn() -> Model:
    """Unrolled SimpleRNN, whose last output is classified."""
    inputs = k.Input((6, 10))
    return Model(inputs, k.Dense(4)(k.SimpleRNN(20, unroll=True)(inputs)))


def unrolled_lstm() -> Model:
    """Unrolled LSTM of two layers."""
    inputs = k.Input((6, 10))
    x = k.LSTM(20, unroll=True, return_sequences=True)(inputs)
    return Model(inputs, k.Dense(4)(k.LSTM(12, unroll=True)(x)))


def unrolled_gru() -> Model:
    """Unrolled GRU."""
    inputs = k.Input((6, 10))
    return Model(inputs, k.Dense(4)(k.GRU(20, unroll=True)(inputs)))


def simple_rnn() -> Model:
    """SimpleRNN as a loop. With an open batch, the converter would write TensorFlow's own lists."""
    inputs = k.Input((6, 10), batch_size=1)
    return Model(inputs, k.Dense(4)(k.SimpleRNN(20)(inputs)))


def lstm() -> Model:
    """Two LSTMs as loops: one with the outputs of all steps, one with the last output."""
    inputs = k.Input((6, 10), batch_size=1)
    x = k.LSTM(20, return_sequences=True)(inputs)
    return Model(inputs, k.Dense(4)(k.LSTM(12)(x)))


def gru() -> Model:
    """GRU as a loop."""
    inputs = k.Input((6, 10), batch_size=1)
    return Model(inputs, k.Dense(4)(k.GRU(20)(inputs)))


def bidirectional() -> Model:
    """Bidirectional LSTM with the outputs of all steps, then bidirectional GRU, both unrolled."""
    x = inputs = k.Input((5, 8))
    x = k.Bidirectional(k.LSTM(12, unroll=True, return_sequences=True))(x)
    x = k.Bidirectional(k.GRU(8, unroll=True))(x)
    return Model(inputs, k.Dense(3, "softmax")(x))


def bidirectional_loop() -> Model:
    """Bidirectional layers as loops, with the outputs of all steps."""
    inputs = k.Input((5, 8), batch_size=1)
    x = k.Bidirectional(k.LSTM(12, return_sequences=True))(inputs)
    return Model(inputs, k.Dense(3)(k.Bidirectional(k.GRU(6))(x)))


def crnn() -> Model:
    """Convolutions, then an unrolled GRU over the columns."""
    x = inputs = k.Input((8, 12, 1))
    x = k.MaxPooling2D((2, 2))(k.Conv2D(8, 3, padding="same", activation="relu")(x))
    x = k.Reshape((6, -1))(k.Permute((2, 1, 3))(x))
    x = k.GRU(12, unroll=True, return_sequences=True)(x)
    return Model(inputs, k.TimeDistributed(k.Dense(5, "softmax"))(x))


def conv_lstm() -> Model:
    """ConvLSTM over images in time, as a loop."""
    inputs = k.Input((3, 6, 6, 2), batch_size=1)
    x = k.ConvLSTM2D(8, 3, padding="same", return_sequences=True)(inputs)
    return Model(inputs, k.Conv2D(1, 1)(k.ConvLSTM2D(4, 3, padding="same")(x)))


def text_classifier() -> Model:
    """Words by numbers, embedded and averaged."""
    inputs = k.Input((12,), dtype="int32")
    x = k.GlobalAveragePooling1D()(k.Embedding(50, 24)(inputs))
    return Model(inputs, k.Dense(2, "softmax")(k.Dense(16, "relu")(x)))


def transformer() -> Model:
    """A block with MultiHeadAttention and LayerNormalization."""
    x = inputs = k.Input((8, 32))
    x = k.LayerNormalization(epsilon=1e-6)(k.Add()([x, k.MultiHeadAttention(2, 16)(x, x)]))
    y = k.Dense(32)(k.Dropout(0.1)(k.Dense(64, activation="relu")(x)))
    x = k.LayerNormalization(epsilon=1e-6)(k.Add()([x, y]))
    return Model(inputs, k.Dense(3, "softmax")(k.GlobalAveragePooling1D()(x)))


def text_transformer() -> Model:
    """Embeddings of words and positions, GELU, causal attention."""
    inputs = k.Input((8,), dtype="int32")
    x = k.Embedding(40, 32)(inputs) + k.Embedding(8, 32)(ops.arange(8))
    x = x + k.MultiHeadAttention(2, 16)(x, x, use_causal_mask=True)
    x = x + k.Dense(32)(k.Dense(64, activation="gelu")(k.LayerNormalization()(x)))
    return Model(inputs, k.Dense(40)(x))


def vision_transformer() -> Model:
    """Patches, a class token and attention."""
    x = inputs = k.Input((12, 12, 3))
    x = k.Reshape((9, 32))(k.Conv2D(32, 4, strides=4)(x))
    x = x + k.MultiHeadAttention(4, 8)(*[k.LayerNormalization()(x)] * 2)
    x = x + k.Dense(32)(k.Dense(64, activation="gelu")(k.LayerNormalization()(x)))
    return Model(inputs, k.Dense(5)(k.LayerNormalization()(x)[:, 0]))


def attention_pooling() -> Model:
    """The mean of all steps, weighted by a softmax over time."""
    x = inputs = k.Input((10, 32))
    x = k.Dense(32, "tanh")(x)
    weights = k.Softmax(axis=1)(k.Dense(1)(x))
    pooled = ops.sum(x * weights, axis=1)
    dotted = k.Attention()([x, x])
    return Model(inputs, [k.Dense(3)(pooled), k.GlobalMaxPooling1D()(dotted)])


def activations() -> Model:
    """Network of one layer and every activation that Keras has."""
    x = inputs = k.Input((12,))
    x = k.Dense(12)(x)
    return Model(inputs, [k.Activation(name)(x) for name in ACTIVATIONS])


def decoder() -> Model:
    """The best class by TensorFlow's own arg_max, one-hot, and how sure it is."""
    import tensorflow as tf

    x = inputs = k.Input((8,))
    x = k.Dense(6)(x)
    best = k.Lambda(lambda y: tf.argmax(y, -1, tf.int32), output_shape=(), dtype="int32")(x)
    known = k.Lambda(lambda y: tf.one_hot(y, 6), output_shape=(6,), dtype="float32")(best)
    return Model(inputs, [best, ops.sum(known * ops.softmax(x), axis=-1), ops.top_k(x, 2)[0]])


def arithmetic() -> Model:
    """Network of the arithmetic for which Lambda layers and keras.ops are used."""
    x = inputs = k.Input((6, 8))
    y = k.Lambda(lambda z: z * 2 - 1)(x)
    positive = ops.abs(y) + 0.5
    outputs = [
        *(ops.log(positive), ops.sqrt(positive), ops.rsqrt(positive), y / positive),
        *(ops.power(positive, 0.5), ops.square(y), ops.exp(-positive), ops.sin(y), ops.cos(y)),
        *(ops.floor(y), ops.round(y), ops.sign(y), ops.clip(y, -0.5, 0.75)),
        *(ops.maximum(x, y), ops.minimum(x, y), ops.where(y > 0, x, positive)),
        *(ops.max(y, axis=1), ops.min(y, axis=(1, 2)), ops.var(y, axis=1)),
        *(ops.cumsum(y, axis=1), ops.flip(y, axis=1), ops.tile(y, (1, 2, 1)), ops.prod(y, axis=2)),
        *(
            ops.stack([x, y], axis=1),
            *ops.split(y, 2, axis=2),
            ops.pad(y, ((0, 0), (1, 2), (0, 0))),
        ),
        *(ops.take(y, [2, 0], axis=1), k.RepeatVector(2)(y[:, 0])),
    ]
    return Model(inputs, outputs)
