// Sums of products of rows of float32, for kernels that require `fpu`. Fast because sixteen sums
// stay in registers until they are outputs, so that each input and each weight that is loaded
// serves four products.
//
// Each sum adds its products in their order, every one rounded before, and a bias at the end: as
// LiteRT's reference kernels do.
#pragma once

#include <stdint.h>

#include "runtimes/cmsis/fpu_blocks.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::fpu {

// The bounds of outputs.
struct Bounds {
  template <class P>
  explicit constexpr Bounds(const P& p)
      : low(static_cast<float>(p.real_min)), high(static_cast<float>(p.real_max)) {}

  // Whether all finite floats are within them.
  constexpr bool are_widest() const { return low == -high && high == __FLT_MAX__; }

  float low, high;
};
inline constexpr struct {
  float real_min, real_max;
} kWidest = {-__FLT_MAX__, __FLT_MAX__};

// Puts four outputs of each of N rows within the bounds.
inline void clamp_rows(const Products& t, const Bounds& bounds, int32_t rows) {
  float* y = t.y;
  for (int32_t i = 0; i < rows; ++i, y += t.y_step / kFloat) {
    for (int32_t j = 0; j < kRows; ++j) y[j] = real_clamp(y[j], bounds.low, bounds.high);
  }
}

// Floats from a row of inputs, a row of weights, an output or a bias to the next.
struct Steps {
  int32_t x, weights, y, bias;
};

// Blocks for every four of N steps; the last ones may be computed again. Moves t and block on.
__attribute__((noinline)) inline void put_blocks(Products& t, const Bounds& bounds, Block& block,
                                                 const Steps& steps, int32_t count) {
  const bool are_widest = bounds.are_widest(), are_four = block.rows == kRows;
  for (int32_t left = count; left > 0; left -= kRows) {
    if (__builtin_expect(left < kRows, 0)) {
      const int32_t back = kRows - left;
      t.bias -= back * steps.bias;
      t.y -= back * steps.y;
      block.x -= back * steps.x;
      block.weights -= back * steps.weights;
    }
    const uintptr_t check =
        __builtin_expect(are_four, 1) ? put_four_by_four(t, block) : put_one_by_four(t, block);
    if (check || !are_widest) clamp_rows(t, bounds, block.rows);
    t.bias += kRows * steps.bias;
    t.y += kRows * steps.y;
    block.x += kRows * steps.x;
    block.weights += kRows * steps.weights;
  }
}

// All of N channels, of which t has the first: blocks of neighbouring rows of weights.
inline void put_channels(Products& t, const Bounds& bounds, Block block, int32_t channels) {
  put_blocks(t, bounds, block, {0, block.weight_step, 1, 1}, channels);
}

// All channels of up to four rows of x, `depth` inputs each, by as long rows of weights.
inline void multiply_rows(const Bounds& bounds, const float* x, int32_t rows, int32_t depth,
                          const float* weights, const float* bias, int32_t channels, float* y) {
  const int32_t together = rows == kRows ? kRows : 1;
  Products t = one_run(depth, channels);
  for (int32_t row = 0; row < rows; row += together) {
    t.bias = bias;
    t.y = y + row * channels;
    put_channels(t, bounds, {x + row * depth, depth, together, weights, depth}, channels);
  }
}

}  // namespace opsmith::fpu
