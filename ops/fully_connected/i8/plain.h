// Needs Thumb. Fast because an input that is loaded serves four output channels, and because one
// multiplication takes the place of the reference's in double precision.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/core/high_product.h"

namespace opsmith::fully_connected::i8 {

inline constexpr int32_t kChannels = 4;

// The sums of four channels, whose weights take turns. One function for all layers.
__attribute__((noinline)) inline void multiply(const int8_t* x, int32_t depth,
                                               const int8_t* weights, int32_t (&sums)[kChannels]) {
  int32_t a = 0, b = 0, c = 0, d = 0;
  const auto step = [&](int32_t i) {
    const int32_t value = x[i];
    const int8_t* four = weights + kChannels * i;
    a += four[0] * value;
    b += four[1] * value;
    c += four[2] * value;
    d += four[3] * value;
    // Keeps the sums in registers, which loads of the next step would take.
    __asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : : "memory");
  };
  const int8_t* end = x + (depth & ~3);
  for (; x != end; x += 4, weights += 4 * kChannels) {
    step(0);
    step(1);
    step(2);
    step(3);
  }
  for (int32_t i = 0; i < (depth & 3); ++i) step(i);
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

// All outputs; of_rows[c] are the constants of a channel.
template <class P, class C>
void four_at_a_time(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const int8_t* packed,
                    C of_rows) {
  for (int32_t row = 0; row < p.rows; ++row) {
    C constants = of_rows;
    const int8_t* weights = packed;
    int8_t* y = out.y + row * p.channels;
    for (int32_t c = 0; c < p.channels; c += kChannels, weights += kChannels * p.depth) {
      int32_t sums[kChannels];
      multiply(in.x + row * p.depth, p.depth, weights, sums);
      const int32_t channels = min(p.channels - c, kChannels);
      for (int32_t i = 0; i < channels; ++i) {
        y[c + i] = requantize_sum(p, sums[i], lines_of(constants)[c + i]);
      }
      exceptions_before(constants, c + kChannels, [&](const Exception* e) {
        return corrected_block<kChannels>(e, c, sums, y, 1, p.channels);
      });
    }
  }
}

template <class P>
void plain(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PackedMatrix& tables) {
  const auto* constants = reinterpret_cast<const Threshold*>(tables.requantization);
  four_at_a_time(p, in, out, tables.weights, constants);
}

}  // namespace opsmith::fully_connected::i8
