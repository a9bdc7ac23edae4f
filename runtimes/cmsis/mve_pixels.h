// Neighbouring channels of pixels at a time, sixteen bytes or eight halfwords, for Helium.
#pragma once

#include "runtimes/cmsis/mve_elements.h"
#include "runtimes/families/pooling.h"

namespace opsmith::mve {

// Sums of elements, twice as wide: of channels 0, 2, … in even, of 1, 3, … in odd. Halfwords hold
// those of 256 bytes.
template <class Wide>
struct Sums {
  Wide even, odd;
};
inline Sums<int16x8_t> none(int8_t) { return {vdupq_n_s16(0), vdupq_n_s16(0)}; }
inline Sums<uint16x8_t> none(uint8_t) { return {vdupq_n_u16(0), vdupq_n_u16(0)}; }
inline Sums<int32x4_t> none(int16_t) { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }

// Of the first `channels` elements of pixels that are `step` elements apart, at most a vector:
// add_pixels adds them to sums, and max_pixels returns the larger of `most` and each of them.
#define OPSMITH_MVE_PIXELS(T, Vector, Wide, bits, letter, sign)                                 \
  inline void add_pixels(Sums<Wide>& sums, const T* x, int32_t step, int32_t pixels,            \
                         int32_t channels) {                                                    \
    __asm volatile("vctp." bits                                                                 \
                   " %[channels]\n\t"                                                           \
                   "wls lr, %[pixels], 2f\n"                                                    \
                   "1:\n\t"                                                                     \
                   "vpst\n\t"                                                                   \
                   "vldr" letter "t.u" bits                                                     \
                   " q0, [%[x]]\n\t"                                                            \
                   "add %[x], %[step]\n\t"                                                      \
                   "vmovlb." sign bits                                                          \
                   " q1, q0\n\t"                                                                \
                   "vadd.i%c[wide] %q[even], %q[even], q1\n\t"                                  \
                   "vmovlt." sign bits                                                          \
                   " q1, q0\n\t"                                                                \
                   "vadd.i%c[wide] %q[odd], %q[odd], q1\n\t"                                    \
                   "le lr, 1b\n"                                                                \
                   "2:"                                                                         \
                   : [even] "+w"(sums.even), [odd] "+w"(sums.odd), [x] "+r"(x)                  \
                   : [channels] "r"(channels), [pixels] "r"(pixels),                            \
                     [step] "r"(step * int32_t{sizeof(T)}), [wide] "i"(16 * sizeof(T))          \
                   : "q0", "q1", "p0", "lr", "cc", "memory");                                   \
  }                                                                                             \
  inline Vector max_pixels(Vector most, const T* x, int32_t step, int32_t pixels,               \
                           int32_t channels) {                                                  \
    __asm volatile(                                                                             \
        "vctp." bits                                                                            \
        " %[channels]\n\t"                                                                      \
        "wls lr, %[pixels], 2f\n"                                                               \
        "1:\n\t"                                                                                \
        "vpst\n\t"                                                                              \
        "vldr" letter "t.u" bits                                                                \
        " q0, [%[x]]\n\t"                                                                       \
        "add %[x], %[step]\n\t"                                                                 \
        "vmax." sign bits                                                                       \
        " %q[most], %q[most], q0\n\t"                                                           \
        "le lr, 1b\n"                                                                           \
        "2:"                                                                                    \
        : [most] "+w"(most), [x] "+r"(x)                                                        \
        : [channels] "r"(channels), [pixels] "r"(pixels), [step] "r"(step * int32_t{sizeof(T)}) \
        : "q0", "p0", "lr", "cc", "memory");                                                    \
    return most;                                                                                \
  }

OPSMITH_MVE_PIXELS(int8_t, int8x16_t, int16x8_t, "8", "b", "s")
OPSMITH_MVE_PIXELS(uint8_t, uint8x16_t, uint16x8_t, "8", "b", "u")
OPSMITH_MVE_PIXELS(int16_t, int16x8_t, int32x4_t, "16", "h", "s")
#undef OPSMITH_MVE_PIXELS

// Sums as vectors of words: two for each vector of halfwords, one for each of words.
template <class T>
inline constexpr int32_t kWords = 4 / sizeof(T);

inline void words_of(const Sums<int16x8_t>& sums, int32x4_t (&words)[4]) {
  words[0] = vmovlbq_s16(sums.even);
  words[1] = vmovltq_s16(sums.even);
  words[2] = vmovlbq_s16(sums.odd);
  words[3] = vmovltq_s16(sums.odd);
}
inline void words_of(const Sums<uint16x8_t>& sums, int32x4_t (&words)[4]) {
  words[0] = vreinterpretq_s32_u32(vmovlbq_u16(sums.even));
  words[1] = vreinterpretq_s32_u32(vmovltq_u16(sums.even));
  words[2] = vreinterpretq_s32_u32(vmovlbq_u16(sums.odd));
  words[3] = vreinterpretq_s32_u32(vmovltq_u16(sums.odd));
}
inline void words_of(const Sums<int32x4_t>& sums, int32x4_t (&words)[2]) {
  words[0] = sums.even;
  words[1] = sums.odd;
}

// What words_of gives, plus a zero point, as elements in their order, saturated.
template <class T>
auto elements_of(const int32x4_t (&words)[kWords<T>], int32_t zero_point) {
  const auto pair = [&words, zero_point](int32_t i) {
    return vqaddq_n_s16(halves(words[i], words[i + 1]), static_cast<int16_t>(zero_point));
  };
  if constexpr (sizeof(T) == 2) {
    return pair(0);
  } else if constexpr (Limits<T>::kSigned) {
    return bytes(pair(0), pair(2));
  } else {
    return unsigned_bytes(pair(0), pair(2));
  }
}

// The same of words that fit: their low ends are where they belong, or one place lower.
template <class T>
auto fitting(const int32x4_t (&words)[kWords<T>]) {
  const auto pair = [&words](int32_t i) {
    return vmovntq_s32(vreinterpretq_s16_s32(words[i]), words[i + 1]);
  };
  if constexpr (sizeof(T) == 2) {
    return pair(0);
  } else {
    const int8x16_t bytes = vmovntq_s16(vreinterpretq_s8_s16(pair(0)), pair(2));
    if constexpr (Limits<T>::kSigned) {
      return bytes;
    } else {
      return vreinterpretq_u8_s8(bytes);
    }
  }
}

// y = reduce(x, channels) for a vector of channels of a pixel after the other, then for the rest.
template <class T, class Reduce>
void for_each_block(const T* x, T* y, int32_t channels, Reduce reduce) {
  for (int32_t left = channels; left > 0; left -= kLanes<T>, x += kLanes<T>, y += kLanes<T>) {
    const auto elements = reduce(x, left);
    vst1q_p(y, elements, some_of_next<T>(left));
  }
}

// Calls f(row, pixels) for the pixels of a window that are side by side. `x` is in its first pixel,
// and P has the fields of PoolParams.
template <class P, class T, class F>
void for_each_row(const P& p, const Window<T>& window, const T* x, F f) {
  if (window.columns == p.input_width) return f(x, window.rows * window.columns);
  for (int32_t i = 0; i < window.rows; ++i, x += p.input_width * p.channels) f(x, window.columns);
}

}  // namespace opsmith::mve
