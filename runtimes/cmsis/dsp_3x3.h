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

// Of a word for each row, whose bytes 0 and 2 are the two and byte 1 is the third. Bytes 3 count
// for nothing.
inline Weights3x3 unpacked_3x3(const int8_t* rows) {
  const uint32_t word0 = load_word(rows), word1 = load_word(rows + 4), word2 = load_word(rows + 8);
  return {sxtb16(word0), sxtb16(word1), sxtb16(word2),
          pkhbt(sxtb16_ror8(word0), sxtb16_ror8(word1)), sxtb16_ror8(word2)};
}

// The same of unsigned bytes, which lose their zero point.
inline Weights3x3 unpacked_3x3(const uint8_t* rows, int32_t zero_point) {
  const uint32_t word0 = load_word(rows), word1 = load_word(rows + 4), word2 = load_word(rows + 8);
  const uint32_t less = static_cast<uint32_t>(-zero_point & 0xffff) * 0x10001;
  return {uxtab16(less, word0), uxtab16(less, word1), uxtab16(less, word2),
          pkhbt(uxtab16_ror8(less, word0), uxtab16_ror8(less, word1)), uxtab16_ror8(less, word2)};
}

}  // namespace opsmith::dsp
