// Needs the DSP extension. Fast because each two inputs that are loaded serve eight output channels
// and SMLAD adds two products at once. Sums of 32 bits are requantised by integers, where these are
// proved to round as double precision does; others by SMLALD and double precision.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_narrow_rows.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "runtimes/core/exact_scale.h"

namespace opsmith::fully_connected::i16x8 {

constexpr int32_t kChannels = dsp::kNarrowRows;

// Eight channels of a row, of which `count` are there.
template <class P>
void eight_channels(const P& p, const int16_t* x, const int16_t* end, const uint32_t* weights,
                    const Exact* constants, int32_t count, int16_t* y) {
  int32_t sums[kChannels];
#pragma GCC unroll 8
  for (int32_t i = 0; i < kChannels; ++i) sums[i] = constants[i].bias;
  dsp::add_products(x, end, weights, sums);
  for (int32_t i = 0; i < kChannels && i < count; ++i) {
    y[i] = dsp::clamped16(p, scaled(sums[i], constants[i].scale));
  }
}

// The same with sums of 64 bits, two channels at a time.
template <class P>
void eight_channels(const P& p, const int16_t* x, const int16_t* end, const uint32_t* weights,
                    const Real* constants, int32_t count, int16_t* y) {
  for (int32_t i = 0; i < count; i += 2, ++weights) {
    int64_t first = 0, second = 0;
    const uint32_t* w = weights;
    for (const int16_t* inputs = x; inputs != end; inputs += 2, w += kChannels / 2) {
      const uint32_t two = dsp::load_word(inputs);
      first = dsp::smlald(dsp::sxtb16(*w), two, first);
      second = dsp::smlald(dsp::sxtb16_ror8(*w), two, second);
    }
    y[i] = dsp::clamped16(p, requantize(first, constants[i]));
    if (i + 1 < count) y[i + 1] = dsp::clamped16(p, requantize(second, constants[i + 1]));
  }
}

template <class P, class C>
void all_rows(const P& p, const int16_t* from, const uint32_t* weights, const C* constants,
              int16_t* row, int16_t* y) {
  const int32_t words = p.padded_depth * kChannels / 4;
  for (int32_t i = 0; i < p.rows; ++i, from += p.depth) {
    const int16_t* x = dsp::whole_words(from, p.depth, p.padded_depth, row);
    const uint32_t* w = weights;
    for (int32_t c = 0; c < p.channels; c += kChannels, w += words) {
      const int32_t left = p.channels - c, count = left < kChannels ? left : kChannels;
      eight_channels(p, x, x + p.padded_depth, w, constants + c, count, y);
      y += count;
    }
  }
}

template <class P>
void dsp(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const PackedMatrix& tables,
         const DspScratch& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
  if (p.wide) {
    const auto* constants = reinterpret_cast<const Real*>(tables.requantization);
    all_rows(p, in.x, weights, constants, scratch.row, out.y);
  } else {
    const auto* constants = reinterpret_cast<const Exact*>(tables.requantization);
    all_rows(p, in.x, weights, constants, scratch.row, out.y);
  }
}

}  // namespace opsmith::fully_connected::i16x8
