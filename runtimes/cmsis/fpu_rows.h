// Sums of products of rows of float32, for kernels that require `fpu`. Fast because sixteen sums
// stay in registers until they are outputs, so that each input and each weight that is loaded
// serves four products.
//
// Each sum adds its products in their order, every one rounded before, and a bias at the end: as
// LiteRT's reference kernels do.
#pragma once

#include <stdint.h>

#include "runtimes/cmsis/fpu_blocks.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/float_bits.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::fpu {

// The bounds of outputs.
struct Bounds {
  template <class P>
  explicit constexpr Bounds(const P& p)
      : low(static_cast<float>(p.real_min)), high(static_cast<float>(p.real_max)) {}

  // Whether all finite floats are within them.
  constexpr bool are_widest() const { return low == -high && high == __FLT_MAX__; }

  // Whether they are zero and a positive float.
  bool are_positive() const { return bits_of(low) == 0 && high > 0.0f; }

  float low, high;
};
inline constexpr struct {
  float real_min, real_max;
} kWidest = {-__FLT_MAX__, __FLT_MAX__};

// Puts four outputs of each of N rows within the bounds.
__attribute__((noinline)) inline void clamp_rows(const Products& t, const Bounds& bounds,
                                                 int32_t rows) {
  float* y = t.y;
  for (int32_t i = 0; i < rows; ++i, y += t.y_step / kFloat) {
#pragma GCC unroll 1
    for (int32_t j = 0; j < kRows; ++j) y[j] = real_clamp(y[j], bounds.low, bounds.high);
  }
}

// The bits of a finite float, or zero where that is negative.
inline int32_t rectified_bits(float x) {
  int32_t bits = static_cast<int32_t>(bits_of(x));
  __asm("bic %0, %0, %0, asr #31" : "+r"(bits));
  return bits;
}

// Puts four finite outputs within zero and a positive float. The larger positive floats are, the
// larger are their bits.
__attribute__((always_inline)) inline void rectify_four(float* y, float high) {
  int32_t a = rectified_bits(y[0]), b = rectified_bits(y[1]);
  int32_t c = rectified_bits(y[2]), d = rectified_bits(y[3]);
  if (high < __FLT_MAX__) {
    const int32_t most = static_cast<int32_t>(bits_of(high));
    a = min(a, most), b = min(b, most);
    c = min(c, most), d = min(d, most);
  }
  y[0] = float_of(a), y[1] = float_of(b), y[2] = float_of(c), y[3] = float_of(d);
}

// Puts four outputs of each of N rows within the bounds; `check` is not 0 where one may be infinite
// or NaN.
__attribute__((noinline)) inline void bound_rows(const Products& t, const Bounds& bounds,
                                                 int32_t rows, uintptr_t check) {
  if (check || !bounds.are_positive()) return clamp_rows(t, bounds, rows);
  float* y = t.y;
  for (int32_t i = 0; i < rows; ++i, y += t.y_step / kFloat) rectify_four(y, bounds.high);
}

// Puts N fours of neighbouring outputs within the bounds.
inline void clamp_fours(float* y, const Bounds& bounds, int32_t count) {
  Products t = one_run(0, kRows);
  t.y = y;
  clamp_rows(t, bounds, count);
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
    if (check || !are_widest) bound_rows(t, bounds, block.rows, check);
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

// All channels of up to four rows of x, `depth` inputs each, by as long rows of weights; rows of y
// are y_step floats apart.
inline void multiply_rows(const Bounds& bounds, const float* x, int32_t rows, int32_t depth,
                          const float* weights, const float* bias, int32_t channels, float* y,
                          int32_t y_step) {
  const int32_t together = rows == kRows ? kRows : 1;
  Products t = one_run(depth, y_step);
  for (int32_t row = 0; row < rows; row += together) {
    t.bias = bias;
    t.y = y + row * y_step;
    put_channels(t, bounds, {x + row * depth, depth, together, weights, depth}, channels);
  }
}

}  // namespace opsmith::fpu
