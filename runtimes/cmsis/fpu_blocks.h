// Sums of products of four rows of weights with four rows of inputs, or one, in assembly: sixteen
// sums stay in registers until they are outputs.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace opsmith::fpu {

constexpr int32_t kFloat = sizeof(float);

// How many rows of inputs, and of weights, go together.
constexpr int32_t kRows = 4;

// What sums start from.
inline constexpr float kZeros[kRows * kRows] = {};

// Where the products of a sum lie, and where sums go; assembly knows the members by their offsets.
struct Products {
  int32_t count;              // inputs of a run, which lie side by side, as their weights do
  int32_t runs, rows;         // runs in a row, and rows of runs, of which there may be none
  int32_t x_run, weight_run;  // bytes from the end of a run to the next one
  int32_t x_row, weight_row;  // bytes from the end of a row of runs to the next one
  int32_t y_step;             // bytes from the sums of a row of inputs to those of the next one
  const float* bias;          // of four channels, or null
  float* y;
};
static_assert(offsetof(Products, y_step) == 28 && offsetof(Products, y) == 36);

// Products of one run, with sums whose rows are y_step floats apart.
constexpr Products one_run(int32_t count, int32_t y_step) {
  return {count, 1, 1, 0, 0, 0, 0, y_step * kFloat, nullptr, nullptr};
}

// Rows of inputs, four or one, and four rows of weights; steps are floats from a row to the next.
struct Block {
  const float* x;
  int32_t x_step;
  int32_t rows;
  const float* weights;
  int32_t weight_step;
};

#define OPSMITH_LINE(text) text "\n\t"
#define OPSMITH_FIRST(f) f("0")
#define OPSMITH_FOUR(f) f("0") f("1") f("2") f("3")
#define OPSMITH_EACH(of, f) of(f)
#define OPSMITH_STEP_X(i) OPSMITH_LINE("add %[x" i "], %[d]")
#define OPSMITH_STEP_WEIGHTS(i) OPSMITH_LINE("add %[w" i "], %[d]")

// Begins all runs of t, before a run adds `count` products to every sum.
#define OPSMITH_BEGIN(last)                  \
  OPSMITH_LINE("vldmia %[d], {s0-" last "}") \
  OPSMITH_LINE("ldr %[rows], [%[t], #8]")    \
  OPSMITH_LINE("cmp %[rows], #0")            \
  OPSMITH_LINE("ble 8f")                     \
  OPSMITH_LINE("6:")                         \
  OPSMITH_LINE("ldr %[runs], [%[t], #4]")    \
  OPSMITH_LINE("7:")                         \
  OPSMITH_LINE("ldr %[count], [%[t]]")
// Steps to the next run, of OPSMITH_FOUR rows of inputs or of OPSMITH_FIRST, and repeats; then has
// the places of bias and y, and the bias in s16 to s19 where there is one.
#define OPSMITH_REPEAT(of)                         \
  OPSMITH_LINE("subs %[runs], #1")                 \
  OPSMITH_LINE("beq 9f")                           \
  OPSMITH_LINE("ldr %[d], [%[t], #12]")            \
  OPSMITH_EACH(of, OPSMITH_STEP_X)                 \
  OPSMITH_LINE("ldr %[d], [%[t], #16]")            \
  OPSMITH_EACH(OPSMITH_FOUR, OPSMITH_STEP_WEIGHTS) \
  OPSMITH_LINE("b 7b")                             \
  OPSMITH_LINE("9:")                               \
  OPSMITH_LINE("subs %[rows], #1")                 \
  OPSMITH_LINE("beq 8f")                           \
  OPSMITH_LINE("ldr %[d], [%[t], #20]")            \
  OPSMITH_EACH(of, OPSMITH_STEP_X)                 \
  OPSMITH_LINE("ldr %[d], [%[t], #24]")            \
  OPSMITH_EACH(OPSMITH_FOUR, OPSMITH_STEP_WEIGHTS) \
  OPSMITH_LINE("b 6b")                             \
  OPSMITH_LINE("8:")                               \
  OPSMITH_LINE("ldr %[x0], [%[t], #32]")           \
  OPSMITH_LINE("ldr %[w0], [%[t], #36]")           \
  OPSMITH_LINE("ldr %[w1], [%[t], #28]")           \
  OPSMITH_LINE("movs %[d], #0")                    \
  OPSMITH_LINE("cmp %[x0], #0")                    \
  OPSMITH_LINE("beq 5f")                           \
  OPSMITH_LINE("vldmia %[x0], {s16-s19}")
