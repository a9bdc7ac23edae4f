// All channels of four neighbouring outputs at a time, whose windows have columns in common, for
// Helium: a vector of inputs is loaded once for the four, and one of weights serves all four.
#pragma once

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::mve {

// What the assembly below keeps in memory, where r11 points.
struct Quads {
  const int8_t* x;        // the first vector of the first column of four outputs
  int8_t* last;           // where the last two channels of the first output are written
  int8_t* pending;        // where the outputs of two channels go that are made later
  int32_t zero_point;     // of y
  int32_t pitch;          // bytes from a vector of a column to the next
  const int8_t* end;      // of x's column
  const int8_t* second;   // the second vector of x's column
  int32_t left;           // outputs, in fours
  const int32_t* blocks;  // for each two channels five words of the two before, and weights
  int32_t next;    // bytes from where the last outputs of four are written to the next four's first
  int32_t apart;   // bytes from the outputs of four to those of the next
  uint32_t entry;  // how many vectors a column has; then where the loop begins
  alignas(4) uint16_t places[8];  // of the eight outputs of two channels
};
// LDRD and STRD take two at once.
static_assert(offsetof(Quads, last) == offsetof(Quads, x) + 4, "");
static_assert(offsetof(Quads, zero_point) == offsetof(Quads, pending) + 4, "");
static_assert(offsetof(Quads, end) == offsetof(Quads, pitch) + 4, "");
static_assert(offsetof(Quads, left) == offsetof(Quads, second) + 4, "");
static_assert(offsetof(Quads, next) == offsetof(Quads, blocks) + 4, "");

// Vectors of four columns by the weights of two channels at a filter column: the sums of the first
// channel are r0, r2, r4 and r6, of the second r8, r10, r12 and lr. One instruction between two
// products, which take two cycles each, takes none: those of the outputs of the two channels before
// are there: s to x. Once a vector was multiplied, another one is loaded.
#define OPSMITH_MVE_TAP(multiply, a, b, c, d, s, t, u, v, w, x)                       \
  "vldrb.8 q4, [r5], #16\n\t" multiply " r0, q4, " a "\n\t" s multiply " r2, q4, " b  \
  "\n\t" t multiply " r4, q4, " c "\n\t" u multiply " r6, q4, " d                     \
  "\n\t"                                                                              \
  "vldrb.8 q4, [r5], #16\n\t" multiply " r8, q4, " a "\n\t" v multiply " r10, q4, " b \
  "\n\t" w multiply " r12, q4, " c "\n\t" x multiply " lr, q4, " d "\n\t"
#define OPSMITH_MVE_LOAD(vector, at) "vldrb.8 " vector ", [r1, #" at "\n\t"
// The first tap of a row loads three of its columns.
#define OPSMITH_MVE_BEGIN(multiply, w, x)                                          \
  OPSMITH_MVE_TAP(multiply, "q0", "q1", "q2", "q3", OPSMITH_MVE_LOAD("q1", "16]"), \
                  OPSMITH_MVE_LOAD("q2", "32]"), OPSMITH_MVE_LOAD("q3", "48]"),    \
                  OPSMITH_MVE_LOAD("q0", "64]"), w, x)
// One that is not the last of its row: the first of the columns gives way to the one after the
// last.
#define OPSMITH_MVE_NEXT(a, b, c, d, at, s, t, u, w, x) \
  OPSMITH_MVE_TAP("vmladava.s8", a, b, c, d, s, t, u, OPSMITH_MVE_LOAD(a, at), w, x)
#define OPSMITH_MVE_SECOND(s, t, u, w, x) \
  OPSMITH_MVE_NEXT("q1", "q2", "q3", "q0", "80]", s, t, u, w, x)
#define OPSMITH_MVE_THIRD(s, t, u, w, x) \
  OPSMITH_MVE_NEXT("q2", "q3", "q0", "q1", "96]", s, t, u, w, x)
#define OPSMITH_MVE_FOURTH(s, t, u, w, x)         \
  ".if %c[taps] == 5\n\t" OPSMITH_MVE_NEXT(       \
      "q3", "q0", "q1", "q2", "112]", s, t, u, w, \
      x) ".else\n\t" OPSMITH_MVE_NEXT("q3", "q0", "q1", "q2", "112]!", s, t, u, w, x) ".endif\n\t"
// Those between the fourth and the last.
#define OPSMITH_MVE_MORE \
  ".if %c[taps] > 5\n\t"                                                        \
  OPSMITH_MVE_NEXT("q0", "q1", "q2", "q3", "16]", "", "", "", "", "")           \
  OPSMITH_MVE_NEXT("q1", "q2", "q3", "q0", "32]", "", "", "", "", "")           \
  ".endif\n\t"                                                                  \
  ".if %c[taps] > 7\n\t"                                                        \
  OPSMITH_MVE_NEXT("q2", "q3", "q0", "q1", "48]", "", "", "", "", "")           \
  OPSMITH_MVE_NEXT("q3", "q0", "q1", "q2", "64]", "", "", "", "", "")           \
  ".endif\n\t"
// The last one of a row: r1 then points at the next row, the first column of which follows.
#define OPSMITH_MVE_LAST(s, t, u, v, w)                                                          \
  ".if (%c[taps] & 3) == 3\n\t" OPSMITH_MVE_TAP(                                                 \
      "vmladava.s8", "q2", "q3", "q0", "q1", s, t, u, v, w,                                      \
      OPSMITH_MVE_LOAD("q0", "0]")) ".else\n\t" OPSMITH_MVE_TAP("vmladava.s8", "q0", "q1", "q2", \
                                                                "q3", s, t, u, v, w,             \
                                                                OPSMITH_MVE_LOAD(                \
                                                                    "q0", "0]")) ".endif\n\t"
#define OPSMITH_MVE_ROW(t, u, v, w)                            \
  OPSMITH_MVE_BEGIN("vmladava.s8", "", "")                     \
  OPSMITH_MVE_SECOND("", "", "", "", "")                       \
  ".if %c[taps] > 3\n\t" OPSMITH_MVE_THIRD("", "", "", "", "") \
      OPSMITH_MVE_FOURTH("", "", "", "", "") OPSMITH_MVE_MORE  \
      ".endif\n\t" OPSMITH_MVE_LAST("add.w r1, r1, r3\n\t", t, u, v, w)

// Two sums of each of four outputs, q5 and q6, as mve::requantize(). Their words are before the
// weights that r5 pointed at `past` bytes ago. Above are bits of kRounding.
#define OPSMITH_MVE_IF(condition, instructions) \
  ".if " condition "\n\t" instructions "\n\t.endif\n\t"
#define OPSMITH_MVE_WORDS(at, past) "ldrd r3, r7, [r5, #" at " - " past "]\n\t"
#define OPSMITH_MVE_BYTE(to, at, past) "ldrsb " to ", [r5, #" at " - " past "]\n\t"
#define OPSMITH_MVE_BIAS(sums, at, past)                \
  "vadd.i32 " sums ", " sums ", r3\n\t" OPSMITH_MVE_IF( \
      "%c[rounding] & 8", OPSMITH_MVE_BYTE("r3", at, past) "vshl.s32 " sums ", r3")
#define OPSMITH_MVE_MULTIPLY(sums) \
  ".if %c[rounding] == 2\n\t"      \
  ".arch_extension mve.fp\n\t"     \
  "vcvt.f32.s32 " sums ", " sums   \
  "\n\t"                           \
  "vmul.f32 " sums ", " sums       \
  ", r7\n\t"                       \
  "vcvtn.s32.f32 " sums ", " sums  \
  "\n\t"                           \
  ".else\n\t"                      \
  "vqrdmulh.s32 " sums ", " sums   \
  ", r7\n\t"                       \
  ".endif\n\t"
// One less where they are negative; of a channel with a shift to the right, where some have none.
#define OPSMITH_MVE_SIGN(sums, shift, at, past)                                      \
  OPSMITH_MVE_IF("%c[rounding] == 1", "vshr.s32 q7, " sums ", #31")                  \
  OPSMITH_MVE_IF("(%c[rounding] & 5) == 5", "lsrs " shift ", " shift                 \
                                            ", #31\n\t"                              \
                                            "vqdmlah.s32 " sums ", " sums ", " shift \
                                            "\n\t" OPSMITH_MVE_BYTE(shift, at, past))
#define OPSMITH_MVE_LESS(sums) \
  OPSMITH_MVE_IF("%c[rounding] == 1", "vadd.i32 " sums ", " sums ", q7")
#define OPSMITH_MVE_SHIFT(sums, by) OPSMITH_MVE_IF("%c[rounding] != 2", "vrshl.s32 " sums ", " by)
// Then they become halfwords of q5, those of an output side by side, and bytes.
#define OPSMITH_MVE_NARROW "vqmovnb.s32 q5, q5\n\t"
#define OPSMITH_MVE_BOTH "vqmovnt.s32 q5, q6\n\t"
#define OPSMITH_MVE_WHERE "ldrd r3, r7, [r11, #%c[pending]]\n\t"
#define OPSMITH_MVE_OFFSET "vqadd.s16 q5, q5, r7\n\t"
#define OPSMITH_MVE_PLACES "vldrh.16 q7, [r11, #%c[places]]\n\t"
#define OPSMITH_MVE_BYTES "vqmovnb.s16 q5, q5\n\t"
#define OPSMITH_MVE_STORE "vstrb.16 q5, [r3, q7]\n\t"
#define OPSMITH_MVE_PENDING "str.w r9, [r11, #%c[pending]]\n\t"
#define OPSMITH_MVE_ADVANCE "add.w r9, r9, #2\n\t"
#define OPSMITH_MVE_TO_SECOND "ldr.w r1, [r11, #%c[second]]\n\t"
#define OPSMITH_MVE_TO_NEXT "add.w r1, r1, r3\n\t"
#define OPSMITH_MVE_RESTORE "ldrd r3, r7, [r11, #%c[pitch]]\n\t"

// The first row, or two of them where they are short, with all of this in its place.
#define OPSMITH_MVE_FIRST_TAPS                                                         \
  OPSMITH_MVE_BEGIN("vmladav.s8", OPSMITH_MVE_WORDS("-20", "32"), OPSMITH_MVE_ADVANCE) \
  OPSMITH_MVE_SECOND(OPSMITH_MVE_BIAS("q5", "-10", "48"),                              \
                     OPSMITH_MVE_MULTIPLY("q5") OPSMITH_MVE_WORDS("-8", "48"),         \
                     OPSMITH_MVE_BIAS("q6", "-9", "48"),                               \
                     OPSMITH_MVE_MULTIPLY("q6") OPSMITH_MVE_BYTE("r7", "-12", "64"),   \
                     OPSMITH_MVE_BYTE("r3", "-11", "64"))
#define OPSMITH_MVE_FIRST_OF_THREE                                                                 \
  OPSMITH_MVE_LAST(OPSMITH_MVE_TO_SECOND, OPSMITH_MVE_SIGN("q5", "r7", "-12", "80"),               \
                   OPSMITH_MVE_LESS("q5"), OPSMITH_MVE_SHIFT("q5", "r7"),                          \
                   OPSMITH_MVE_SIGN("q6", "r3", "-11", "96"))                                      \
  OPSMITH_MVE_BEGIN("vmladava.s8", OPSMITH_MVE_LESS("q6"), OPSMITH_MVE_SHIFT("q6", "r3"))          \
  OPSMITH_MVE_SECOND(OPSMITH_MVE_NARROW, OPSMITH_MVE_WHERE, OPSMITH_MVE_BOTH, OPSMITH_MVE_OFFSET,  \
                     OPSMITH_MVE_PLACES)                                                           \
  OPSMITH_MVE_LAST(OPSMITH_MVE_BYTES, OPSMITH_MVE_PENDING, OPSMITH_MVE_STORE, OPSMITH_MVE_RESTORE, \
                   OPSMITH_MVE_TO_NEXT)
#define OPSMITH_MVE_FIRST_OF_MORE                                                             \
  OPSMITH_MVE_THIRD(OPSMITH_MVE_SIGN("q5", "r7", "-12", "80"), OPSMITH_MVE_LESS("q5"),        \
                    OPSMITH_MVE_SHIFT("q5", "r7"), OPSMITH_MVE_SIGN("q6", "r3", "-11", "96"), \
                    OPSMITH_MVE_LESS("q6"))                                                   \
  OPSMITH_MVE_FOURTH(OPSMITH_MVE_SHIFT("q6", "r3"), OPSMITH_MVE_NARROW, OPSMITH_MVE_WHERE,    \
                     OPSMITH_MVE_BOTH, OPSMITH_MVE_PLACES)                                    \
  OPSMITH_MVE_MORE                                                                            \
  OPSMITH_MVE_LAST(OPSMITH_MVE_OFFSET, OPSMITH_MVE_TO_SECOND, OPSMITH_MVE_BYTES,              \
                   OPSMITH_MVE_PENDING, OPSMITH_MVE_STORE)                                    \
  OPSMITH_MVE_RESTORE
// And without products, after the last.
#define OPSMITH_MVE_OUTPUT(sums, shift, words, left, right) \
  OPSMITH_MVE_WORDS(words, "0")                             \
  OPSMITH_MVE_BIAS(sums, left, "0")                         \
  OPSMITH_MVE_MULTIPLY(sums)                                \
  OPSMITH_MVE_BYTE(shift, right, "0")                       \
  OPSMITH_MVE_SIGN(sums, shift, right, "0")                 \
  OPSMITH_MVE_LESS(sums)                                    \
  OPSMITH_MVE_SHIFT(sums, shift)
#define OPSMITH_MVE_OUTPUTS                                                                  \
  OPSMITH_MVE_OUTPUT("q5", "r7", "-20", "-10", "-12")                                        \
  OPSMITH_MVE_OUTPUT("q6", "r3", "-8", "-9", "-11")                                          \
  OPSMITH_MVE_NARROW OPSMITH_MVE_BOTH OPSMITH_MVE_WHERE OPSMITH_MVE_OFFSET OPSMITH_MVE_BYTES \
      OPSMITH_MVE_PLACES OPSMITH_MVE_STORE

// How many of a column's vectors the loop leaves to code of its own, before it.
constexpr int32_t vectors_before(int32_t taps) { return taps == 3 ? 2 : 1; }

// All channels of outputs in fours: an even number of channels. Outputs are saturated. In assembly
// as a whole, since sums have to be in the even registers, all of them: r1 walks through the
// inputs, r3 is the pitch, r5 walks through the weights, r7 is the end of the inputs, r9 the
// output, r11 all else. The outputs of two channels are made while the next two are multiplied, in
// r3 and r7, too: of those before the first, which are none, the first takes the place. A column
// has more vectors than vectors_before(). kTaps: columns of the filter, 3, 5, 7 or 9. kRounding: as
// pairs_of_pixels() says.
template <int32_t kTaps, int32_t kRounding>
inline __attribute__((noinline)) void quads_of_pixels(Quads& quads) {
  constexpr int32_t kCopies = kTaps == 3 ? 3 : 1;  // of the loop's body
  constexpr int32_t kBody = 4 * (11 * kTaps + 4);  // bytes of one
  quads.entry = kCopies - 1 - (quads.entry - vectors_before(kTaps) - 1) % kCopies;
  quads.pitch -= kTaps > 5 ? 112 : 0;  // what rows add to the inputs' address
  register Quads* frame __asm("r11") = &quads;
  __asm volatile(
      ".if %c[copies] > 1\n\t"
      // Where the loop begins; ADR is right for aligned sections alone.
      ".balign 4\n\t"
      "ldr r2, [r11, #%c[entry]]\n\t"
      "adr.w r4, 3f\n\t"
      "mov r0, #%c[body]\n\t"
      "mla r4, r2, r0, r4\n\t"
      "adds r4, #1\n\t"
      "str r4, [r11, #%c[entry]]\n\t"
      ".endif\n\t"
      "ldr r9, [r11, #%c[pending]]\n\t"
      "subs r9, #2\n\t"
      "ldr r1, [r11, #%c[x]]\n"
      "1:\n\t"  // four outputs
      "ldr r5, [r11, #%c[blocks]]\n\t"
      "vldrb.8 q0, [r1]\n\t"
      "adds r5, #20\n"
      "2:\n\t"  // two channels of them
      OPSMITH_MVE_FIRST_TAPS
      ".if %c[taps] == 3\n\t" OPSMITH_MVE_FIRST_OF_THREE
      "ldr pc, [r11, #%c[entry]]\n\t"
      ".balign 4\n\t"
      ".else\n\t" OPSMITH_MVE_FIRST_OF_MORE
      ".endif\n"
      "3:\n\t"
      ".if %c[copies] == 3\n\t"
      OPSMITH_MVE_ROW("", "", "", "") OPSMITH_MVE_ROW("", "", "", "")
      ".endif\n\t"
      // After the last row, the first columns are those of the next two channels.
      OPSMITH_MVE_ROW("cmp r1, r7\n\t",
                      "it eq\n\t"
                      "ldrdeq r1, r7, [r11, #%c[x]]\n\t",
                      "vmov q5[2], q5[0], r0, r4\n\t",
                      "vmov q5[3], q5[1], r2, r6\n\t")
      "bne.w 3b\n\t"
      "vmov q6[2], q6[0], r8, r12\n\t"
      "adds r5, #20\n\t"
      "cmp r9, r7\n\t"
      "vmov q6[3], q6[1], r10, lr\n\t"
      "blo.w 2b\n\t"
      "ldrd r0, r2, [r11, #%c[next]]\n\t"
      "ldrd r4, r6, [r11, #%c[second]]\n\t"
      "ldr r3, [r11, #%c[end]]\n\t"
      "add r9, r0\n\t"
      "adds r1, #64\n\t"
      "add r7, r2\n\t"
      "strd r1, r7, [r11, #%c[x]]\n\t"
      "adds r4, #64\n\t"
      "adds r3, #64\n\t"
      "str r3, [r11, #%c[end]]\n\t"
      "subs r6, #1\n\t"
      "strd r4, r6, [r11, #%c[second]]\n\t"
      "bne.w 1b\n\t"
      "ldr r5, [r11, #%c[blocks]]\n\t"
      "adds r5, #20\n\t" OPSMITH_MVE_OUTPUTS
      : [frame] "+r"(frame)
      : [taps] "i"(kTaps), [rounding] "i"(kRounding), [copies] "i"(kCopies), [body] "i"(kBody),
        [x] "i"(offsetof(Quads, x)), [pending] "i"(offsetof(Quads, pending)),
        [pitch] "i"(offsetof(Quads, pitch)), [end] "i"(offsetof(Quads, end)),
        [second] "i"(offsetof(Quads, second)), [blocks] "i"(offsetof(Quads, blocks)),
        [next] "i"(offsetof(Quads, next)), [entry] "i"(offsetof(Quads, entry)),
        [places] "i"(offsetof(Quads, places))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q6", "q7", "cc", "memory");
}

#undef OPSMITH_MVE_OUTPUTS
#undef OPSMITH_MVE_OUTPUT
#undef OPSMITH_MVE_FIRST_OF_MORE
#undef OPSMITH_MVE_FIRST_OF_THREE
#undef OPSMITH_MVE_FIRST_TAPS
#undef OPSMITH_MVE_RESTORE
#undef OPSMITH_MVE_TO_NEXT
#undef OPSMITH_MVE_TO_SECOND
#undef OPSMITH_MVE_ADVANCE
#undef OPSMITH_MVE_PENDING
#undef OPSMITH_MVE_STORE
#undef OPSMITH_MVE_BYTES
#undef OPSMITH_MVE_PLACES
#undef OPSMITH_MVE_OFFSET
#undef OPSMITH_MVE_WHERE
#undef OPSMITH_MVE_BOTH
#undef OPSMITH_MVE_NARROW
#undef OPSMITH_MVE_SHIFT
#undef OPSMITH_MVE_LESS
#undef OPSMITH_MVE_SIGN
#undef OPSMITH_MVE_MULTIPLY
#undef OPSMITH_MVE_BIAS
#undef OPSMITH_MVE_BYTE
#undef OPSMITH_MVE_WORDS
#undef OPSMITH_MVE_IF
#undef OPSMITH_MVE_ROW
#undef OPSMITH_MVE_LAST
#undef OPSMITH_MVE_MORE
#undef OPSMITH_MVE_FOURTH
#undef OPSMITH_MVE_THIRD
#undef OPSMITH_MVE_SECOND
#undef OPSMITH_MVE_NEXT
#undef OPSMITH_MVE_BEGIN
#undef OPSMITH_MVE_LOAD
#undef OPSMITH_MVE_TAP

}  // namespace opsmith::mve
