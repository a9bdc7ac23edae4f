// Needs an FPU. Fast because weights are decoded from whole words by shifts that are known when it
// is compiled, and of four rows once for all; sums stay in registers.
#pragma once

#include "fully_connected_blocks.op.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::fully_connected_blocks {

// A channel of kRows rows of y, which are p.channels apart; rows of x are p.depth apart.
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
  for (int32_t row = 0; row < kRows; ++row) {
    y[row * p.channels] = real_clamp(sums[row] + bias, p.real_min, p.real_max);
  }
}

template <int32_t kBits, int32_t kRows, class P>
void words_rows(const P& p, const float* x, const WordTables& tables, float* y) {
  for (int32_t c = 0; c < p.channels; ++c) {
    words_channel<kBits, kRows>(p, x, tables.weights + c * (p.depth * kBits / 32),
                                tables.scales + c * p.blocks, tables.bias[c], y + c);
  }
}

template <int32_t kBits, class P>
void words_of(const P& p, const float* x, const WordTables& tables, float* y) {
  int32_t row = 0;
  for (; row + 4 <= p.rows; row += 4) {
    words_rows<kBits, 4>(p, x + row * p.depth, tables, y + row * p.channels);
  }
  for (; row < p.rows; ++row) {
    words_rows<kBits, 1>(p, x + row * p.depth, tables, y + row * p.channels);
  }
}

template <class P>
void words(const P& p, const In<float>& in, const Out<float>& out, const WordTables& tables) {
  if (p.bits == 4) {
    words_of<4>(p, in.x, tables, out.y);
  } else if (p.bits == 2) {
    words_of<2>(p, in.x, tables, out.y);
  } else {
    words_of<8>(p, in.x, tables, out.y);
  }
}

}  // namespace opsmith::fully_connected_blocks