#define OPSMITH_BIAS(s0, s1, s2, s3)           \
  OPSMITH_LINE("vadd.f32 " s0 ", " s0 ", s16") \
  OPSMITH_LINE("vadd.f32 " s1 ", " s1 ", s17") \
  OPSMITH_LINE("vadd.f32 " s2 ", " s2 ", s18") \
  OPSMITH_LINE("vadd.f32 " s3 ", " s3 ", s19")
#define OPSMITH_SUM(to, a, b) OPSMITH_LINE("vadd.f32 " to ", " a ", " b)
// `d` is the difference from itself of the sum of all outputs, which is in s16.
#define OPSMITH_CHECK()                  \
  OPSMITH_LINE("vsub.f32 s16, s16, s16") \
  OPSMITH_LINE("vmov %[d], s16")         \
  OPSMITH_LINE("5:")
#define OPSMITH_PUT(sums)                  \
  OPSMITH_LINE("vstmia %[w0], {" sums "}") \
  OPSMITH_LINE("add %[w0], %[w1]")

// Products of a weight with an input of each row.
#define OPSMITH_COLUMN(weight, x0, x1, x2, x3, sum0, sum1, sum2, sum3) \
  OPSMITH_LINE("vmul.f32 s28, " x0 ", " weight)                        \
  OPSMITH_LINE("vmul.f32 s29, " x1 ", " weight)                        \
  OPSMITH_LINE("vmul.f32 s30, " x2 ", " weight)                        \
  OPSMITH_LINE("vmul.f32 s31, " x3 ", " weight)                        \
  OPSMITH_LINE("vadd.f32 " sum0 ", " sum0 ", s28")                     \
  OPSMITH_LINE("vadd.f32 " sum1 ", " sum1 ", s29")                     \
  OPSMITH_LINE("vadd.f32 " sum2 ", " sum2 ", s30")                     \
  OPSMITH_LINE("vadd.f32 " sum3 ", " sum3 ", s31")
#define OPSMITH_ONE(weights, ...)               \
  OPSMITH_LINE("vldmia %[" weights "]!, {s24}") \
  OPSMITH_COLUMN("s24", "s16", "s18", "s20", "s22", __VA_ARGS__)
// The same of two neighbouring weights.
#define OPSMITH_TWO(weights, ...)                                \
  OPSMITH_LINE("vldmia %[" weights "]!, {s24-s25}")              \
  OPSMITH_COLUMN("s24", "s16", "s18", "s20", "s22", __VA_ARGS__) \
  OPSMITH_COLUMN("s25", "s17", "s19", "s21", "s23", __VA_ARGS__)
#define OPSMITH_CHANNELS(step)                                            \
  step("w0", "s0", "s4", "s8", "s12") step("w1", "s1", "s5", "s9", "s13") \
      step("w2", "s2", "s6", "s10", "s14") step("w3", "s3", "s7", "s11", "s15")
// An input of each row, and two neighbouring ones.
#define OPSMITH_INPUT()                \
  OPSMITH_LINE("vldmia %[x0]!, {s16}") \
  OPSMITH_LINE("vldmia %[x1]!, {s18}") \
  OPSMITH_LINE("vldmia %[x2]!, {s20}") \
  OPSMITH_LINE("vldmia %[x3]!, {s22}") \
  OPSMITH_CHANNELS(OPSMITH_ONE)
#define OPSMITH_INPUTS()                   \
  OPSMITH_LINE("vldmia %[x0]!, {s16-s17}") \
  OPSMITH_LINE("vldmia %[x1]!, {s18-s19}") \
  OPSMITH_LINE("vldmia %[x2]!, {s20-s21}") \
  OPSMITH_LINE("vldmia %[x3]!, {s22-s23}") \
  OPSMITH_CHANNELS(OPSMITH_TWO)
