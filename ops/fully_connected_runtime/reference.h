// FullyConnected with computed weights, the definition: as fully_connected has it for constant
// ones. Products of floats are rounded before they are added: -ffp-contract=off.
#pragma once

#include "fully_connected_runtime.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/narrow.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/core/rounding.h"
#include "runtimes/core/wrapping.h"

namespace opsmith::fully_connected_runtime {

// Sets each element of y to f(c, sum), where sum is that of product(x, weight) along a row of x and
// that of output channel c.
template <class Sum, class P, class T, class Product, class F>
void for_each_sum(const P& p, const T* x, const T* weights, T* y, Product product, F f) {
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth) {
    const T* of_channel = weights;
    for (int32_t c = 0; c < p.channels; ++c, of_channel += p.depth) {
      Sum sum = 0;
      for (int32_t i = 0; i < p.depth; ++i) sum += product(x[i], of_channel[i]);
      *y++ = f(c, sum);
    }
  }
}

template <class P, class T>
void reference(const P& p, const In<T, int32_t>& in, const Out<T, int32_t>& out,
               const Tables& tables) {
  const auto product = [&p](int32_t x, int32_t weight) {
    return (x - p.input_zero_point) * (weight - p.weights_zero_point);
  };
  for_each_sum<int32_t>(p, in.x, in.weights, out.y, product, [&](int32_t c, int32_t sum) {
    const int32_t biased = wrapping_sum(sum, in.bias == nullptr ? 0 : in.bias[c]);
    const double scale = tables.scale[p.per_channel ? c : 0];
    const int32_t scaled = round_half_away(static_cast<double>(biased) * scale);
    return static_cast<T>(clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  });
}

template <class P, class B>
void reference(const P& p, const In<int16_t, B>& in, const Out<int16_t, B>& out) {
  const auto product = [](int32_t x, int32_t weight) { return x * weight; };
  for_each_sum<int64_t>(p, in.x, in.weights, out.y, product, [&](int32_t c, int64_t sum) {
    return narrowed(p, sum + (in.bias == nullptr ? 0 : in.bias[c]), p.multiplier, p.shift);
  });
}

template <class P>
void reference(const P& p, const In<float, float>& in, const Out<float, float>& out) {
  const auto product = [](float x, float weight) { return x * weight; };
  for_each_sum<float>(p, in.x, in.weights, out.y, product, [&](int32_t c, float sum) {
    return real_clamp(sum + (in.bias == nullptr ? 0.0f : in.bias[c]), p.real_min, p.real_max);
  });
}

}  // namespace opsmith::fully_connected_runtime
