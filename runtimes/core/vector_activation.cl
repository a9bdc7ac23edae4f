// Activations of vectors of floats: vector_activation.h in OpenCL C.

enum VectorActivation { NO_ACTIVATION, RELU, RELU_N1_TO_1, RELU6 };

// NaN becomes the least value and -0 becomes 0. Without an activation, infinities stay, too.
INLINE float activated(int activation, float x) {
  if (activation == NO_ACTIVATION) return x;
  const float low = activation == RELU_N1_TO_1 ? -1.0f : 0.0f;
  const float above = x > low ? x : low;
  if (activation == RELU) return above;
  const float high = activation == RELU6 ? 6.0f : 1.0f;
  return above < high ? above : high;
}
