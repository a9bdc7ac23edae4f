// Needs Thumb. Fast because one multiplication serves two pixels and a weight that is unpacked
// four, whose sums stay in the registers that cores without Thumb-2 have.
#pragma once

#include "ops/conv_2d/pixel_groups.h"

namespace opsmith::conv_2d::i8 {
namespace pixel_groups {

// Four pixels and a channel at a time. An input of one pixel and 2^16 times that of another are one
// word; windows have such words of two inputs for pixels 0 and 1, then for pixels 2 and 3. A word
// of weights has four, of inputs 1, 2, 3 and 0.
struct Words {
  using Input = int32_t;
  using Weight = int32_t;
  static constexpr int32_t kPixels = 4;
  static constexpr int32_t kChannels = 1;

  // What a channel has of weights for N inputs, filled up to a multiple of four.
  static constexpr int32_t weights(int32_t size) { return (size + 3) / 4; }

  template <class From>
  static void put(int32_t inputs, int32_t pixel, Input* windows, int32_t at, From from) {
    Input* pair = windows + (pixel & 2);
    if ((at & 1) != 0) {
      for (int32_t i = 0; i < inputs; ++i) {
        add(pixel, pair[2 * (at + i) - ((at + i) & 1)], from(i));
      }
      return;
    }
    Input* to = pair + 2 * at;
    for (int32_t i = 0; i + 1 < inputs; i += 2, to += 4) {
      add(pixel, to[0], from(i));
      add(pixel, to[1], from(i + 1));
    }
    if ((inputs & 1) != 0) add(pixel, to[0], from(inputs - 1));
  }

 private:
  __attribute__((always_inline)) static void add(int32_t pixel, Input& word, int32_t x) {
    word = pixel & 1 ? word + x * 65536 : x;
  }
};

// Sums of weights of which no two neighbours are -128. A register thus takes the sum A + 2^16 B of
// two products for either pixel, as A and B fit 16 bits. Such registers are summed up as they are,
// and their upper halves for themselves: a shift by 16 is B rounded down, and leaves the sign of A
// as the carry that is missing.
struct Multiply : Words {
  static void sums_of(const Input* x, int32_t size, const Weight* w,
                      int32_t (&sums)[kPixels][kChannels], int32_t pixels) {
    const Input* end = x + 8 * weights(size);
    if (pixels > 2) {
      add_products(x, w, end, &sums[0][0]);
    } else {
      add_products_of_pair(x, w, end, &sums[0][0]);
    }
  }

 private:
  // All registers, which the compiler would spill: r8 and r9 sum up the registers that the text
  // above speaks of, r6 and r7 their upper halves. A round takes eight inputs, the first one maybe
  // four.
  __attribute__((naked, noipa)) static void add_products(const Input* /*x*/, const Weight* /*w*/,
                                                         const Input* /*end*/, int32_t* /*sums*/) {
    __asm volatile(
        // Two inputs of a pair of pixels by the weights in r4 and r5.
        ".macro opsmith_add sum, upper\n\t"
        "ldmia r0!, {r2, r3}\n\t"
        "muls r2, r4, r2\n\t"
        "muls r3, r5, r3\n\t"
        "adds r2, r2, r3\n\t"
        "add \\sum, r2\n\t"
        "asrs r2, r2, #16\n\t"
        "adcs \\upper, r2\n\t"
        ".endm\n\t"
        ".macro opsmith_four\n\t"
        "ldr r5, [r1]\n\t"
        "asrs r4, r5, #24\n\t"
        "sxtb r5, r5\n\t"
        "opsmith_add r8, r6\n\t"
        "opsmith_add r9, r7\n\t"
        "ldmia r1!, {r5}\n\t"
        "lsrs r4, r5, #8\n\t"
        "sxtb r4, r4\n\t"
        "lsls r5, r5, #8\n\t"
        "asrs r5, r5, #24\n\t"
        "opsmith_add r8, r6\n\t"
        "opsmith_add r9, r7\n\t"
        ".endm\n\t"
        "push {r4-r7, lr}\n\t"
        "mov r4, r8\n\t"
        "mov r5, r9\n\t"
        "push {r4, r5}\n\t"
        "mov r12, r2\n\t"
        "mov lr, r3\n\t"
        "movs r6, #0\n\t"
        "movs r7, #0\n\t"
        "mov r8, r6\n\t"
        "mov r9, r6\n\t"
        "subs r2, r2, r0\n\t"
        "lsls r2, r2, #27\n\t"  // 32 bytes are four inputs
        "bcs 2f\n"
        "1:\n\t"
        "opsmith_four\n"
        "2:\n\t"
        "opsmith_four\n\t"
        "cmp r0, r12\n\t"
        "bne 1b\n\t"
        ".purgem opsmith_four\n\t"
        ".purgem opsmith_add\n\t"
        "lsls r2, r6, #16\n\t"
        "lsls r3, r7, #16\n\t"
        "mov r4, r8\n\t"
        "mov r5, r9\n\t"
        "subs r4, r4, r2\n\t"
        "subs r2, r5, r3\n\t"
        "mov r5, r6\n\t"
        "mov r6, r2\n\t"
        "mov r0, lr\n\t"
        "stmia r0!, {r4-r7}\n\t"
        "pop {r4, r5}\n\t"
        "mov r8, r4\n\t"
        "mov r9, r5\n\t"
        "pop {r4-r7, pc}");
  }

