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
  constexpr bool kOwn = has_own(static_cast<const P*>(nullptr));
  const auto of_a = dsp::outputs_of<int8_t>(p, &P::left_shift);  // which y cannot alias
  const auto of_b = dsp::of_b(of_a);
  const int32_t channels = p.channels, depth = p.padded_depth;
  const auto* constants = lines_of(of_rows);
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    C exceptions = of_rows;
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(packed);
    const int8_t* x = dsp::whole_words(in.x + row * p.depth, p.depth, depth, copy);
    for (int32_t c = 0; c < channels; c += 8) {
      dsp::EightSums sums;
      weights = dsp::eight_channels(p, x, x + depth, weights, sums);
      const int32_t count = channels - c < 8 ? channels - c : 8;
      int32_t i = 0;
      for (; i < count / 2; ++i) {
        const int32_t a = c + 2 * i, b = a + 1, sum_b = sums.both[i] - sums.a[i];
        if constexpr (kOwn) {
          if (constants[a].is_own()) {
            *y++ = dsp::requantize_own(of_a, sums.a[i], constants[a].own_product());
            *y++ = dsp::requantize_own(of_a, sum_b >> 8, constants[b].own_product());
            continue;
          }
        }
        *y++ = dsp::requantize(of_a, sums.a[i], constants[a]);
        *y++ = dsp::requantize(of_b, sum_b, constants[b]);
      }
      if (count % 2 != 0) {
        const Threshold& last = constants[c + count - 1];
        *y++ = kOwn && last.is_own() ? dsp::requantize_own(of_a, sums.a[i], last.own_product())
                                     : dsp::requantize(of_a, sums.a[i], last);
      }
      exceptions_before(exceptions, c + 8, [&](const Exception* e) {
        int32_t each[8];
        for (int32_t k = 0; k < 8; ++k) each[k] = sums.of(k);
        return corrected_block<8>(e, c, each, y - c - count, 1, channels);
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
