// Needs the DSP extension. Fast because each four inputs that are loaded serve eight output
// channels, SMLAD adds two products at once, and only every other channel's weights are unpacked.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_rows.h"
#include "runtimes/cmsis/dsp_padding.h"

namespace opsmith::fully_connected::i8 {

// All outputs; of_rows are the constants of all channels. Of a P with `own`, some pairs have
// LongThreshold.
template <class P, class C>
void eight_at_a_time(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const int8_t* packed,
                     C of_rows, int8_t* copy) {
  constexpr const P* kNone = nullptr;
  constexpr bool kPlain = !has_own(kNone) && !is_listed(kNone) && !dsp::has_unpaired(kNone);
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);  // which y cannot alias
  const int32_t channels = p.channels, depth = p.padded_depth;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    C exceptions = of_rows;
    const auto* channel = lines_of(of_rows);
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(packed);
    const int8_t* x = dsp::whole_words(in.x + row * p.depth, p.depth, depth, copy);
    if constexpr (kPlain) {
      if (o.activation_min == -128 && o.activation_max == 127) {
        dsp::EightOutputs eight = {o.left_shift, o.right_shift, channel, y};
        dsp::row_of_outputs(x, x + depth, weights, channels, eight);
        y += channels;
        continue;
      }
    }
    const int32_t products = dsp::neighbours(x, x + depth);
    for (int32_t c = 0; c < channels; c += 8) {
      int32_t sums[8];
      weights = dsp::eight_channels(p, x, x + depth, channels - c, weights, products, sums);
      int8_t* const end = y + (channels - c < 8 ? channels - c : 8);
      for (const int32_t* sum = sums; y != end; ++sum, ++channel, ++y) {
        if constexpr (has_own(static_cast<const P*>(nullptr))) {
          if (channel->is_own()) {
            *y = dsp::requantize_own(o, *sum, channel->own_product());
            continue;
          }
        }
        *y = dsp::requantize(o, *sum, *channel);
      }
      exceptions_before(exceptions, c + 8, [&](const Exception* e) {
        return corrected_block<8>(e, c, sums, out.y + row * channels, 1, channels);
      });
    }
  }
}

template <class P, class S>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PackedMatrix& tables,
         const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
  eight_at_a_time(p, in, out, tables.weights, constants, scratch.row);
}

}  // namespace opsmith::fully_connected::i8
