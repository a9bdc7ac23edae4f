// Assembly that turns sums into outputs, for functions of four pixels. No `#pragma once`: each
// header that includes this undefines it after them, and the next one includes it again.

// A sum as an output, by a multiplier and an offset in w and columns.
#define OPSMITH_REQUANTIZE(sum, left)   \
  "lsl %[" sum "], %[" sum "], %[" left \
  "]\n\t"                               \
  "smmla %[" sum "], %[" sum            \
  "], %[w], %[columns]\n\t"             \
  ".if %c[is_unsigned]\n\t"             \
  "usat %[" sum "], #8, %[" sum         \
  "], asr %[right]\n\t"                 \
  ".else\n\t"                           \
  "ssat %[" sum "], #8, %[" sum         \
  "], asr %[right]\n\t"                 \
  ".endif\n\t"

// The same with shifts in registers; x and next.
#define OPSMITH_SHIFT(sum)      \
  "lsl %[" sum "], %[" sum      \
  "], %[x]\n\t"                 \
  "smmla %[" sum "], %[" sum    \
  "], %[w], %[columns]\n\t"     \
  "asr %[" sum "], %[" sum      \
  "], %[next]\n\t"              \
  ".if %c[is_unsigned]\n\t"     \
  "usat %[" sum "], #8, %[" sum \
  "]\n\t"                       \
  ".else\n\t"                   \
  "ssat %[" sum "], #8, %[" sum \
  "]\n\t"                       \
  ".endif\n\t"

// Loads a channel's constants: twice its bias, its multiplier, its shift and its offset.
#define OPSMITH_ROUNDING              \
  "ldr %[w], [%[x]], #4\n\t"          \
  "ldr %[columns], [%[x]], #4\n\t"    \
  "ldr %[next], [%[x]], #4\n\t"       \
  "asr %[pair], %[next], #5\n\t"      \
  "and %[next], %[next], #31\n\t"     \
  "lsl %[pair], %[pair], %[next]\n\t" \
  "asr %[pair], %[pair], #1\n\t"
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
