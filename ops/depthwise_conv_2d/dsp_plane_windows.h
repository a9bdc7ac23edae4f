// Sums of filters of 3x3 over a plane with its border, for int8 and uint8. Needs the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp_3x3.h"

namespace opsmith::depthwise_conv_2d {

// The sums of two columns in the upper and the lower row of a block of windows that overlap in both
// directions: of four rows of the plane, the inner two serve both rows of outputs. Thirteen
// registers, so that the weights stay where they are.
__attribute__((always_inline)) inline void dense_block(const int8_t* top, int32_t width,
                                                       const dsp::Weights3x3& w,
                                                       int32_t& upper_left, int32_t& upper_right,
                                                       int32_t& lower_left, int32_t& lower_right) {
  int32_t ul, ur, ll, lr;
  uint32_t even, odd;
  __asm(
      "ldr %[odd], [%[top]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smuad %[ul], %[even], %[w0]\n\t"
      "smuad %[ur], %[odd], %[w0]\n\t"
      "smlabb %[ul], %[odd], %[m01], %[ul]\n\t"
      "smlatb %[ur], %[even], %[m01], %[ur]\n\t"
      "ldr %[odd], [%[top], %[width]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[ul], %[even], %[w1], %[ul]\n\t"
      "smlad %[ur], %[odd], %[w1], %[ur]\n\t"
      "smlabt %[ul], %[odd], %[m01], %[ul]\n\t"
      "smlatt %[ur], %[even], %[m01], %[ur]\n\t"
      "smuad %[ll], %[even], %[w0]\n\t"
      "smuad %[lr], %[odd], %[w0]\n\t"
      "smlabb %[ll], %[odd], %[m01], %[ll]\n\t"
      "smlatb %[lr], %[even], %[m01], %[lr]\n\t"
      "ldr %[odd], [%[top], %[width], lsl #1]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[ul], %[even], %[w2], %[ul]\n\t"
      "smlad %[ur], %[odd], %[w2], %[ur]\n\t"
      "smlabb %[ul], %[odd], %[m2], %[ul]\n\t"
      "smlatb %[ur], %[even], %[m2], %[ur]\n\t"
      "smlad %[ll], %[even], %[w1], %[ll]\n\t"
      "smlad %[lr], %[odd], %[w1], %[lr]\n\t"
      "smlabt %[ll], %[odd], %[m01], %[ll]\n\t"
      "smlatt %[lr], %[even], %[m01], %[lr]\n\t"
      "add %[odd], %[top], %[width]\n\t"
      "ldr %[odd], [%[odd], %[width], lsl #1]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[ll], %[even], %[w2], %[ll]\n\t"
      "smlad %[lr], %[odd], %[w2], %[lr]\n\t"
      "smlabb %[ll], %[odd], %[m2], %[ll]\n\t"
      "smlatb %[lr], %[even], %[m2], %[lr]"
      : [ul] "=&r"(ul), [ur] "=&r"(ur), [ll] "=&r"(ll), [lr] "=&r"(lr), [even] "=&r"(even),
        [odd] "=&r"(odd)
      : [top] "r"(top), [width] "r"(width), [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2),
        [m01] "r"(w.third01), [m2] "r"(w.third2), "m"(*reinterpret_cast<const int8_t (*)[]>(top)));
  upper_left = ul, upper_right = ur, lower_left = ll, lower_right = lr;
}

// The sum of a single window.
inline int32_t window(const int8_t* top, int32_t width, const dsp::Weights3x3& w) {
  int32_t sum;
  uint32_t even, odd;
  __asm(
      "ldr %[odd], [%[top]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smuad %[sum], %[even], %[w0]\n\t"
      "smlabb %[sum], %[odd], %[m01], %[sum]\n\t"
      "ldr %[odd], [%[top], %[width]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[sum], %[even], %[w1], %[sum]\n\t"
      "smlabt %[sum], %[odd], %[m01], %[sum]\n\t"
      "ldr %[odd], [%[top], %[width], lsl #1]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[sum], %[even], %[w2], %[sum]\n\t"
      "smlabb %[sum], %[odd], %[m2], %[sum]"
      : [sum] "=&r"(sum), [even] "=&r"(even), [odd] "=&r"(odd)
      : [top] "r"(top), [width] "r"(width), [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2),
        [m01] "r"(w.third01), [m2] "r"(w.third2), "m"(*reinterpret_cast<const int8_t (*)[]>(top)));
  return sum;
}

}  // namespace opsmith::depthwise_conv_2d
