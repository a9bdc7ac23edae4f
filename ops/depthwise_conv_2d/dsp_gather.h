// Copies of bytes that lie apart, for kernels of int8 and uint8 that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::depthwise_conv_2d {

// Four bytes `pitch` apart, and three times that. In assembly, since loads in a row take half the
// time of loads apart.
inline uint32_t gathered(const int8_t* bytes, int32_t pitch, int32_t thrice) {
  uint32_t word, byte1, byte2, byte3;
  __asm(
      "ldrb %0, [%4]\n\t"
      "ldrb %1, [%4, %5]\n\t"
      "ldrb %2, [%4, %5, lsl #1]\n\t"
      "ldrb %3, [%4, %6]\n\t"
      "orr %0, %0, %1, lsl #8\n\t"
      "orr %0, %0, %2, lsl #16\n\t"
      "orr %0, %0, %3, lsl #24"
      : "=&r"(word), "=&r"(byte1), "=&r"(byte2), "=&r"(byte3)
      : "r"(bytes), "r"(pitch), "r"(thrice), "m"(*reinterpret_cast<const int8_t (*)[]>(bytes)));
  return word;
}

// Copies `count` bytes, `pitch` apart, to neighbours; kFlip is what each four of them are XORed
// with.
template <uint32_t kFlip>
__attribute__((always_inline)) inline void gather(const int8_t* bytes, int32_t pitch, int32_t count,
                                                  int8_t* to) {
  const int32_t thrice = 3 * pitch, four = 4 * pitch;
  for (const int8_t* end = to + (count & ~7); to != end; to += 8, bytes += 2 * four) {
    dsp::store_word(to, gathered(bytes, pitch, thrice) ^ kFlip);
    dsp::store_word(to + 4, gathered(bytes + four, pitch, thrice) ^ kFlip);
  }
  if (count & 4) {
    const auto byte = [=](int32_t i) { return static_cast<uint8_t>(bytes[i * pitch]); };
    dsp::store_word(to, dsp::word_of(byte(0), byte(1), byte(2), byte(3)) ^ kFlip);
    to += 4, bytes += four;
  }
  for (int32_t i = 0; i < (count & 3); ++i) {
    to[i] = static_cast<int8_t>(bytes[i * pitch] ^ static_cast<int8_t>(kFlip));
  }
}

}  // namespace opsmith::depthwise_conv_2d
