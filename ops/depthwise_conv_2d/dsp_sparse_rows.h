// Rows of outputs of windows of 3x3 that do not overlap in both directions, of int8, of a Params
// known at compile time that requantises by thresholds. Needs the DSP extension. In assembly, since
// GCC keeps weights in memory. As functions of their own, which have all registers; what is in
// memory does not change between rows, which would take one of them.
#pragma once

#include "ops/depthwise_conv_2d/pitches.h"
#include "runtimes/cmsis/dsp_3x3.h"

namespace opsmith::depthwise_conv_2d {

constexpr int32_t kLargestOffset = 4095;  // of a load or an addition

// Bytes from an output to the next.
template <class P>
constexpr int32_t next_output() {
  return row_pitches(P{}, P::output_width).pixel;
}

// Whether instructions can have all distances as they are.
template <class P>
constexpr bool has_near_rows() {
  return 2 * P::plane_width + 2 <= kLargestOffset && P::stride_width <= kLargestOffset &&
         2 * next_output<P>() <= kLargestOffset;
}

// One output at a time.
template <class P>
__attribute__((noinline)) void single_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                           const dsp::Threshold& channel, int8_t* y) {
  constexpr Pitches of_y = row_pitches(P{}, P::output_width);
  __asm volatile("" ::: "memory");
  for (int32_t rows = P::output_height; rows != 0; --rows) {
    const int8_t* top = plane;
    int8_t* to = y;
    int32_t left = P::output_width, sum;
    uint32_t even, odd;
    __asm volatile(
        "1:\n\t"
        "ldr %[odd], [%[top]]\n\t"
        "sxtb16 %[even], %[odd]\n\t"
        "sxtb16 %[odd], %[odd], ror #8\n\t"
        "smuad %[sum], %[even], %[w0]\n\t"
        "smlabb %[sum], %[odd], %[m01], %[sum]\n\t"
        "ldr %[odd], [%[top], #%c[width]]\n\t"
        "sxtb16 %[even], %[odd]\n\t"
        "sxtb16 %[odd], %[odd], ror #8\n\t"
        "smlad %[sum], %[even], %[w1], %[sum]\n\t"
        "smlabt %[sum], %[odd], %[m01], %[sum]\n\t"
        "ldr %[odd], [%[top], #2 * %c[width]]\n\t"
        "sxtb16 %[even], %[odd]\n\t"
        "sxtb16 %[odd], %[odd], ror #8\n\t"
        "smlad %[sum], %[even], %[w2], %[sum]\n\t"
        "smlabb %[sum], %[odd], %[m2], %[sum]\n\t"
        "add %[top], %[top], #%c[right]\n\t"
        "lsl %[sum], %[sum], #%c[before]\n\t"
        "smmla %[sum], %[sum], %[multiplier], %[offset]\n\t"
        "ssat %[sum], #8, %[sum], asr #%c[after]\n\t"
        "strb %[sum], [%[to]]\n\t"
        "add %[to], %[to], #%c[next]\n\t"
        "subs %[left], %[left], #1\n\t"
        "bne 1b"
        : [top] "+r"(top), [to] "+r"(to), [left] "+r"(left), [sum] "=&r"(sum), [even] "=&r"(even),
          [odd] "=&r"(odd)
        : [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2), [m01] "r"(w.third01),
          [m2] "r"(w.third2), [multiplier] "r"(channel.multiplier), [offset] "r"(channel.offset),
          [next] "i"(next_output<P>()), [width] "i"(P::plane_width), [right] "i"(P::stride_width),
          [before] "i"(P::left_shift), [after] "i"(P::right_shift)
        : "cc");
    plane += P::stride_height * P::plane_width;
    y += of_y.row;
  }
  __asm volatile("" ::: "memory");
}

