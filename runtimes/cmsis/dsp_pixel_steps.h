// Assembly that the functions of dsp_pixels.h and dsp_rounded_pixels.h have in common. No `#pragma
// once`: each undefines it after them.

// Adds the products of two inputs to the sums of two channels of four pixels. Eight sums, two
// pointers and four words take all registers.
//
// A halfword of weights is 256 * b + a, with channel a's weight and channel b's. Its product with
// an input gives both at once: 256 times b's sum is the sum of all of these less a's, which needs
// a's weights alone. Of weights that are `apart`, two bytes, b's are unpacked as well.
#define OPSMITH_UNPACK            \
  ".if %c[apart]\n\t"             \
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
  ".if %c[apart]\n\t"                                 \
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

// Writes eight outputs; x is where, next the bytes between pixels. Where channels are not even, the
// last one is `alone`.
#define OPSMITH_STORE             \
  "add %[columns], %[x], #2\n\t"  \
  "str %[columns], %[y]\n\t"      \
  ".if !%c[even]\n\t"             \
  "ldr %[w], %[alone]\n\t"        \
  "cmp %[x], %[w]\n\t"            \
  "beq 2f\n\t"                    \
  ".endif\n\t"                    \
  "strb %[a0], [%[x]]\n\t"        \
  "strb %[both0], [%[x], #1]\n\t" \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a1], [%[x]]\n\t"        \
  "strb %[both1], [%[x], #1]\n\t" \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a2], [%[x]]\n\t"        \
  "strb %[both2], [%[x], #1]\n\t" \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a3], [%[x]]\n\t"        \
  "strb %[both3], [%[x], #1]\n\t" \
  ".if !%c[even]\n\t"             \
  "b 3f\n"                        \
  "2:\n\t"                        \
  "strb %[a0], [%[x]]\n\t"        \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a1], [%[x]]\n\t"        \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a2], [%[x]]\n\t"        \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a3], [%[x]]\n"          \
  "3:\n\t"                        \
  ".endif"
