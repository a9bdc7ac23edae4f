// Products of polynomials by the DSP extension, four by each SMLAL, for kernels that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp::polynomials {

// Pixels x[2k + 1] + x[2k] t; taps w[0] + w[1] t, times pixels m, and w[2], times pixels m + 1. The
// sum of both has three coefficients: of t the output 2m, of 1 what the taps 0 and 2 give output 2m
// + 1, of t^2 what tap 1 gives output 2m - 1. They have 22, 22 and 20 bits, those of 1 and t beside
// an offset that keeps them positive.
constexpr int32_t kBits = 22;
constexpr int32_t kOffset = 1 << (kBits - 1);
constexpr int32_t kUnit = 8;     // channels, whose polynomials are neighbours in memory
constexpr int32_t kOutputs = 4;  // of a row: a block
constexpr int32_t kRows = 4;     // whose ends are computed at once

constexpr int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

inline uint32_t polynomial(int32_t low, int32_t high) {
  return static_cast<uint32_t>(low) + (static_cast<uint32_t>(high) << kBits);
}

// Writes the polynomials of two pixels; units are `pitch` words apart.
__attribute__((noinline)) inline void fill_pixels(const int8_t* even, const int8_t* odd,
                                                  int32_t channels, int32_t pitch, uint32_t* to) {
  for (; channels > 0; channels -= kUnit, to += pitch, even += kUnit, odd += kUnit) {
#pragma GCC unroll 4
    for (int32_t i = 0; i < kUnit; i += 2) {
      const int32_t high0 = even[i], high1 = even[i + 1], low0 = odd[i], low1 = odd[i + 1];
      to[i] = polynomial(low0, high0);
      to[i + 1] = polynomial(low1, high1);
    }
  }
}

// Writes the taps of channels a and b of y for N inputs: words of a, b, a and b for each. Of
// tap 1 words of a and b for each two, too, to `ends`. In assembly, since the compiler advances
// pointers by instructions of their own.
__attribute__((noinline)) inline const int8_t* fill_taps(const int8_t* from, int32_t inputs,
                                                         uint32_t* to, uint32_t* ends) {
  uint32_t a0, a1, a2, b0, b1, b2, a, b;
  __asm volatile(
      "1:\n\t"
      "ldrsb %[a0], [%[from]], #1\n\t"
      "ldrsb %[a], [%[from]], #1\n\t"
      "ldrsb %[b0], [%[from]], #1\n\t"
      "ldrsb %[b], [%[from]], #1\n\t"
      "ldrsb %[a2], [%[from]], #1\n\t"
      "ldrsb %[b2], [%[from]], #1\n\t"
      "add %[a0], %[a0], %[a], lsl #22\n\t"
      "add %[b0], %[b0], %[b], lsl #22\n\t"
      "str %[a0], [%[to]], #4\n\t"
      "str %[b0], [%[to]], #4\n\t"
      "str %[a2], [%[to]], #4\n\t"
      "str %[b2], [%[to]], #4\n\t"
      "ldrsb %[a0], [%[from]], #1\n\t"
      "ldrsb %[a1], [%[from]], #1\n\t"
      "ldrsb %[b0], [%[from]], #1\n\t"
      "ldrsb %[b1], [%[from]], #1\n\t"
      "ldrsb %[a2], [%[from]], #1\n\t"
      "ldrsb %[b2], [%[from]], #1\n\t"
      "add %[a0], %[a0], %[a1], lsl #22\n\t"
      "add %[b0], %[b0], %[b1], lsl #22\n\t"
      "pkhbt %[a], %[a], %[a1], lsl #16\n\t"
      "pkhbt %[b], %[b], %[b1], lsl #16\n\t"
      "str %[a0], [%[to]], #4\n\t"
      "str %[b0], [%[to]], #4\n\t"
      "str %[a2], [%[to]], #4\n\t"
      "str %[b2], [%[to]], #4\n\t"
      "str %[a], [%[ends]], #4\n\t"
      "str %[b], [%[ends]], #4\n\t"
      "subs %[inputs], %[inputs], #2\n\t"
      "bne 1b"
      : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1),
        [b2] "=&r"(b2), [a] "=&r"(a), [b] "=&r"(b), [from] "+r"(from), [to] "+r"(to),
        [ends] "+r"(ends), [inputs] "+r"(inputs)
      :
      : "cc", "memory");
  return from;
}

