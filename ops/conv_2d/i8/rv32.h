// Needs RV32M. Fast because one multiplication serves two pixels, and because 31 registers hold the
// sums of four pixels and four channels.
#pragma once

#include "ops/conv_2d/pixel_groups.h"

namespace opsmith::conv_2d::i8 {
namespace pixel_groups {

// Sums of four channels for two pairs of pixels. An input of a pair's first pixel and 2^16 times
// that of the second are one word, so that a register takes the sum A + 2^16 B of two products for
// either pixel. These are from -32512 to 32768: with 32767 + 2^16 * 32512 more, the upper half is
// B + 32512. Registers are summed up as they are, modulo 2^32, and their upper halves for
// themselves.
struct Rv32Multiply {
  using Input = int32_t;
  using Weight = int8_t;
  static constexpr int32_t kPixels = 4;
  static constexpr int32_t kChannels = 4;

  static constexpr int32_t filled(int32_t size) { return (size + 3) & ~3; }

  // What a group of channels has of weights for N inputs, filled up to a multiple of four.
  static constexpr int32_t weights(int32_t size) { return kChannels * filled(size); }

  template <class From>
  static void put(int32_t inputs, int32_t pixel, Input* windows, int32_t at, From from) {
    Input* half = windows + 2 * at + (pixel >> 1);
    if ((pixel & 1) == 0) {
#pragma GCC unroll 4
      for (int32_t i = 0; i < inputs; ++i) half[2 * i] = from(i);
    } else {
#pragma GCC unroll 4
      for (int32_t i = 0; i < inputs; ++i) half[2 * i] += from(i) * 65536;
    }
  }

  static void sums_of(const Input* x, int32_t size, const Weight* w,
                      int32_t (&sums)[kPixels][kChannels], int32_t /*pixels*/) {
    add_products(x, w, w + weights(size), &sums[0][0]);
  }

 private:
  // All registers, which the compiler would spill: s0 to s7 sum up the registers that the text
  // above speaks of, s8 to s11 and t3 to t6 upper halves, those of the first pair first.
  __attribute__((naked, noipa)) static void add_products(const Input* /*x*/, const Weight* /*w*/,
                                                         const Weight* /*end*/, int32_t* /*sums*/) {
    __asm volatile(
        // Two products of a pair of pixels by the weights in t0 and t1.
        ".macro opsmith_add first, second, sum, half\n\t"
        "mul t2, t0, \\first\n\t"
        "mul ra, t1, \\second\n\t"
        "add t2, t2, ra\n\t"
        "add \\sum, \\sum, t2\n\t"
        "add t2, t2, a3\n\t"
        "srli t2, t2, 16\n\t"
        "add \\half, \\half, t2\n\t"
        ".endm\n\t"
        ".macro opsmith_channel at, first, first_half, second, second_half\n\t"
        "lb t0, \\at(a1)\n\t"
        "lb t1, 4 + \\at(a1)\n\t"
        "opsmith_add a4, a6, \\first, \\first_half\n\t"
        "opsmith_add a5, a7, \\second, \\second_half\n\t"
        ".endm\n\t"
        ".macro opsmith_store at, sum, half\n\t"
        "slli t0, \\half, 16\n\t"
        "sub t0, \\sum, t0\n\t"
        "sw t0, \\at(a3)\n\t"
        "sw \\half, 16 + \\at(a3)\n\t"
        ".endm\n\t"
        "addi sp, sp, -64\n\t"
        ".set .Lopsmith_at, 0\n\t"
        ".irp saved, a3, ra, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11\n\t"
        "sw \\saved, .Lopsmith_at(sp)\n\t"
        ".set .Lopsmith_at, .Lopsmith_at + 4\n\t"
        ".endr\n\t"
        ".irp sum, s0, s1, s2, s3, s4, s5, s6, s7\n\t"
        "li \\sum, 0\n\t"
        ".endr\n\t"
        "sub t0, a1, a2\n\t"  // 32512 less for each pair of products
        "li t1, 32512 / 8\n\t"
        "mul t0, t0, t1\n\t"
        ".irp half, s8, s9, s10, s11, t3, t4, t5, t6\n\t"
        "mv \\half, t0\n\t"
        ".endr\n\t"
        "li a3, 32767 + 32512 * 65536\n"
        "1:\n\t"
        ".irp at, 0, 8\n\t"
        "lw a4, 2 * \\at(a0)\n\t"  // an input of four pixels
        "lw a5, 2 * \\at + 4(a0)\n\t"
        "lw a6, 2 * \\at + 8(a0)\n\t"  // the next
        "lw a7, 2 * \\at + 12(a0)\n\t"
        "opsmith_channel \\at, s0, s8, s4, t3\n\t"
        "opsmith_channel \\at + 1, s1, s9, s5, t4\n\t"
        "opsmith_channel \\at + 2, s2, s10, s6, t5\n\t"
        "opsmith_channel \\at + 3, s3, s11, s7, t6\n\t"
        ".endr\n\t"
        "addi a0, a0, 32\n\t"
        "addi a1, a1, 16\n\t"
        "bne a1, a2, 1b\n\t"
        "lw a3, 0(sp)\n\t"
        "opsmith_store 0, s0, s8\n\t"
        "opsmith_store 4, s1, s9\n\t"
        "opsmith_store 8, s2, s10\n\t"
        "opsmith_store 12, s3, s11\n\t"
        "opsmith_store 32, s4, t3\n\t"
        "opsmith_store 36, s5, t4\n\t"
        "opsmith_store 40, s6, t5\n\t"
        "opsmith_store 44, s7, t6\n\t"
        ".set .Lopsmith_at, 4\n\t"
        ".irp saved, ra, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11\n\t"
        "lw \\saved, .Lopsmith_at(sp)\n\t"
        ".set .Lopsmith_at, .Lopsmith_at + 4\n\t"
        ".endr\n\t"
        "addi sp, sp, 64\n\t"
        "ret\n\t"
        ".purgem opsmith_add\n\t"
        ".purgem opsmith_channel\n\t"
        ".purgem opsmith_store");
  }
};

}  // namespace pixel_groups

template <class P, class S>
void rv32(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
          const S& scratch) {
  pixel_groups::convolve<pixel_groups::Rv32Multiply>(p, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d::i8
