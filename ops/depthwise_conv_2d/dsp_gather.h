// Copies of bytes that lie apart, for kernels of int8 and uint8 that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::depthwise_conv_2d {

// Four bytes `pitch` apart as a word, from where `bytes` then points behind them. In assembly,
// since loads in a row take half the time of loads apart. A pitch known at compile time is part of
// them.
__attribute__((always_inline)) inline uint32_t gathered(const int8_t*& bytes, int32_t pitch,
                                                        int32_t thrice, int32_t four) {
  uint32_t word, byte1, byte2, byte3;
  if (__builtin_constant_p(pitch) && pitch <= 255) {
    __asm(
        "ldrb %[word], [%[from]], #%c[pitch]\n\t"
        "ldrb %[byte1], [%[from]], #%c[pitch]\n\t"
        "ldrb %[byte2], [%[from]], #%c[pitch]\n\t"
        "ldrb %[byte3], [%[from]], #%c[pitch]\n\t"
        : [word] "=&r"(word), [byte1] "=&r"(byte1), [byte2] "=&r"(byte2), [byte3] "=&r"(byte3),
          [from] "+r"(bytes)
        : [pitch] "i"(pitch), "m"(*reinterpret_cast<const int8_t (*)[]>(bytes)));
  } else {
    __asm(
        "ldrb %0, [%4]\n\t"
        "ldrb %1, [%4, %5]\n\t"
        "ldrb %2, [%4, %5, lsl #1]\n\t"
        "ldrb %3, [%4, %6]"
        : "=&r"(word), "=&r"(byte1), "=&r"(byte2), "=&r"(byte3)
        : "r"(bytes), "r"(pitch), "r"(thrice), "m"(*reinterpret_cast<const int8_t (*)[]>(bytes)));
    bytes += four;
  }
  return dsp::word_of(word, byte1, byte2, byte3);
}

// Copies `count` bytes, `pitch` apart, to neighbours; kFlip is what each four of them are XORed
// with.
template <uint32_t kFlip>
__attribute__((always_inline)) inline void gather(const int8_t* bytes, int32_t pitch, int32_t count,
                                                  int8_t* to) {
  const int32_t thrice = 3 * pitch, four = 4 * pitch;
  for (const int8_t* end = to + (count & ~15); to != end; to += 16) {
    dsp::store_word(to, gathered(bytes, pitch, thrice, four) ^ kFlip);
    dsp::store_word(to + 4, gathered(bytes, pitch, thrice, four) ^ kFlip);
    dsp::store_word(to + 8, gathered(bytes, pitch, thrice, four) ^ kFlip);
    dsp::store_word(to + 12, gathered(bytes, pitch, thrice, four) ^ kFlip);
  }
  if (count & 8) {
    dsp::store_word(to, gathered(bytes, pitch, thrice, four) ^ kFlip);
    dsp::store_word(to + 4, gathered(bytes, pitch, thrice, four) ^ kFlip);
    to += 8;
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
