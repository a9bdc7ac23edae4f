// Assembly that turns sums into outputs, for functions of four pixels. No `#pragma once`: each
// header that includes this undefines it after them, and the next one includes it again.

// `own` is 4 where outputs are unsigned.

// A sum as an output, by a multiplier and an offset in w and columns; less: of its shift.
#define OPSMITH_REQUANTIZE(sum, less)        \
  "lsl %[" sum "], %[" sum "], %[left]" less \
  "\n\t"                                     \
  "smmla %[" sum "], %[" sum                 \
  "], %[w], %[columns]\n\t"                  \
  ".if %c[own] == 4\n\t"                     \
  "usat %[" sum "], #8, %[" sum              \
  "], asr %[right]\n\t"                      \
  ".else\n\t"                                \
  "ssat %[" sum "], #8, %[" sum              \
  "], asr %[right]\n\t"                      \
  ".endif\n\t"

// The same with shifts in registers; x and next.
#define OPSMITH_SHIFT(sum)      \
  "lsl %[" sum "], %[" sum      \
  "], %[x]\n\t"                 \
  "smmla %[" sum "], %[" sum    \
  "], %[w], %[columns]\n\t"     \
  "asr %[" sum "], %[" sum      \
  "], %[next]\n\t"              \
  ".if %c[own] == 4\n\t"        \
  "usat %[" sum "], #8, %[" sum \
  "]\n\t"                       \
  ".else\n\t"                   \
  "ssat %[" sum "], #8, %[" sum \
  "]\n\t"                       \
  ".endif\n\t"

// A sum as an output, where w is twice the bias of its channel, columns the multiplier, next the
// shift and pair the offset.
#define OPSMITH_ROUND(sum, twice)            \
  "add %[" sum "], %[w], %[" sum "], " twice \
  "\n\t"                                     \
  "smmulr %[" sum "], %[" sum                \
  "], %[columns]\n\t"                        \
  "add %[" sum "], %[" sum "], %[" sum       \
  "], asr #31\n\t"                           \
  "add %[" sum "], %[" sum                   \
  "], %[pair]\n\t"                           \
  "asr %[" sum "], %[" sum                   \
  "], %[next]\n\t"                           \
  "ssat %[" sum "], #8, %[" sum "]\n\t"

// The same in a channel that rounds once: next is a shift to the left, pair the zero point.
#define OPSMITH_ROUND_ONCE(sum, twice)       \
  "add %[" sum "], %[w], %[" sum "], " twice \
  "\n\t"                                     \
  "ssat %[" sum "], #17, %[" sum             \
  "]\n\t"                                    \
  "lsl %[" sum "], %[" sum                   \
  "], %[next]\n\t"                           \
  "smmulr %[" sum "], %[" sum                \
  "], %[columns]\n\t"                        \
  "add %[" sum "], %[" sum                   \
  "], %[pair]\n\t"                           \
  "ssat %[" sum "], #8, %[" sum "]\n\t"

// Four sums of the next channel, whose constants are where x points. `own`: a channel may round
// once, and then does so in another subsection, which does not take time of the others.
#define OPSMITH_ROUND_FOUR_IN(here, there, sum0, sum1, sum2, sum3, twice) \
  "ldr %[w], [%[x]], #4\n\t"                                              \
  "ldr %[columns], [%[x]], #4\n\t"                                        \
  "ldr %[next], [%[x]], #4\n\t"                                           \
  "asr %[pair], %[next], #5\n\t"                                          \
  ".if %c[own] & 3\n\t"                                                       \
  "ands %[next], %[next], #31\n\t"                                        \
  "beq 4f\n\t"                                                            \
  ".subsection " there                                                    \
  "\n"                                                                    \
  "4:\n\t"                                                                \
  "and %[next], %[pair], #31\n\t"                                         \
  "asr %[pair], %[pair], #5\n\t" OPSMITH_ROUND_ONCE(sum0, twice)          \
      OPSMITH_ROUND_ONCE(sum1, twice) OPSMITH_ROUND_ONCE(sum2, twice)     \
          OPSMITH_ROUND_ONCE(sum3, twice)                                 \
  "b 5f\n\t"                                                              \
  ".subsection " here                                                     \
  "\n\t"                                                                  \
  ".else\n\t"                                                             \
  "and %[next], %[next], #31\n\t"                                         \
  ".endif\n\t"                                                            \
  "lsl %[pair], %[pair], %[next]\n\t"                                     \
  "asr %[pair], %[pair], #1\n\t" OPSMITH_ROUND(sum0, twice)               \
      OPSMITH_ROUND(sum1, twice) OPSMITH_ROUND(sum2, twice)               \
          OPSMITH_ROUND(sum3, twice)                                      \
  "5:\n\t"
