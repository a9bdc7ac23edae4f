// ReductionMean as its author has it: code that knows nothing of Opsmith and is bound as it is.
#pragma once

#include "runtimes/core/fixed_point.h"

namespace my_ops {

// How a sum becomes a mean. Floats are divided; quantised values are rescaled.
struct Rescale {
  int32_t input_zero_points;  // of all elements of a sum
  int32_t output_zero_point;
  int32_t multiplier;
  int32_t shift;

  float operator()(float sum, int32_t elements) const { return sum / static_cast<float>(elements); }
  int8_t operator()(int32_t sum, int32_t) const {
    const int32_t centred = sum - input_zero_points;
    const int32_t mean = opsmith::multiply_by_quantized_multiplier(centred, multiplier, shift);
    return static_cast<int8_t>(opsmith::clamp(mean + output_zero_point, INT8_MIN, INT8_MAX));
  }
};

template <class T>
struct Sum {
  using type = int32_t;
};
template <>
struct Sum<float> {
  using type = float;
};

// The mean along the middle one of three axes.
template <class T>
void ReductionMean(const T* input, T* output, int32_t outer, int32_t reduced, int32_t inner,
                   const Rescale& rescale) {
  for (int32_t o = 0; o < outer; ++o, input += reduced * inner) {
    for (int32_t i = 0; i < inner; ++i) {
      typename Sum<T>::type sum = 0;
      for (int32_t r = 0; r < reduced; ++r) sum += input[r * inner + i];
      *output++ = rescale(sum, reduced);
    }
  }
}

}  // namespace my_ops