// Products of one channel of x, by taps in wa and wb, for polynomials m and m + 1.
#define OPSMITH_PRODUCTS(first, second)       \
  "smlal %[a0], %[a0_high], %[wa], %[" first  \
  "]\n\t"                                     \
  "smlal %[b0], %[b0_high], %[wb], %[" first  \
  "]\n\t"                                     \
  "smlal %[a1], %[a1_high], %[wa], %[" second \
  "]\n\t"                                     \
  "smlal %[b1], %[b1_high], %[wb], %[" second "]\n\t"
#define OPSMITH_CHANNEL(i)                      \
  "ldr %[x], [%[unit], #(" #i                   \
  " * 4)]\n\t"                                  \
  "ldr %[next], [%[unit], #(" #i                \
  " * 4 + 32)]\n\t"                             \
  "ldr %[wa], [%[w]], #4\n\t"                   \
  "ldr %[wb], [%[w]], #4\n\t" OPSMITH_PRODUCTS( \
      "x", "next") "ldr %[x], [%[unit], #(" #i  \
                   " * 4 + 64)]\n\t"            \
                   "ldr %[wa], [%[w]], #4\n\t"  \
                   "ldr %[wb], [%[w]], #4\n\t" OPSMITH_PRODUCTS("next", "x")
#define OPSMITH_BEGIN(sum) \
  "mov %[" sum             \
  "], #0x200000\n\t"       \
  "mov %[" sum "_high], #0x800\n\t"
// Adds to the sums of a and b of one output, at x.
#define OPSMITH_ADD(a, b)     \
  "ldr %[wa], [%[x]]\n\t"     \
  "ldr %[wb], [%[x], #4]\n\t" \
  "add %[wa], %[wa], " a      \
  "\n\t"                      \
  "add %[wb], %[wb], " b      \
  "\n\t"                      \
  "str %[wb], [%[x], #4]\n\t" \
  "str %[wa], [%[x]], #8\n\t"
// The coefficients of t and of 1.
#define OPSMITH_MIDDLE(sum, to) \
  "lsr %[" to "], %[" sum       \
  "], #22\n\t"                  \
  "bfi %[" to "], %[" sum "_high], #10, #12\n\t"
#define OPSMITH_LOW(sum) "bfc %[" sum "], #22, #10\n\t"

// Adds to the sums of outputs 2m - 1 to 2m + 3 of N blocks what the pixels from polynomial m
// up to `end` give them; units are `pitch` bytes apart.
__attribute__((noinline)) inline void add_products(const uint32_t* pixels, const uint32_t* end,
                                                   int32_t pitch, const uint32_t* taps,
                                                   int32_t blocks, int32_t* sums) {
  for (; blocks > 0; --blocks, pixels += 2 * kUnit, end += 2 * kUnit) {
    const uint32_t *unit = pixels, *w = taps;
    int32_t a0, a1, b0, b1, a0_high, a1_high, b0_high, b1_high;
    uint32_t wa, wb, x, next;
    __asm volatile(
        OPSMITH_BEGIN("a0") OPSMITH_BEGIN("a1") OPSMITH_BEGIN("b0") OPSMITH_BEGIN("b1")
        "1:\n\t"
        OPSMITH_CHANNEL(0) OPSMITH_CHANNEL(1) OPSMITH_CHANNEL(2) OPSMITH_CHANNEL(3)
        OPSMITH_CHANNEL(4) OPSMITH_CHANNEL(5) OPSMITH_CHANNEL(6) OPSMITH_CHANNEL(7)
        "ldr %[x], %[pitch]\n\t"
        "ldr %[next], %[end]\n\t"
        "add %[unit], %[unit], %[x]\n\t"
        "cmp %[unit], %[next]\n\t"
        "bne 1b\n\t"
        "ldr %[x], %[sums]\n\t"
        OPSMITH_ADD("%[a0_high], asr #12", "%[b0_high], asr #12")
        OPSMITH_MIDDLE("a0", "unit") OPSMITH_MIDDLE("b0", "w")
        OPSMITH_ADD("%[unit]", "%[w]")
        OPSMITH_LOW("a0") OPSMITH_LOW("b0")
        "add %[a0], %[a0], %[a1_high], asr #12\n\t"
        "add %[b0], %[b0], %[b1_high], asr #12\n\t"
        OPSMITH_ADD("%[a0]", "%[b0]")
        OPSMITH_MIDDLE("a1", "unit") OPSMITH_MIDDLE("b1", "w")
        OPSMITH_ADD("%[unit]", "%[w]")
        "str %[x], %[sums]\n\t"
        OPSMITH_LOW("a1") OPSMITH_LOW("b1")
        OPSMITH_ADD("%[a1]", "%[b1]")
        : [a0] "=&r"(a0), [a1] "=&r"(a1), [b0] "=&r"(b0), [b1] "=&r"(b1),
          [a0_high] "=&r"(a0_high), [a1_high] "=&r"(a1_high), [b0_high] "=&r"(b0_high),
          [b1_high] "=&r"(b1_high), [unit] "+r"(unit), [w] "+r"(w), [wa] "=&r"(wa),
          [wb] "=&r"(wb), [x] "=&r"(x), [next] "=&r"(next), [sums] "+m"(sums)
        : [pitch] "m"(pitch), [end] "m"(end)
        : "cc", "memory");
  }
}
#undef OPSMITH_LOW
#undef OPSMITH_MIDDLE
#undef OPSMITH_ADD
#undef OPSMITH_BEGIN
#undef OPSMITH_CHANNEL
#undef OPSMITH_PRODUCTS