// Two outputs at a time, two columns of inputs apart: a word of each row of the plane is taken
// apart for both. The third weight of the last row shares a register with the number of pairs after
// the one at hand. The last pair of an odd number of outputs overlaps the one before.
template <class P>
__attribute__((noinline)) void paired_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                           const dsp::Threshold& channel, int8_t* y) {
  constexpr Pitches of_y = row_pitches(P{}, P::output_width);
  constexpr int32_t next = next_output<P>();
  __asm volatile("" ::: "memory");
  for (int32_t rows = P::output_height; rows != 0; --rows) {
    const int8_t* top = plane;
    int8_t* to = y;
    uint32_t m2 = dsp::pkhbt(w.third2, P::output_width / 2 - 1);
    for (bool again = P::output_width % 2 != 0;; again = false) {
      int32_t sum0, sum1;
      uint32_t even0, even1, odd;
      __asm volatile(
          "1:\n\t"
          "ldr %[odd], [%[top], #2 * %c[width]]\n\t"
          "ldr %[even1], [%[top], #2 * %c[width] + 2]\n\t"
          "sxtb16 %[even0], %[odd]\n\t"
          "sxtb16 %[odd], %[odd], ror #8\n\t"
          "sxtb16 %[even1], %[even1]\n\t"
          "smuad %[sum0], %[even0], %[w2]\n\t"
          "smuad %[sum1], %[even1], %[w2]\n\t"
          "smlabb %[sum0], %[odd], %[m2], %[sum0]\n\t"
          "smlatb %[sum1], %[odd], %[m2], %[sum1]\n\t"
          "ldr %[odd], [%[top], #%c[width]]\n\t"
          "ldr %[even1], [%[top], #%c[width] + 2]\n\t"
          "sxtb16 %[even0], %[odd]\n\t"
          "sxtb16 %[odd], %[odd], ror #8\n\t"
          "sxtb16 %[even1], %[even1]\n\t"
          "smlad %[sum0], %[even0], %[w1], %[sum0]\n\t"
          "smlad %[sum1], %[even1], %[w1], %[sum1]\n\t"
          "smlabt %[sum0], %[odd], %[m01], %[sum0]\n\t"
          "smlatt %[sum1], %[odd], %[m01], %[sum1]\n\t"
          "ldr %[even1], [%[top], #2]\n\t"
          "ldr %[odd], [%[top]], #4\n\t"
          "sxtb16 %[even1], %[even1]\n\t"
          "sxtb16 %[even0], %[odd]\n\t"
          "sxtb16 %[odd], %[odd], ror #8\n\t"
          "smlad %[sum0], %[even0], %[w0], %[sum0]\n\t"
          "smlad %[sum1], %[even1], %[w0], %[sum1]\n\t"
          "smlabb %[sum0], %[odd], %[m01], %[sum0]\n\t"
          "smlatb %[sum1], %[odd], %[m01], %[sum1]\n\t"
          "lsl %[sum0], %[sum0], #%c[before]\n\t"
          "lsl %[sum1], %[sum1], #%c[before]\n\t"
          "smmla %[sum0], %[sum0], %[multiplier], %[offset]\n\t"
          "smmla %[sum1], %[sum1], %[multiplier], %[offset]\n\t"
          "ssat %[sum0], #8, %[sum0], asr #%c[after]\n\t"
          "ssat %[sum1], #8, %[sum1], asr #%c[after]\n\t"
          "strb %[sum0], [%[to]]\n\t"
          "strb %[sum1], [%[to], #%c[next]]\n\t"
          "add %[to], %[to], #2 * %c[next]\n\t"
          "subs %[m2], %[m2], #0x10000\n\t"
          "bpl 1b"
          : [top] "+r"(top), [to] "+r"(to), [m2] "+r"(m2), [sum0] "=&r"(sum0), [sum1] "=&r"(sum1),
            [even0] "=&r"(even0), [even1] "=&r"(even1), [odd] "=&r"(odd)
          : [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2), [m01] "r"(w.third01),
            [multiplier] "r"(channel.multiplier), [offset] "r"(channel.offset), [next] "i"(next),
            [width] "i"(P::plane_width), [before] "i"(P::left_shift), [after] "i"(P::right_shift)
          : "cc");
      if (!again) break;
      m2 += 0x10000, top -= 2, to -= next;
    }
    plane += P::stride_height * P::plane_width;
    y += of_y.row;
  }
  __asm volatile("" ::: "memory");
}

template <class P>
void sparse_rows(const int8_t* plane, const dsp::Weights3x3& w, const dsp::Threshold& channel,
                 int8_t* y) {
  if constexpr (P::stride_width == 2 && P::output_width > 1) {
    paired_rows<P>(plane, w, channel, y);
  } else {
    single_rows<P>(plane, w, channel, y);
  }
}

}  // namespace opsmith::depthwise_conv_2d
