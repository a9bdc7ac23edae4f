// Rows of float32 times weights of a few bits. Fast because weights are decoded from whole words by
// shifts that are known when it is compiled, and of four rows once for all; sums stay in registers.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_clamp.h"

namespace opsmith::weight_words {

// A channel of kRows rows of y, which are p.channels apart; rows of x are p.depth apart. What a row
// has beyond its blocks, which are whole words, begins a word and has the first scale.
template <int32_t kBits, int32_t kRows, class P>
void words_channel(const P& p, const float* x, const uint32_t* weights, const float* scales,
                   float bias, float* y) {
  constexpr int32_t kInWord = 32 / kBits;
  float sums[kRows] = {};
  for (int32_t block = 0; block < p.blocks; ++block) {
    const float scale = scales[block];
    for (const float* const end = x + p.block; x < end; x += kInWord) {
      const uint32_t word = *weights++;
#pragma GCC unroll 16
      for (int32_t i = 0; i < kInWord; ++i) {
        const int32_t top = static_cast<int32_t>(word << (32 - kBits - i * kBits));
        const float weight = static_cast<float>(top >> (32 - kBits)) * scale;
#pragma GCC unroll 4
        for (int32_t row = 0; row < kRows; ++row) sums[row] += x[row * p.depth + i] * weight;
      }
    }
  }
  if (const int32_t rest = p.depth - p.blocks * p.block; rest > 0) {
    uint32_t word = *weights;
    for (int32_t i = 0; i < rest; ++i, word >>= kBits) {
      const int32_t top = static_cast<int32_t>(word << (32 - kBits));
      const float weight = static_cast<float>(top >> (32 - kBits)) * scales[0];
      for (int32_t row = 0; row < kRows; ++row) sums[row] += x[row * p.depth + i] * weight;
    }
  }
  for (int32_t row = 0; row < kRows; ++row) {
    y[row * p.channels] = real_clamp(sums[row] + bias, p.real_min, p.real_max);
  }
}

template <int32_t kBits, int32_t kRows, class P, class Tables>
void words_rows(const P& p, const float* x, const Tables& tables, float* y) {
  for (int32_t c = 0; c < p.channels; ++c) {
    words_channel<kBits, kRows>(p, x, tables.weights + c * ((p.depth * kBits + 31) / 32),
                                tables.scales + c * p.blocks, tables.bias[c], y + c);
  }
}

template <int32_t kBits, class P, class Tables>
void words_of(const P& p, const float* x, const Tables& tables, float* y) {
  int32_t row = 0;
  for (; row + 4 <= p.rows; row += 4) {
    words_rows<kBits, 4>(p, x + row * p.depth, tables, y + row * p.channels);
  }
  for (; row < p.rows; ++row) {
    words_rows<kBits, 1>(p, x + row * p.depth, tables, y + row * p.channels);
  }
}

template <class P, class Tables>
void multiply(const P& p, const float* x, const Tables& tables, float* y) {
  if (p.bits == 4) {
    words_of<4>(p, x, tables, y);
  } else if (p.bits == 2) {
    words_of<2>(p, x, tables, y);
  } else {
    words_of<8>(p, x, tables, y);
  }
}

}  // namespace opsmith::weight_words