#define OPSMITH_RUN()               \
  OPSMITH_LINE("subs %[count], #4") \
  OPSMITH_LINE("blt 2f")            \
  OPSMITH_LINE("1:")                \
  OPSMITH_INPUTS()                  \
  OPSMITH_INPUTS()                  \
  OPSMITH_LINE("subs %[count], #4") \
  OPSMITH_LINE("bge 1b")            \
  OPSMITH_LINE("2:")                \
  OPSMITH_LINE("adds %[count], #4") \
  OPSMITH_LINE("beq 3f")            \
  OPSMITH_LINE("subs %[count], #2") \
  OPSMITH_LINE("blt 4f")            \
  OPSMITH_INPUTS()                  \
  OPSMITH_LINE("subs %[count], #2") \
  OPSMITH_LINE("4:")                \
  OPSMITH_LINE("adds %[count], #1") \
  OPSMITH_LINE("blt 3f")            \
  OPSMITH_INPUT()                   \
  OPSMITH_LINE("3:")
#define OPSMITH_OUTPUTS()                  \
  OPSMITH_BIAS("s0", "s1", "s2", "s3")     \
  OPSMITH_BIAS("s4", "s5", "s6", "s7")     \
  OPSMITH_BIAS("s8", "s9", "s10", "s11")   \
  OPSMITH_BIAS("s12", "s13", "s14", "s15") \
  OPSMITH_SUM("s16", "s0", "s1")           \
  OPSMITH_SUM("s17", "s2", "s3")           \
  OPSMITH_SUM("s18", "s4", "s5")           \
  OPSMITH_SUM("s19", "s6", "s7")           \
  OPSMITH_SUM("s20", "s8", "s9")           \
  OPSMITH_SUM("s21", "s10", "s11")         \
  OPSMITH_SUM("s22", "s12", "s13")         \
  OPSMITH_SUM("s23", "s14", "s15")         \
  OPSMITH_SUM("s16", "s16", "s17")         \
  OPSMITH_SUM("s18", "s18", "s19")         \
  OPSMITH_SUM("s20", "s20", "s21")         \
  OPSMITH_SUM("s22", "s22", "s23")         \
  OPSMITH_SUM("s16", "s16", "s18")         \
  OPSMITH_SUM("s20", "s20", "s22")         \
  OPSMITH_SUM("s16", "s16", "s20")         \
  OPSMITH_CHECK()                          \
  OPSMITH_PUT("s0-s3")                     \
  OPSMITH_PUT("s4-s7")                     \
  OPSMITH_PUT("s8-s11")                    \
  OPSMITH_PUT("s12-s15")

// Writes sums of products of four rows of inputs with four rows of weights: those of a row of
// inputs side by side. 0 where all are finite, and always without bias.
__attribute__((always_inline)) inline uintptr_t put_four_by_four(const Products& t,
                                                                 const Block& block) {
  const float *x = block.x, *x1 = x + block.x_step, *x2 = x1 + block.x_step;
  const float *x3 = x2 + block.x_step, *weights = block.weights;
  const float *w1 = weights + block.weight_step, *w2 = w1 + block.weight_step;
  const float* w3 = w2 + block.weight_step;
  uintptr_t d = reinterpret_cast<uintptr_t>(kZeros);
  int32_t rows, runs, count;
  __asm volatile(OPSMITH_BEGIN("s15") OPSMITH_RUN() OPSMITH_REPEAT(OPSMITH_FOUR) OPSMITH_OUTPUTS()
                 : [x0] "+r"(x), [x1] "+r"(x1), [x2] "+r"(x2), [x3] "+r"(x3), [w0] "+r"(weights),
                   [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), [d] "+r"(d), [rows] "=&r"(rows),
                   [runs] "=&r"(runs), [count] "=&r"(count)
                 : [t] "r"(&t)
                 : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12",
                   "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23",
                   "s24", "s25", "s28", "s29", "s30", "s31", "cc", "memory");
  return d;
}
#undef OPSMITH_OUTPUTS
#undef OPSMITH_RUN
#undef OPSMITH_INPUTS
#undef OPSMITH_INPUT
#undef OPSMITH_CHANNELS
#undef OPSMITH_TWO
#undef OPSMITH_ONE
#undef OPSMITH_COLUMN

// Adds products i of the four channels to their sums.
#define OPSMITH_ADD(i, w0, w1, w2, w3)         \
  OPSMITH_LINE("vmul.f32 " w0 ", " w0 ", s" i) \
  OPSMITH_LINE("vmul.f32 " w1 ", " w1 ", s" i) \
  OPSMITH_LINE("vmul.f32 " w2 ", " w2 ", s" i) \
  OPSMITH_LINE("vmul.f32 " w3 ", " w3 ", s" i) \
  OPSMITH_LINE("vadd.f32 s0, s0, " w0)         \
  OPSMITH_LINE("vadd.f32 s1, s1, " w1)         \
  OPSMITH_LINE("vadd.f32 s2, s2, " w2)         \
  OPSMITH_LINE("vadd.f32 s3, s3, " w3)
