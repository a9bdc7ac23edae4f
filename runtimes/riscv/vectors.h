// Sums of int32 and their outputs of int8, one for each output channel, in vector registers: those
// of up to three pixels in v8 to v31. GCC 12 neither has names for these registers nor uses them,
// so that they keep their values from one function to the next. Needs Zve32x.
#pragma once

#include <stdint.h>

#if __GNUC__ > 12
#error "a later GCC uses vector registers between these functions: build by GCC 12, or without V"
#endif

namespace opsmith::riscv {

inline constexpr int32_t kPixels = 3;  // sums of eight registers each, and weights in v0 to v7

// Constants of channels, [constant][channel], and bounds of y.
struct Outputs {
  int32_t channels;
  const int32_t* constants;
  int32_t left;  // shift of LongProducts
  int32_t zero_point;
  int32_t low;
  int32_t high;
};

// Number of channels, at most `channels`, that the next functions are about.
inline int32_t take(int32_t channels) {
  int32_t taken;
  __asm volatile("vsetvli %0, %1, e32, m8, ta, ma" : "=r"(taken) : "r"(channels));
  return taken;
}

// Sums by Q31 multipliers, rounded twice. Constants: bias, multiplier, shifts to the left and to
// the right.
struct FixedPoint {
  // Sums that are biases.
  static void begin(const int32_t* constants, int32_t taken) {
    __asm volatile(
        "vsetvli zero, %1, e32, m8, ta, ma\n\t"
        "vle32.v v8, (%0)\n\t"
        "vmv.v.v v16, v8\n\t"
        "vmv.v.v v24, v8"
        :
        : "r"(constants), "r"(taken)
        : "memory");
  }

  // Halves go away from zero: of negative numbers that are shifted, one is subtracted before halves
  // go up. Masks are v0 and v1.
  template <int32_t kSums>
  static void scale(const Outputs& p, const int32_t* constants, int32_t taken) {
    const int32_t pitch = p.channels * static_cast<int32_t>(sizeof(int32_t));
    __asm volatile(
        ".macro opsmith_lower sum\n\t"
        "vmslt.vx v0, \\sum, zero\n\t"
        "vmand.mm v0, v0, v1\n\t"
        "vadd.vi \\sum, \\sum, -1, v0.t\n\t"
        ".endm\n\t"
        ".macro opsmith_all what:req, more:vararg\n\t"
        "\\what v8, v8, \\more\n\t"
        ".if %[sums] > 1\n\t"
        "\\what v16, v16, \\more\n\t"
        "\\what v24, v24, \\more\n\t"
        ".endif\n\t"
        ".endm\n\t"
        "vsetvli zero, %[taken], e32, m8, ta, mu\n\t"
        "csrwi vxrm, 0\n\t"  // halves go up
        "add %[at], %[at], %[pitch]\n\t"
        "add t0, %[at], %[pitch]\n\t"
        "vle32.v v0, (t0)\n\t"
        "opsmith_all vsll.vv, v0\n\t"
        "vle32.v v0, (%[at])\n\t"
        "opsmith_all vsmul.vv, v0\n\t"
        "add t0, t0, %[pitch]\n\t"
        "vle32.v v0, (t0)\n\t"
        "vmsne.vi v0, v0, 0\n\t"
        "vmv1r.v v1, v0\n\t"
        "opsmith_lower v8\n\t"
        ".if %[sums] > 1\n\t"
        "opsmith_lower v16\n\t"
        "opsmith_lower v24\n\t"
        ".endif\n\t"
        "vle32.v v0, (t0)\n\t"
        "opsmith_all vssra.vv, v0\n\t"
        "opsmith_all vadd.vx, %[zero_point]\n\t"
        ".purgem opsmith_lower\n\t"
        ".purgem opsmith_all"
        : [at] "+&r"(constants)
        : [taken] "r"(taken), [pitch] "r"(pitch), [zero_point] "r"(p.zero_point), [sums] "i"(kSums)
        : "t0", "memory");
  }
};

// Sums by products and offsets of 64 bits, of which runtimes/core/long_product.py proves that they
// meet all thresholds. Constants: multiplier, lower and upper half of an offset that has bias and
// zero point, and a shift to the right.
struct LongProducts {
  static void begin(const int32_t* /*constants*/, int32_t taken) {
    __asm volatile(
        "vsetvli zero, %0, e32, m8, ta, ma\n\t"
        "vmv.v.i v8, 0"
        :
        : "r"(taken));
  }

  template <int32_t kSums>
  static void scale(const Outputs& p, const int32_t* constants, int32_t taken) {
    static_assert(kSums == 1, "rows come one at a time");
    __asm volatile(
        "vsetvli zero, %[taken], e32, m8, ta, ma\n\t"
        "vle32.v v0, (%[at])\n\t"
        "add %[at], %[at], %[pitch]\n\t"
        "vsll.vx v8, v8, %[left]\n\t"
        "vle32.v v24, (%[at])\n\t"
        "add %[at], %[at], %[pitch]\n\t"
        "vmul.vv v16, v8, v0\n\t"
        "vmulh.vv v8, v8, v0\n\t"
        "vadd.vv v16, v16, v24\n\t"
        "vmsltu.vv v0, v16, v24\n\t"  // what it carries
        "vle32.v v24, (%[at])\n\t"
        "add %[at], %[at], %[pitch]\n\t"
        "vadc.vvm v8, v8, v24, v0\n\t"
        "vle32.v v16, (%[at])\n\t"
        "vsra.vv v8, v8, v16"
        : [at] "+&r"(constants)
        : [taken] "r"(taken), [pitch] "r"(p.channels * static_cast<int32_t>(sizeof(int32_t))),
          [left] "r"(p.left)
        : "memory");
  }
};

// Stores `count` pixels of scaled sums, of kSums there are, as bytes within bounds.
template <int32_t kSums>
void store(const Outputs& p, int32_t taken, int32_t count, int8_t* y) {
  __asm volatile(
      ".macro opsmith_byte sum\n\t"
      "vmax.vx \\sum, \\sum, %[low]\n\t"
      "vmin.vx \\sum, \\sum, %[high]\n\t"
      "vsetvli zero, zero, e16, m4, ta, ma\n\t"
      "vnsrl.wi \\sum, \\sum, 0\n\t"
      "vsetvli zero, zero, e8, m2, ta, ma\n\t"
      "vnsrl.wi \\sum, \\sum, 0\n\t"
      "vse8.v \\sum, (%[y])\n\t"
      ".endm\n\t"
      "vsetvli zero, %[taken], e32, m8, ta, ma\n\t"
      "opsmith_byte v8\n\t"
      ".if %[sums] > 1\n\t"
      "addi %[count], %[count], -1\n\t"
      "beqz %[count], 1f\n\t"
      "add %[y], %[y], %[pitch]\n\t"
      "vsetvli zero, zero, e32, m8, ta, ma\n\t"
      "opsmith_byte v16\n\t"
      "addi %[count], %[count], -1\n\t"
      "beqz %[count], 1f\n\t"
      "add %[y], %[y], %[pitch]\n\t"
      "vsetvli zero, zero, e32, m8, ta, ma\n\t"
      "opsmith_byte v24\n\t"
      ".endif\n\t"
      "1:\n\t"
      ".purgem opsmith_byte"
      : [y] "+&r"(y), [count] "+&r"(count)
      : [taken] "r"(taken), [pitch] "r"(p.channels), [low] "r"(p.low), [high] "r"(p.high),
        [sums] "i"(kSums)
      : "memory");
}

}  // namespace opsmith::riscv
