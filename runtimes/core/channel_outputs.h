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

// Exceptions of channels that are asked for again and again, all of them, in rising order or in
// falling order. Shared by all layers.
class ExceptionTurns {
 public:
  ExceptionTurns(const int32_t* table, int32_t first, bool falling)
      : first_(reinterpret_cast<const Exception*>(table) + first), falling_(falling) {
    begin();
  }

  int32_t channel() const { return channel_; }  // the next one that has some

  // The output of that channel, of what the line gives; the next one is looked for.
  __attribute__((noinline, cold)) int8_t corrected(int32_t sum, int8_t y) {
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

 private:
  __attribute__((noinline)) void begin() { begin_at(falling_ ? last() : first_); }

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

  const Exception* first_;
  const Exception* next_;
  int32_t channel_;
  bool falling_;
};

// By thresholds with exceptions, which one comparison finds.
template <class P>
class ThresholdOutputs {
 public:
  ThresholdOutputs(const P& p, const int32_t* table, bool falling = false)
      : p_(p),
        lines_(reinterpret_cast<const Threshold*>(table)),
        exceptions_(table, p.exceptions_at, falling) {}

  int8_t operator()(int32_t c, int32_t sum) {
    const int8_t y = requantize_sum(p_, sum, lines_[c]);
    return c == exceptions_.channel() ? exceptions_.corrected(sum, y) : y;
  }

 private:
  const P& p_;
  const Threshold* lines_;
  ExceptionTurns exceptions_;
};

}  // namespace opsmith