#define OPSMITH_ROUND_FOUR(sum0, sum1, sum2, sum3, twice) \
  OPSMITH_ROUND_FOUR_IN("0", "1", sum0, sum1, sum2, sum3, twice)

// A sum as an output by a product of 64 bits, where w is its multiplier, columns and next its
// offset, whose lowest byte is the shift to the right; pair and x.
#define OPSMITH_LONG(sum)       \
  "mov %[pair], %[columns]\n\t" \
  "mov %[x], %[next]\n\t"       \
  "smlal %[pair], %[x], %[" sum \
  "], %[w]\n\t"                 \
  "asr %[" sum                  \
  "], %[x], %[columns]\n\t"     \
  "ssat %[" sum "], #8, %[" sum "]\n\t"

// Four sums of a channel whose LongThreshold is N bytes behind the first one of its pair.
#define OPSMITH_LONG_FOUR(at, sum0, sum1, sum2, sum3)                               \
  "ldr %[pair], %[constants]\n\t"                                                   \
  "ldr %[columns], [%[pair], #4]\n\t"                                               \
  "add %[x], %[pair], %[columns]\n\t"                                               \
  "ldr %[w], [%[x], #" at                                                           \
  "]\n\t"                                                                           \
  "ldr %[columns], [%[x], #" at                                                     \
  " + 4]\n\t"                                                                       \
  "ldr %[next], [%[x], #" at                                                        \
  " + 8]\n\t"                                                                       \
  "ubfx %[pair], %[columns], #8, #8\n\t"                                            \
  "lsl %[" sum0 "], %[" sum0                                                        \
  "], %[pair]\n\t"                                                                  \
  "lsl %[" sum1 "], %[" sum1                                                        \
  "], %[pair]\n\t"                                                                  \
  "lsl %[" sum2 "], %[" sum2                                                        \
  "], %[pair]\n\t"                                                                  \
  "lsl %[" sum3 "], %[" sum3 "], %[pair]\n\t" OPSMITH_LONG(sum0) OPSMITH_LONG(sum1) \
      OPSMITH_LONG(sum2) OPSMITH_LONG(sum3)

// Where `own`, outputs of a pair of channels that thresholds do not serve, by their Rounding or,
// where it is 2, by their LongThreshold; pair is behind the first one's Threshold, whose multiplier
// and offset are w and columns.
#define OPSMITH_OWN_PAIR \
  ".if %c[own] & 3\n\t"                                                               \
  "cmp %[w], #0\n\t"                                                              \
  "blt 6f\n\t"                                                                    \
  ".subsection 1\n"                                                               \
  "6:\n\t"                                                                        \
  ".if %c[own] == 2\n\t" OPSMITH_LONG_FOUR("0", "a0", "a1", "a2", "a3")           \
      "asr %[both0], %[both0], #8\n\t"                                            \
      "asr %[both1], %[both1], #8\n\t"                                            \
      "asr %[both2], %[both2], #8\n\t"                                            \
      "asr %[both3], %[both3], #8\n\t"                                            \
      OPSMITH_LONG_FOUR("12", "both0", "both1", "both2", "both3")                 \
  ".else\n\t"                                                                     \
  "add %[x], %[pair], %[columns]\n\t"                                             \
  "sub %[x], #8\n\t"                                                              \
  OPSMITH_ROUND_FOUR_IN("1", "2", "a0", "a1", "a2", "a3", "lsl #1")               \
  OPSMITH_ROUND_FOUR_IN("1", "2", "both0", "both1", "both2", "both3", "asr #7")   \
  ".endif\n\t"                                                                    \
  "ldr %[pair], %[constants]\n\t"                                                 \
  "ldr %[x], %[y]\n\t"                                                            \
  "ldr %[next], %[channels]\n\t"                                                  \
  "add %[pair], #16\n\t"                                                          \
  "b 7f\n\t"                                                                      \
  ".subsection 0\n\t"                                                             \
  ".endif\n\t"