#define OPSMITH_RUN()                          \
  OPSMITH_LINE("subs %[count], #4")            \
  OPSMITH_LINE("blt 2f")                       \
  OPSMITH_LINE("1:")                           \
  OPSMITH_LINE("vldmia %[x0]!, {s4-s7}")       \
  OPSMITH_LINE("vldmia %[w0]!, {s8-s11}")      \
  OPSMITH_LINE("vldmia %[w1]!, {s12-s15}")     \
  OPSMITH_LINE("vldmia %[w2]!, {s16-s19}")     \
  OPSMITH_LINE("vldmia %[w3]!, {s20-s23}")     \
  OPSMITH_ADD("4", "s8", "s12", "s16", "s20")  \
  OPSMITH_ADD("5", "s9", "s13", "s17", "s21")  \
  OPSMITH_ADD("6", "s10", "s14", "s18", "s22") \
  OPSMITH_ADD("7", "s11", "s15", "s19", "s23") \
  OPSMITH_LINE("subs %[count], #4")            \
  OPSMITH_LINE("bge 1b")                       \
  OPSMITH_LINE("2:")                           \
  OPSMITH_LINE("adds %[count], #4")            \
  OPSMITH_LINE("beq 4f")                       \
  OPSMITH_LINE("3:")                           \
  OPSMITH_LINE("vldmia %[x0]!, {s4}")          \
  OPSMITH_LINE("vldmia %[w0]!, {s8}")          \
  OPSMITH_LINE("vldmia %[w1]!, {s12}")         \
  OPSMITH_LINE("vldmia %[w2]!, {s16}")         \
  OPSMITH_LINE("vldmia %[w3]!, {s20}")         \
  OPSMITH_ADD("4", "s8", "s12", "s16", "s20")  \
  OPSMITH_LINE("subs %[count], #1")            \
  OPSMITH_LINE("bne 3b")                       \
  OPSMITH_LINE("4:")
#define OPSMITH_OUTPUTS()              \
  OPSMITH_BIAS("s0", "s1", "s2", "s3") \
  OPSMITH_SUM("s16", "s0", "s1")       \
  OPSMITH_SUM("s17", "s2", "s3")       \
  OPSMITH_SUM("s16", "s16", "s17")     \
  OPSMITH_CHECK()                      \
  OPSMITH_PUT("s0-s3")

// Writes sums of products of one row of inputs with four rows of weights, as put_four_by_four does.
__attribute__((always_inline)) inline uintptr_t put_one_by_four(const Products& t,
                                                                const Block& block) {
  const float *x = block.x, *weights = block.weights;
  const float *w1 = weights + block.weight_step, *w2 = w1 + block.weight_step;
  const float* w3 = w2 + block.weight_step;
  uintptr_t d = reinterpret_cast<uintptr_t>(kZeros);
  int32_t rows, runs, count;
  __asm volatile(OPSMITH_BEGIN("s3") OPSMITH_RUN() OPSMITH_REPEAT(OPSMITH_FIRST) OPSMITH_OUTPUTS()
                 : [x0] "+r"(x), [w0] "+r"(weights), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3),
                   [d] "+r"(d), [rows] "=&r"(rows), [runs] "=&r"(runs), [count] "=&r"(count)
                 : [t] "r"(&t)
                 : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12",
                   "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23",
                   "cc", "memory");
  return d;
}
#undef OPSMITH_OUTPUTS
#undef OPSMITH_RUN
#undef OPSMITH_ADD
#undef OPSMITH_PUT
#undef OPSMITH_CHECK
#undef OPSMITH_SUM
#undef OPSMITH_BIAS
#undef OPSMITH_REPEAT
#undef OPSMITH_BEGIN
#undef OPSMITH_STEP_WEIGHTS
#undef OPSMITH_STEP_X
#undef OPSMITH_EACH
#undef OPSMITH_FOUR
#undef OPSMITH_FIRST
#undef OPSMITH_LINE

}  // namespace opsmith::fpu
