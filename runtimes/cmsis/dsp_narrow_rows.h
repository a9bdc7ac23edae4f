// Sums of one row of int16 by eight rows of weights, for kernels that require `dsp`. Fast because
// each two inputs that are loaded serve eight output channels and SMLAD adds two products at once.
#pragma once

#include "runtimes/cmsis/dsp_narrow.h"

namespace opsmith::dsp {

constexpr int32_t kNarrowRows = 8;

// Products of two inputs, x, with four channels.
#define OPSMITH_FOUR(a, b, c, d)          \
  "ldr %[first], [%[weights]], #4\n\t"    \
  "ldr %[second], [%[weights]], #4\n\t"   \
  "sxtb16 %[high], %[first], ror #8\n\t"  \
  "sxtb16 %[first], %[first]\n\t"         \
  "smlad %[" a "], %[first], %[x], %[" a  \
  "]\n\t"                                 \
  "smlad %[" b "], %[high], %[x], %[" b   \
  "]\n\t"                                 \
  "sxtb16 %[high], %[second], ror #8\n\t" \
  "sxtb16 %[second], %[second]\n\t"       \
  "smlad %[" c "], %[second], %[x], %[" c \
  "]\n\t"                                 \
  "smlad %[" d "], %[high], %[x], %[" d "]\n\t"
#define OPSMITH_STEP                                                   \
  "ldr %[x], [%[inputs]], #4\n\t" OPSMITH_FOUR("s0", "s1", "s2", "s3") \
      OPSMITH_FOUR("s4", "s5", "s6", "s7")
constexpr int32_t kStepBytes = 4 * (1 + 2 * 10);

// Adds the products of all inputs up to `end` to the sums of eight channels. Shared by all layers.
__attribute__((noinline)) inline void add_products(const int16_t* inputs, const int16_t* end,
                                                   const uint32_t* weights,
                                                   int32_t (&sums)[kNarrowRows]) {
  const int32_t skipped = (end - inputs) % 4 != 0 ? kStepBytes : 0;  // of the first turn
  uint32_t x, first, second, high;
  __asm volatile(
      "ldr %[x], %[skipped]\n\t"
      "add pc, %[x]\n\t"
      "nop\n"
      "1:\n\t" OPSMITH_STEP OPSMITH_STEP
      "ldr %[x], %[end]\n\t"
      "cmp %[inputs], %[x]\n\t"
      "bne 1b"
      : [s0] "+r"(sums[0]), [s1] "+r"(sums[1]), [s2] "+r"(sums[2]), [s3] "+r"(sums[3]),
        [s4] "+r"(sums[4]), [s5] "+r"(sums[5]), [s6] "+r"(sums[6]), [s7] "+r"(sums[7]),
        [inputs] "+r"(inputs), [weights] "+r"(weights), [x] "=&r"(x), [first] "=&r"(first),
        [second] "=&r"(second), [high] "=&r"(high)
      : [skipped] "m"(skipped), [end] "m"(end)
      : "cc", "memory");
}
#undef OPSMITH_STEP
#undef OPSMITH_FOUR

}  // namespace opsmith::dsp
