// Functions of two tensors of float32 that broadcast, for kernels that require `fpu`. Fast because
// one instruction loads eight neighbours, and another stores what becomes of them.
#pragma once

#include <stdint.h>

#include "runtimes/core/broadcast.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/families/binary.h"

namespace opsmith::fpu {

inline constexpr float kNoSums[4] = {};

#define OPSMITH_LINE(text) text "\n\t"
#define OPSMITH_SUM(y, a, b) OPSMITH_LINE("vadd.f32 " y ", " a ", " b)
#define OPSMITH_DIFFERENCE(y, a, b) OPSMITH_LINE("vsub.f32 " y ", " a ", " b)
#define OPSMITH_PRODUCT(y, a, b) OPSMITH_LINE("vmul.f32 " y ", " a ", " b)
#define OPSMITH_SQUARE(y, a, b) OPSMITH_DIFFERENCE(y, a, b) OPSMITH_PRODUCT(y, y, y)
#define OPSMITH_EIGHT(f)                                                            \
  f("s0", "s0", "s8") f("s1", "s1", "s9") f("s2", "s2", "s10") f("s3", "s3", "s11") \
      f("s4", "s4", "s12") f("s5", "s5", "s13") f("s6", "s6", "s14") f("s7", "s7", "s15")
#define OPSMITH_EIGHT_B(f)                                                            \
  f("s0", "s0", "s20") f("s1", "s1", "s20") f("s2", "s2", "s20") f("s3", "s3", "s20") \
      f("s4", "s4", "s20") f("s5", "s5", "s20") f("s6", "s6", "s20") f("s7", "s7", "s20")
#define OPSMITH_EIGHT_A(f)                                                              \
  f("s0", "s20", "s8") f("s1", "s20", "s9") f("s2", "s20", "s10") f("s3", "s20", "s11") \
      f("s4", "s20", "s12") f("s5", "s20", "s13") f("s6", "s20", "s14") f("s7", "s20", "s15")
#define OPSMITH_LOAD_A(registers) OPSMITH_LINE("vldmia %[a]!, {" registers "}")
#define OPSMITH_LOAD_B(registers) OPSMITH_LINE("vldmia %[b]!, {" registers "}")
#define OPSMITH_LOAD_NONE(registers)

// Begins a row of eights, each of which is stored and summed up in s16 to s19.
#define OPSMITH_EIGHTS()            \
  OPSMITH_LINE("subs %[count], #8") \
  OPSMITH_LINE("blt 2f")            \
  OPSMITH_LINE("1:")
#define OPSMITH_PUT_EIGHT()             \
  OPSMITH_LINE("vstmia %[y]!, {s0-s7}") \
  OPSMITH_SUM("s16", "s16", "s0")       \
  OPSMITH_SUM("s17", "s17", "s1")       \
  OPSMITH_SUM("s18", "s18", "s2")       \
  OPSMITH_SUM("s19", "s19", "s3")       \
  OPSMITH_SUM("s16", "s16", "s4")       \
  OPSMITH_SUM("s17", "s17", "s5")       \
  OPSMITH_SUM("s18", "s18", "s6")       \
  OPSMITH_SUM("s19", "s19", "s7")       \
  OPSMITH_LINE("subs %[count], #8")     \
  OPSMITH_LINE("bge 1b")                \
  OPSMITH_LINE("2:")                    \
  OPSMITH_LINE("adds %[count], #8")     \
  OPSMITH_LINE("beq 4f")                \
  OPSMITH_LINE("3:")
// Likewise each of the rest; `count` is then the difference of the sum of all of y from itself.
#define OPSMITH_PUT_ONE()                 \
  OPSMITH_LINE("vstmia %[y]!, {s0}")      \
  OPSMITH_SUM("s16", "s16", "s0")         \
  OPSMITH_LINE("subs %[count], #1")       \
  OPSMITH_LINE("bne 3b")                  \
  OPSMITH_LINE("4:")                      \
  OPSMITH_SUM("s16", "s16", "s17")        \
  OPSMITH_SUM("s18", "s18", "s19")        \
  OPSMITH_SUM("s16", "s16", "s18")        \
  OPSMITH_DIFFERENCE("s16", "s16", "s16") \
  OPSMITH_LINE("vmov %[count], s16")

// Goes through a row, with s20 where an element repeats.
#define OPSMITH_ROW(repeated, load_a, load_b, eight, one)                                    \
  __asm volatile(OPSMITH_LINE("vldmia %[sums], {s16-s19}") repeated OPSMITH_EIGHTS()         \
                     load_a("s0-s7") load_b("s8-s15") eight OPSMITH_PUT_EIGHT() load_a("s0") \
                         load_b("s8") one OPSMITH_PUT_ONE()                                  \
                 : [a] "+r"(a), [b] "+r"(b), [y] "+r"(y), [count] "+r"(count)                \
                 : [sums] "r"(kNoSums)                                                       \
                 : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", \
                   "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "cc", "memory")

// y = F(a, b) of N neighbours in y; a step of 0 repeats an element. Not 0 where one of y is
// infinite or NaN, or where their sum is.
#define OPSMITH_FUNCTION(F, f)                                                                \
  inline int32_t put_row(F, const float* a, int32_t a_step, const float* b, int32_t b_step,   \
                         float* y, int32_t count) {                                           \
    if (b_step == 0) {                                                                        \
      OPSMITH_ROW(OPSMITH_LINE("vldr s20, [%[b]]"), OPSMITH_LOAD_A, OPSMITH_LOAD_NONE,        \
                  OPSMITH_EIGHT_B(f), f("s0", "s0", "s20"));                                  \
    } else if (a_step == 0) {                                                                 \
      OPSMITH_ROW(OPSMITH_LINE("vldr s20, [%[a]]"), OPSMITH_LOAD_NONE, OPSMITH_LOAD_B,        \
                  OPSMITH_EIGHT_A(f), f("s0", "s20", "s8"));                                  \
    } else {                                                                                  \
      OPSMITH_ROW("", OPSMITH_LOAD_A, OPSMITH_LOAD_B, OPSMITH_EIGHT(f), f("s0", "s0", "s8")); \
    }                                                                                         \
    return count;                                                                             \
  }
OPSMITH_FUNCTION(binary::Sum, OPSMITH_SUM)
OPSMITH_FUNCTION(binary::Difference, OPSMITH_DIFFERENCE)
OPSMITH_FUNCTION(binary::Product, OPSMITH_PRODUCT)
OPSMITH_FUNCTION(binary::SquaredDifference, OPSMITH_SQUARE)
#undef OPSMITH_FUNCTION
#undef OPSMITH_ROW
#undef OPSMITH_PUT_ONE
#undef OPSMITH_PUT_EIGHT
#undef OPSMITH_EIGHTS
#undef OPSMITH_LOAD_NONE
#undef OPSMITH_LOAD_B
#undef OPSMITH_LOAD_A
#undef OPSMITH_EIGHT_A
#undef OPSMITH_EIGHT_B
#undef OPSMITH_EIGHT
#undef OPSMITH_SQUARE
#undef OPSMITH_PRODUCT
#undef OPSMITH_DIFFERENCE
#undef OPSMITH_SUM
#undef OPSMITH_LINE

// y = F(a, b) of all pairs, where no y is clamped.
template <class F, class P>
void pairs(const P& p, const float* a, const float* b, float* y) {
  for_each_row(p, a, b, y, [&p](const float* of_a, const float* of_b, float* of_y) {
    put_row(F{}, of_a, p.a_stride[4], of_b, p.b_stride[4], of_y, p.size[4]);
  });
}

// y = F(a, b) of all pairs; P has the bounds of y, which are the widest: of infinite ones alone.
template <class F, class P>
void finite_pairs(const P& p, const float* a, const float* b, float* y) {
  for_each_row(p, a, b, y, [&p](const float* of_a, const float* of_b, float* of_y) {
    if (!put_row(F{}, of_a, p.a_stride[4], of_b, p.b_stride[4], of_y, p.size[4])) return;
    for (int32_t i = 0; i < p.size[4]; ++i) of_y[i] = real_clamp(of_y[i], p.real_min, p.real_max);
  });
}

}  // namespace opsmith::fpu
