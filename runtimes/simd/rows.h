// Rows of inputs times channels of weights, for layers of bytes, and of float32 by reals.h. V is
// the instruction set, such as avx2.h, whose lanes are output channels: each group of inputs of a
// row is repeated in all lanes, and meets the weights of as many channels. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/simd/rules.h"

namespace opsmith::simd {

// Weights and constants of all channels, in blocks as wide as a vector. The last block ends at the
// last channel, so that it overlaps the one before, unless there is only one.
template <class W>
struct ChannelsOf {
  using Output = int8_t;
  int32_t count;
  int32_t groups;  // of inputs, the last one filled up with zeros
  const W* weights;
  const int32_t* constants;
  Outputs outputs;
};
using Channels = ChannelsOf<int8_t>;
template <class W>
ChannelsOf(int32_t, int32_t, const W*, const int32_t*, Outputs) -> ChannelsOf<W>;

// Stores what a rule makes of sums, [row][block], of the channels of N blocks from `block` on.
template <class V, class Rule, class C>
[[gnu::noinline]] void store_rows(const C& c, int32_t block, int32_t blocks,
                                  const typename V::Sums* sums, int32_t count, int8_t* y) {
  const typename V::Bounds bounds(c.outputs);
  const int32_t width = min(c.count, V::kLanes);
  for (int32_t j = 0; j < blocks;) {
    const int32_t* constants = c.constants + (block + j) * V::kLanes * kConstants;
    const int32_t first = (block + j) * V::kLanes;
    const Rule rule(constants);
    if (j + 1 < blocks && first + 2 * V::kLanes <= c.count) {
      const Rule next(constants + V::kLanes * kConstants);
      for (int32_t i = 0; i < count; ++i) {
        const typename V::Sums* two = sums + i * blocks + j;
        V::store_pair(rule(two[0]), next(two[1]), bounds, y + i * c.count + first);
      }
      j += 2;
    } else {
      int8_t* to = y + min(first, c.count - width);
      for (int32_t i = 0; i < count; ++i) {
        V::store(rule(sums[i * blocks + j]), bounds, to + i * c.count, width);
      }
      ++j;
    }
  }
}

// Stores what the layer's rule makes of sums of the channels of kBlocks blocks from `block` on.
template <class V, int kRows, int kBlocks, class W>
[[gnu::always_inline]] inline void put(const ChannelsOf<W>& c, int32_t block,
                                       const typename V::Sums (&sums)[kRows][kBlocks],
                                       int32_t count, int8_t* y) {
  using C = ChannelsOf<W>;
  using F = void(const C&, int32_t, int32_t, const typename V::Sums*, int32_t, int8_t*);
  static constexpr F* kOf[] = {
      store_rows<V, typename V::FixedPoint, C>, store_rows<V, typename V::Singles, C>,
      store_rows<V, typename V::Doubles, C>, store_rows<V, typename V::Magnitudes, C>};
  typename V::Sums copy[kRows * kBlocks];  // so that sums need no address, and stay in registers
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kBlocks; ++j) copy[i * kBlocks + j] = sums[i][j];
  }
  kOf[c.outputs.rule](c, block, kBlocks, copy, count, y);
}

// kRows rows, one after the other, times the channels of kBlocks blocks from `block` on.
template <class V, int kRows, int kBlocks, class C>
[[gnu::always_inline]] inline void tile(const C& c, int32_t block, const typename V::Input* rows,
                                        int32_t count, typename C::Output* y) {
  const int32_t pitch = c.groups * V::kGroup;
  const int32_t of_block = c.groups * V::kLanes * V::kGroup;
  const auto* weights = c.weights + block * of_block;
  typename V::Sums sums[kRows][kBlocks];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kBlocks; ++j) sums[i][j] = V::zero();
  }
  for (int32_t g = 0; g < c.groups; ++g) {
    typename V::Weights w[kBlocks];
#pragma GCC unroll 8
    for (int j = 0; j < kBlocks; ++j) {
      w[j] = V::weights(weights + j * of_block + g * V::kLanes * V::kGroup);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const auto x = V::repeated(rows + i * pitch + g * V::kGroup);
#pragma GCC unroll 8
      for (int j = 0; j < kBlocks; ++j) sums[i][j] = V::add_products(sums[i][j], w[j], x);
    }
  }
  put<V, kRows, kBlocks>(c, block, sums, count, y);
}

template <class V, int kRows, class C>
void all_channels(const C& c, const typename V::Input* rows, int32_t count, typename C::Output* y) {
  const int32_t blocks = (c.count + V::kLanes - 1) / V::kLanes;
  int32_t b = 0;
  for (; b + V::kBlocks <= blocks; b += V::kBlocks)
    tile<V, kRows, V::kBlocks>(c, b, rows, count, y);
  if constexpr (V::kBlocks > 2) {
    for (; b + 2 <= blocks; b += 2) tile<V, kRows, 2>(c, b, rows, count, y);
  }
  for (; b < blocks; ++b) tile<V, kRows, 1>(c, b, rows, count, y);
}

// All channels of up to V::kRows rows.
template <class V, class C>
[[gnu::noinline]] void multiply(const C& c, const typename V::Input* rows, int32_t count,
                                typename C::Output* y) {
  if (count == 1) {
    all_channels<V, 1>(c, rows, 1, y);
  } else {
    all_channels<V, V::kRows>(c, rows, count, y);
  }
}

}  // namespace opsmith::simd
