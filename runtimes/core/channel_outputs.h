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

// By thresholds with exceptions. All channels are asked for, again and again, in rising order or in
// falling order, so that one comparison finds those with exceptions.
template <class P>
class ThresholdOutputs {
 public:
  ThresholdOutputs(const P& p, const int32_t* table, bool falling = false)
      : p_(p),
        lines_(reinterpret_cast<const Threshold*>(table)),
        first_(reinterpret_cast<const Exception*>(table) + p.exceptions_at),
        falling_(falling) {
    begin_at(falling ? last() : first_);
  }

  int8_t operator()(int32_t c, int32_t sum) {
    const int8_t y = requantize_sum(p_, sum, lines_[c]);
    return c == channel_ ? corrected(sum, y) : y;
  }

 private:
  void begin_at(const Exception* e) {
    while (e != first_ && e[-1].channel() == e->channel()) --e;
    next_ = e;
    channel_ = e->channel();
  }

  const Exception* last() const {
    const Exception* e = first_;
    while (e->channel() != kAfterAll && e[1].channel() != kAfterAll) ++e;
    return e;
  }

  // The output of a channel with exceptions; the next one is looked for.
  __attribute__((noinline)) int8_t corrected(int32_t sum, int8_t y) {
    const Exception *begin = next_, *e = begin;
    for (; e->channel() == channel_; ++e) {
      if (e->sum == sum) y = static_cast<int8_t>(y + e->more());
    }
    if (falling_) {
      begin_at(begin == first_ ? last() : begin - 1);
    } else {
      begin_at(e->channel() == kAfterAll ? first_ : e);
    }
    return y;
  }

  const P& p_;
  const Threshold* lines_;
  const Exception* first_;
  const Exception* next_;  // of the next channel that has some
  int32_t channel_;
  bool falling_;
};

}  // namespace opsmith
