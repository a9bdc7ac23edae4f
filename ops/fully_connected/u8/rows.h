// Rows of uint8 as int8, 128 less, and their products with eight channels, for dsp.h.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_rows.h"

namespace opsmith::fully_connected::u8 {

// Copies a row, filled up to whole words; returns the sum of its elements.
inline int32_t lowered(const uint8_t* x, int32_t depth, int8_t* row) {
  int32_t sum = 0, i = 0;
  for (; i + 4 <= depth; i += 4) {
    const uint32_t word = dsp::load_word(x + i) ^ 0x80808080;
    dsp::store_word(row + i, word);
    sum = dsp::smlad(dsp::sxtb16(word), 0x10001, sum);
    sum = dsp::smlad(dsp::sxtb16_ror8(word), 0x10001, sum);
  }
  for (; i < depth; ++i) {
    row[i] = static_cast<int8_t>(x[i] - 128);
    sum += row[i];
  }
  return sum;  // what is after them meets weights of zero
}

// Calls f(sums, base, first channel, y) for each eight channels of each row: the base is what the
// zero point of the weights adds to their sums.
template <class P, class T, class F>
void for_each_eight(const P& p, const uint8_t* x, const T& tables, int8_t* row, uint8_t* y, F f) {
  const int32_t depth = p.padded_depth;
  for (int32_t i = 0; i < p.rows; ++i, x += p.depth, y += p.channels) {
    const int32_t base = p.sum_factor * lowered(x, p.depth, row);
    const int32_t products = dsp::neighbours(row, row + depth);
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
    for (int32_t c = 0; c < p.channels; c += 8) {
      int32_t sums[8];
      weights = dsp::eight_channels(p, row, row + depth, p.channels - c, weights, products, sums);
      f(sums, base, c, y + c);
    }
  }
}

}  // namespace opsmith::fully_connected::u8
