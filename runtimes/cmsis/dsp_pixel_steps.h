// Assembly that the functions of dsp_pixels.h and dsp_rounded_pixels.h have in common. No `#pragma
// once`: each undefines it after them.

// Adds the products of two inputs to the sums of two channels of four pixels. Eight sums, two
// pointers and four words take all registers.
//
// A halfword of weights is 256 * b + a, with channel a's weight and channel b's. Its product with
// an input gives both at once: 256 times b's sum is the sum of all of these less a's, which needs
// a's weights alone. Of weights that are `apart`, two bytes, b's are unpacked as well.
#define OPSMITH_UNPACK            \
  ".if %c[weighing] & 1\n\t"      \
  "sxtb16 %[w], %[w], ror #8\n\t" \
  ".endif\n\t"
#define OPSMITH_STEP                            \
  "ldr %[w], [%[weights]], #4\n\t"              \
  "ldr %[x], [%[columns]], #4\n\t"              \
  "ldr %[next], [%[columns]], #4\n\t"           \
  "sxtb16 %[pair], %[w]\n\t" OPSMITH_UNPACK     \
  "smlad %[a0], %[pair], %[x], %[a0]\n\t"       \
  "smlad %[both0], %[w], %[x], %[both0]\n\t"    \
  "smlad %[a1], %[pair], %[next], %[a1]\n\t"    \
  "smlad %[both1], %[w], %[next], %[both1]\n\t" \
  "ldr %[x], [%[columns]], #4\n\t"              \
  "ldr %[next], [%[columns]], #4\n\t"           \
  "smlad %[a2], %[pair], %[x], %[a2]\n\t"       \
  "smlad %[both2], %[w], %[x], %[both2]\n\t"    \
  "smlad %[a3], %[pair], %[next], %[a3]\n\t"    \
  "smlad %[both3], %[w], %[next], %[both3]\n\t"

// 256 times the sum of channel b of a pixel.
#define OPSMITH_SECOND(pixel)                         \
  ".if %c[weighing] & 1\n\t"                          \
  "lsl %[both" pixel "], %[both" pixel                \
  "], #8\n\t"                                         \
  ".else\n\t"                                         \
  "sub %[both" pixel "], %[both" pixel "], %[a" pixel \
  "]\n\t"                                             \
  ".endif\n\t"

// All sums; the first step sets them. Those of channel b come 256 times too large.
#define OPSMITH_MULTIPLY                                                                 \
  "ldr %[w], [%[weights]], #4\n\t"                                                       \
  "ldr %[x], [%[columns]], #4\n\t"                                                       \
  "ldr %[next], [%[columns]], #4\n\t"                                                    \
  "sxtb16 %[pair], %[w]\n\t" OPSMITH_UNPACK                                              \
  "smuad %[a0], %[pair], %[x]\n\t"                                                       \
  "smuad %[both0], %[w], %[x]\n\t"                                                       \
  "smuad %[a1], %[pair], %[next]\n\t"                                                    \
  "smuad %[both1], %[w], %[next]\n\t"                                                    \
  "ldr %[x], [%[columns]], #4\n\t"                                                       \
  "ldr %[next], [%[columns]], #4\n\t"                                                    \
  "smuad %[a2], %[pair], %[x]\n\t"                                                       \
  "smuad %[both2], %[w], %[x]\n\t"                                                       \
  "smuad %[a3], %[pair], %[next]\n\t"                                                    \
  "smuad %[both3], %[w], %[next]\n\t"                                                    \
  "ldr %[w], %[skipped]\n\t"                                                             \
  "add pc, %[w]\n\t"                                                                     \
  "nop\n"                                                                                \
  "1:\n\t" OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP \
      OPSMITH_STEP OPSMITH_STEP                                                          \
  "ldr %[w], %[end]\n\t"                                                                 \
  "cmp %[columns], %[w]\n\t"                                                             \
  "bne 1b\n\t" OPSMITH_SECOND("0") OPSMITH_SECOND("1") OPSMITH_SECOND("2") OPSMITH_SECOND("3")

// Where the next pair of channels begins, until OPSMITH_STORE has written the last.
#define OPSMITH_BEGIN "0:\n\tldr %[columns], %[filled]\n\t"

// Writes eight outputs and goes on with the next pair of channels; x is where, next the bytes
// between pixels. A last channel that has no second is written in another subsection. `part`: words
// of weights follow that are not multiplied.
#define OPSMITH_STORE                          \
  "add %[columns], %[x], #2\n\t"               \
  "str %[columns], %[y]\n\t"                   \
  "ldr %[w], %[limit]\n\t"                     \
  "subs %[w], %[w], %[columns]\n\t"            \
  ".if %c[weighing] & 2\n\t"                   \
  "ldr %[columns], %[unread]\n\t"              \
  "add %[weights], %[weights], %[columns]\n\t" \
  ".endif\n\t"                                 \
  "blt 2f\n\t"                                 \
  "strb %[a0], [%[x]]\n\t"                     \
  "strb %[both0], [%[x], #1]\n\t"              \
  "add %[x], %[x], %[next]\n\t"                \
  "strb %[a1], [%[x]]\n\t"                     \
  "strb %[both1], [%[x], #1]\n\t"              \
  "add %[x], %[x], %[next]\n\t"                \
  "strb %[a2], [%[x]]\n\t"                     \
  "strb %[both2], [%[x], #1]\n\t"              \
  "add %[x], %[x], %[next]\n\t"                \
  "strb %[a3], [%[x]]\n\t"                     \
  "strb %[both3], [%[x], #1]\n\t"              \
  "bgt 0b\n"                                   \
  "3:\n\t"                                     \
  ".subsection 1\n"                            \
  "2:\n\t"                                     \
  "strb %[a0], [%[x]]\n\t"                     \
  "add %[x], %[x], %[next]\n\t"                \
  "strb %[a1], [%[x]]\n\t"                     \
  "add %[x], %[x], %[next]\n\t"                \
  "strb %[a2], [%[x]]\n\t"                     \
  "add %[x], %[x], %[next]\n\t"                \
  "strb %[a3], [%[x]]\n\t"                     \
  "b 3b\n\t"                                   \
  ".subsection 0"

// Operands of a function with W, kOwn, sums and pointers of these names.
#define OPSMITH_REGISTERS                                                                          \
  [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [both0] "=&r"(both0),            \
      [both1] "=&r"(both1), [both2] "=&r"(both2), [both3] "=&r"(both3), [columns] "=&r"(columns),  \
      [weights] "+r"(weights), [w] "=&r"(w), [x] "=&r"(x), [next] "=&r"(next), [pair] "=&r"(pair), \
      [y] "+m"(y), [constants] "+m"(constants)
#define OPSMITH_OPERANDS                                                                  \
  [filled] "m"(filled), [skipped] "m"(skipped), [end] "m"(end), [channels] "m"(channels), \
      [unread] "m"(unread), [limit] "m"(limit), [own] "i"(kOwn),                          \
      [weighing] "i"(kApart<W> + 2 * kPart<W>)
