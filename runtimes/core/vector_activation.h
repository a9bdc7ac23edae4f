// Activations of vectors of floats (ApplyActivationToVector in
// tensorflow/lite/kernels/internal/tensor_utils.h). Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// The numbers of runtimes/core/vector_activation.py.
enum VectorActivation : int32_t { kNone, kRelu, kReluN1To1, kRelu6 };

// By std::max and std::min, so that NaN becomes the least value and -0 becomes 0. Without an
// activation, infinities stay, too.
constexpr float activated(int32_t activation, float x) {
  if (activation == kNone) return x;
  const float low = activation == kReluN1To1 ? -1.0f : 0.0f;
  const float above = x > low ? x : low;
  if (activation == kRelu) return above;
  const float high = activation == kRelu6 ? 6.0f : 1.0f;
  return above < high ? above : high;
}

}  // namespace opsmith