  // The same of pixels 0 and 1 alone.
  __attribute__((naked, noipa)) static void add_products_of_pair(const Input* /*x*/,
                                                                 const Weight* /*w*/,
                                                                 const Input* /*end*/,
                                                                 int32_t* /*sums*/) {
    __asm volatile(
        ".macro opsmith_add\n\t"
        "ldmia r0!, {r2, r3}\n\t"
        "muls r2, r4, r2\n\t"
        "muls r3, r5, r3\n\t"
        "adds r2, r2, r3\n\t"
        "add r12, r2\n\t"
        "asrs r2, r2, #16\n\t"
        "adcs r6, r2\n\t"
        "adds r0, #8\n\t"
        ".endm\n\t"
        "push {r3-r7, lr}\n\t"
        "mov lr, r2\n\t"
        "movs r6, #0\n\t"
        "mov r12, r6\n"
        "1:\n\t"
        "ldmia r1!, {r7}\n\t"
        "asrs r4, r7, #24\n\t"
        "sxtb r5, r7\n\t"
        "opsmith_add\n\t"
        "lsrs r4, r7, #8\n\t"
        "sxtb r4, r4\n\t"
        "lsls r5, r7, #8\n\t"
        "asrs r5, r5, #24\n\t"
        "opsmith_add\n\t"
        "cmp r0, lr\n\t"
        "bne 1b\n\t"
        ".purgem opsmith_add\n\t"
        "lsls r2, r6, #16\n\t"
        "mov r5, r12\n\t"
        "subs r5, r5, r2\n\t"
        "pop {r3}\n\t"
        "stmia r3!, {r5, r6}\n\t"
        "pop {r4-r7, pc}");
  }
};

// Sums of any weights: each product fits 16 bits.
struct MultiplyEach : Words {
  static void sums_of(const Input* x, int32_t size, const Weight* w,
                      int32_t (&sums)[kPixels][kChannels], int32_t /*pixels*/) {
    for (int32_t k = 0; k < kPixels; k += 2, x += 2) {
      uint32_t sum = 0;
      int32_t upper = 0;
      for (int32_t i = 0; i < size; ++i) {
        const int32_t weight = reinterpret_cast<const int8_t*>(w)[(i & ~3) + ((i - 1) & 3)];
        const int32_t product = x[2 * i - (i & 1)] * weight;
        sum += static_cast<uint32_t>(product);
        upper += (product + (1 << 15)) >> 16;
      }
      sums[k][0] = static_cast<int32_t>(sum - (static_cast<uint32_t>(upper) << 16));
      sums[k + 1][0] = upper;
    }
  }
};

}  // namespace pixel_groups

// The whole convolution.
template <class P>
void by_words(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PlainTables& tables,
              int32_t* windows) {
  if (p.pairs) {
    pixel_groups::convolve<pixel_groups::Multiply>(p, in, out, tables, windows);
  } else {
    pixel_groups::convolve<pixel_groups::MultiplyEach>(p, in, out, tables, windows);
  }
}

template <class P, class S>
void plain(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PlainTables& tables,
           const S& scratch) {
  by_words(p, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d::i8
