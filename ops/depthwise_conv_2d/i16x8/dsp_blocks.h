// Two rows and two columns of outputs at a time, for dsp.h: of windows of 3x3 that overlap in both
// directions. Fast because four rows of a plane, of which the inner two serve both rows of outputs,
// are loaded once, and neither weights nor sums leave their registers.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp_3x3.h"
#include "runtimes/cmsis/dsp_narrow.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

// The sizes of a plane and of the outputs.
struct Blocks {
  int32_t width;  // elements of a row of the plane
  int32_t height;
  int32_t across;
  int32_t pixel;  // elements from an output to the next in a row
  int32_t row;    // and from a row to the next
};

// Loads four elements of a row of the plane, and goes to the next row.
#define OPSMITH_ROW                \
  "ldr %[right], [%[row], #4]\n\t" \
  "ldr %[left], [%[row]]\n\t"      \
  "add %[row], %[row], %[pitch]\n\t"

// Adds their products with a row of weights to what two columns' sums begin with: the first two
// weights, and the third in the half b or t of `third`.
#define OPSMITH_ADD(l, r, from_l, from_r, weights, third, half) \
  "smlad %[" l "], %[left], %[" weights "], %[" from_l          \
  "]\n\t"                                                       \
  "smlabt %[" r "], %[" weights "], %[left], %[" from_r         \
  "]\n\t"                                                       \
  "smlab" half " %[" l "], %[right], %[" third "], %[" l        \
  "]\n\t"                                                       \
  "smlabt %[" r "], %[right], %[" weights "], %[" r             \
  "]\n\t"                                                       \
  "smla" half "t %[" r "], %[" third "], %[right], %[" r "]\n\t"
#define OPSMITH_UPPER(weights, third, half) \
  OPSMITH_ADD("ul", "ur", "ul", "ur", weights, third, half)
#define OPSMITH_LOWER(weights, third, half) \
  OPSMITH_ADD("ll", "lr", "ll", "lr", weights, third, half)

// A sum as an output.
#define OPSMITH_NARROW(sum)      \
  "smmulr %[" sum "], %[" sum    \
  "], %[left]\n\t"               \
  ".if %c[positive]\n\t"         \
  "usat %[" sum "], #15, %[" sum \
  "]\n\t"                        \
  ".else\n\t"                    \
  "ssat %[" sum "], #16, %[" sum \
  "]\n\t"                        \
  ".endif\n\t"

// All outputs of a channel whose plane is filled, clamped to int16, kPositive: to what is no less
// than 0. What is beyond the image is written first, and then over. One function for all layers.
template <bool kPositive>
__attribute__((noinline)) void blocks_of_channel(const Blocks& p, const int16_t* plane,
                                                 const dsp::Weights3x3& w, const Narrow& channel,
                                                 int16_t* y) {
  const int32_t multiplier = channel.multiplier;
  for (int32_t oy = p.height; oy > 0; oy -= 2, plane += 2 * p.width, y += 2 * p.row) {
    const int32_t below = oy > 1 ? 2 * p.row : 0;  // bytes
    const int16_t *row = plane, *to = y;
    for (int32_t rest = p.across; rest > 0;) {
      const int32_t aside = rest > 1 ? 2 * p.pixel : 0, both = aside + below;
      int32_t count = rest > 1 ? rest / 2 : 1, ul, ur, ll, lr;
      uint32_t left, right;
      rest -= 2 * count;
      __asm volatile(
          "1:\n\t"
          OPSMITH_ROW OPSMITH_ADD("ul", "ur", "bias", "bias", "w0", "m01", "b")
          OPSMITH_ROW OPSMITH_UPPER("w1", "m01", "t")
          OPSMITH_ADD("ll", "lr", "bias", "bias", "w0", "m01", "b")
          OPSMITH_ROW OPSMITH_UPPER("w2", "m2", "b") OPSMITH_LOWER("w1", "m01", "t")
          "ldr %[right], [%[row], #4]\n\t"
          "ldr %[left], [%[row]], #4\n\t"
          OPSMITH_LOWER("w2", "m2", "b")
          "sub %[row], %[row], %[pitch]\n\t"
          "sub %[row], %[row], %[pitch], lsl #1\n\t"
          "ldr %[left], %[multiplier]\n\t"
          "ldr %[right], %[to]\n\t"
          OPSMITH_NARROW("lr") OPSMITH_NARROW("ur") OPSMITH_NARROW("ll") OPSMITH_NARROW("ul")
          "ldr %[left], %[both]\n\t"
          "strh %[lr], [%[right], %[left]]\n\t"
          "ldr %[lr], %[aside]\n\t"
          "ldr %[left], %[below]\n\t"
          "strh %[ur], [%[right], %[lr]]\n\t"
          "strh %[ll], [%[right], %[left]]\n\t"
          "strh %[ul], [%[right]]\n\t"
          "add %[right], %[right], %[lr], lsl #1\n\t"
          "str %[right], %[to]\n\t"
          "ldr %[left], %[count]\n\t"
          "subs %[left], %[left], #1\n\t"
          "str %[left], %[count]\n\t"
          "bne 1b"
          : [ul] "=&r"(ul), [ur] "=&r"(ur), [ll] "=&r"(ll), [lr] "=&r"(lr), [left] "=&r"(left),
            [right] "=&r"(right), [row] "+r"(row), [to] "+m"(to), [count] "+m"(count)
          : [pitch] "r"(2 * p.width), [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2),
            [m01] "r"(w.third01), [m2] "r"(w.third2), [bias] "r"(channel.bias),
            [multiplier] "m"(multiplier), [both] "m"(both), [aside] "m"(aside),
            [below] "m"(below), [positive] "i"(kPositive)
          : "cc", "memory");
    }
  }
}
#undef OPSMITH_NARROW
#undef OPSMITH_LOWER
#undef OPSMITH_UPPER
#undef OPSMITH_ADD
#undef OPSMITH_ROW

}  // namespace opsmith::depthwise_conv_2d::i16x8
