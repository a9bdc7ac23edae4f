// Filters of 3x3 in five registers, for kernels that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp {

// The weights of one channel: two of each row, and the third ones of rows (0, 1) and (2, -).
struct Weights3x3 {
  uint32_t row0, row1, row2;
  uint32_t third01;
  uint32_t third2;
};

// Of a word for each row, whose bytes 0 and 2 are the two and byte 1 is the third; byte 3 is zero.
inline Weights3x3 unpacked_3x3(const int8_t* rows) {
  const uint32_t word0 = load_word(rows), word1 = load_word(rows + 4), word2 = load_word(rows + 8);
  return {sxtb16(word0), sxtb16(word1), sxtb16(word2),
          pkhbt(sxtb16_ror8(word0), sxtb16_ror8(word1)), sxtb16_ror8(word2)};
}

}  // namespace opsmith::dsp