// Products of two inputs of the last pixels of four rows with tap 1 of both channels.
#define OPSMITH_ENDS                       \
  "ldr %[wa], [%[taps]], #4\n\t"           \
  "ldr %[wb], [%[taps]], #4\n\t"           \
  "ldr %[x], [%[ends]], #4\n\t"            \
  "ldr %[next], [%[ends]], #4\n\t"         \
  "smlad %[a0], %[wa], %[x], %[a0]\n\t"    \
  "smlad %[b0], %[wb], %[x], %[b0]\n\t"    \
  "smlad %[a1], %[wa], %[next], %[a1]\n\t" \
  "smlad %[b1], %[wb], %[next], %[b1]\n\t" \
  "ldr %[x], [%[ends]], #4\n\t"            \
  "ldr %[next], [%[ends]], #4\n\t"         \
  "smlad %[a2], %[wa], %[x], %[a2]\n\t"    \
  "smlad %[b2], %[wb], %[x], %[b2]\n\t"    \
  "smlad %[a3], %[wa], %[next], %[a3]\n\t" \
  "smlad %[b3], %[wb], %[next], %[b3]\n\t"

// Adds to the sums of the last outputs of up to four rows, `row` words apart, what tap 1 gives
// them: where a block ends with a row, no polynomial follows that would.
__attribute__((noinline)) inline void add_ends(const uint32_t* ends, int32_t units,
                                               const uint32_t* taps, int32_t rows, int32_t row,
                                               int32_t* sums) {
  const uint32_t* end = ends + units * kUnit / 2 * kRows;
  int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
  uint32_t wa, wb, x, next;
  __asm volatile(
      "1:\n\t" OPSMITH_ENDS OPSMITH_ENDS OPSMITH_ENDS OPSMITH_ENDS
      "ldr %[x], %[end]\n\t"
      "cmp %[ends], %[x]\n\t"
      "bne 1b"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b0), [b1] "+r"(b1),
        [b2] "+r"(b2), [b3] "+r"(b3), [ends] "+r"(ends), [taps] "+r"(taps), [wa] "=&r"(wa),
        [wb] "=&r"(wb), [x] "=&r"(x), [next] "=&r"(next)
      : [end] "m"(end)
      : "cc", "memory");
  const int32_t a[kRows] = {a0, a1, a2, a3}, b[kRows] = {b0, b1, b2, b3};
  for (int32_t i = 0; i < kRows && i < rows; ++i, sums += row) {
    sums[0] += a[i];
    sums[1] += b[i];
  }
}
#undef OPSMITH_ENDS

}  // namespace opsmith::dsp::polynomials
