// Needs Thumb. Fast because one multiplication serves two pixels, and because four sums stay in the
// registers that cores without Thumb-2 have.
#pragma once

#include "ops/conv_2d/pixel_groups.h"

namespace opsmith::conv_2d::i8 {
namespace pixel_groups {

// Sums of two channels for a pair of pixels. An input of the first pixel and 2^16 times that of the
// second are one word, a word of weights has two for each of the channels, and a register thus
// takes the sum A + 2^16 B of two products for either pixel: no pair of weights is -128 twice, so
// that A and B fit 16 bits. Such registers are summed up as they are, and their upper halves for
// themselves: a shift by 16 is B rounded down, and leaves the sign of A as the carry that is
// missing.
struct Multiply {
  using Input = int32_t;
  using Weight = int32_t;
  static constexpr int32_t kPixels = 2;
  static constexpr int32_t kChannels = 2;

  // What a pair of channels has of weights for N inputs, filled up to a multiple of four.
  static constexpr int32_t weights(int32_t size) { return (size + 3) / 4 * 2; }

  template <class From>
  static Input* put(int32_t inputs, int32_t pixel, Input* to, From from) {
    if (pixel == 0) {
#pragma GCC unroll 4
      for (int32_t i = 0; i < inputs; ++i) to[i] = from(i);
    } else {
#pragma GCC unroll 4
      for (int32_t i = 0; i < inputs; ++i) to[i] += from(i) * 65536;
    }
    return to + inputs;
  }

  static void sums_of(const Input* x, int32_t size, const Weight* w,
                      int32_t (&sums)[kPixels][kChannels]) {
    add_products(x, w, x + 2 * weights(size), &sums[0][0]);
  }

 private:
  // All registers, which the compiler would spill: r8 and r9 sum up the registers that the text
  // above speaks of, r6 and r7 their upper halves.
  __attribute__((naked, noipa)) static void add_products(const Input* /*x*/, const Weight* /*w*/,
                                                         const Input* /*end*/, int32_t* /*sums*/) {
    __asm volatile(
        "push {r4-r7, lr}\n\t"
        "mov r4, r8\n\t"
        "mov r5, r9\n\t"
        "mov r6, r10\n\t"
        "push {r4-r6}\n\t"
        "mov r10, r2\n\t"
        "mov lr, r3\n\t"
        "movs r6, #0\n\t"
        "movs r7, #0\n\t"
        "mov r8, r6\n\t"
        "mov r9, r6\n"
        "1:\n\t"
        ".rept 2\n\t"
        "ldmia r0!, {r2, r3}\n\t"  // two inputs
        "ldmia r1!, {r4}\n\t"      // their weights: bytes 0 and 1, and 2 and 3
        "sxtb r5, r4\n\t"
        "muls r5, r2, r5\n\t"
        "mov r12, r5\n\t"
        "lsrs r5, r4, #8\n\t"
        "sxtb r5, r5\n\t"
        "muls r5, r3, r5\n\t"
        "add r5, r12\n\t"
        "add r8, r5\n\t"
        "asrs r5, r5, #16\n\t"
        "adcs r6, r5\n\t"
        "lsrs r5, r4, #16\n\t"
        "sxtb r5, r5\n\t"
        "muls r2, r5, r2\n\t"
        "asrs r4, r4, #24\n\t"
        "muls r4, r3, r4\n\t"
        "adds r4, r4, r2\n\t"
        "add r9, r4\n\t"
        "asrs r4, r4, #16\n\t"
        "adcs r7, r4\n\t"
        ".endr\n\t"
        "cmp r0, r10\n\t"
        "bne 1b\n\t"
        "lsls r2, r6, #16\n\t"
        "lsls r3, r7, #16\n\t"
        "mov r4, r8\n\t"
        "mov r5, r9\n\t"
        "subs r4, r4, r2\n\t"
        "subs r5, r5, r3\n\t"
        "mov r0, lr\n\t"
        "stmia r0!, {r4-r7}\n\t"
        "pop {r4-r6}\n\t"
        "mov r8, r4\n\t"
        "mov r9, r5\n\t"
        "mov r10, r6\n\t"
        "pop {r4-r7, pc}");
  }
};

}  // namespace pixel_groups

template <class P, class S>
void plain(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PlainTables& tables,
           const S& scratch) {
  pixel_groups::convolve<pixel_groups::Multiply>(p, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d::i8
