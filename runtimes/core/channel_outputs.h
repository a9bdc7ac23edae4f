// Outputs of a layer of int8 for its sums, by the constants that its tables have, for kernels that
// add the products of all rules alike. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/channel_constants.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/rounding.h"

namespace opsmith {

// An output of the channel c for its sum of products, by Q31 multipliers, rounded twice.
template <class P>
struct FixedPointOutputs {
  const P& p;
  const int32_t* bias;
  const int32_t* multiplier;
  const int8_t* shift;

  int8_t operator()(int32_t c, int32_t sum) const {
    const int32_t scaled = multiply_by_quantized_multiplier(sum + bias[c], multiplier[c], shift[c]);
    return static_cast<int8_t>(
        clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  }
};

// By a factor in single precision, rounded to the nearest, halves to even.
template <class P>
struct SingleOutputs {
  const P& p;
  const int32_t* bias;
  const float* factor;

  int8_t operator()(int32_t c, int32_t sum) const {
    const int32_t scaled = round_half_even(static_cast<float>(sum + bias[c]) * factor[c]);
    return static_cast<int8_t>(
        clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  }
};

// By thresholds with exceptions.
template <class P>
class ThresholdOutputs {
 public:
  ThresholdOutputs(const P& p, const int32_t* table) : p_(p), channels_(table, p.exceptions_at) {}

  int8_t operator()(int32_t c, int32_t sum) { return requantize_sum(p_, sum, channels_[c]); }

 private:
  const P& p_;
  ListedChannels channels_;
};

}  // namespace opsmith
