// Products of a matrix and a vector of float32 by Helium, for kernels that require `mve_float`, in
// the order of additions of paired_lane_dot(). Fast because a vector of inputs is loaded once for
// four rows, and each instruction computes all lanes of a row's sum.
#pragma once

#include <stdint.h>

namespace opsmith::mve::real {

// Weights of a row, their products with inputs in q4, and sums of these. Loads alternate with
// arithmetic.
#define OPSMITH_WEIGHTS(to) "vldrw.32 " to ", [%[w]], #16\n\t"
#define OPSMITH_PRODUCTS(weights) "vmul.f32 " weights ", " weights ", q4\n\t"
#define OPSMITH_LANES(sums, weights) "vadd.f32 " sums ", " sums ", " weights "\n\t"

// sums[i] = addends[i] + row i of the weights by x, for four rows: of each the first inputs in
// vectors, which stand together by fours of inputs, then of all rows each input that is left.
// Returns where the weights end.
inline const float* multiply_four_rows(const float* x, const float* weights, int32_t count,
                                       const float* addends, float* sums) {
  float lanes[16], input;
  float* place = lanes;
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "vmov.i32 q0, #0\n\t"
      "vmov.i32 q1, #0\n\t"
      "vmov.i32 q2, #0\n\t"
      "vmov.i32 q3, #0\n\t"
      "wls lr, %[fours], 2f\n"
      "1:\n\t"
      "vldrw.32 q4, [%[x]], #16\n\t"
      OPSMITH_WEIGHTS("q5") OPSMITH_PRODUCTS("q5") OPSMITH_WEIGHTS("q6") OPSMITH_LANES("q0", "q5")
      OPSMITH_PRODUCTS("q6") OPSMITH_WEIGHTS("q5") OPSMITH_LANES("q1", "q6")
      OPSMITH_PRODUCTS("q5") OPSMITH_WEIGHTS("q6") OPSMITH_LANES("q2", "q5")
      OPSMITH_PRODUCTS("q6") OPSMITH_LANES("q3", "q6")
      "le lr, 1b\n"
      "2:\n\t"
      "vstrw.32 q0, [%[lanes]]\n\t"
      "vstrw.32 q1, [%[lanes], #16]\n\t"
      "vstrw.32 q2, [%[lanes], #32]\n\t"
      "vstrw.32 q3, [%[lanes], #48]\n\t"
      "vld40.32 {q0, q1, q2, q3}, [%[lanes]]\n\t"
      "vld41.32 {q0, q1, q2, q3}, [%[lanes]]\n\t"
      "vld42.32 {q0, q1, q2, q3}, [%[lanes]]\n\t"
      "vld43.32 {q0, q1, q2, q3}, [%[lanes]]\n\t"
      "vadd.f32 q0, q0, q2\n\t"
      "vadd.f32 q1, q1, q3\n\t"
      "vadd.f32 q0, q0, q1\n\t"
      "wls lr, %[rest], 4f\n"
      "3:\n\t"
      "ldr %[input], [%[x]], #4\n\t"
      OPSMITH_WEIGHTS("q5")
      "vmul.f32 q5, q5, %[input]\n\t" OPSMITH_LANES("q0", "q5")
      "le lr, 3b\n"
      "4:\n\t"
      "vldrw.32 q5, [%[addends]]\n\t"
      "vadd.f32 q0, q0, q5\n\t"
      "vstrw.32 q0, [%[sums]]"
      : [x] "+r"(x), [w] "+r"(weights), [input] "=&r"(input)
      : [fours] "r"(count / 4), [rest] "r"(count % 4), [lanes] "r"(place),
        [addends] "r"(addends), [sums] "r"(sums)
      : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "lr", "cc", "memory");
  return weights;
}
#undef OPSMITH_LANES
#undef OPSMITH_PRODUCTS
#undef OPSMITH_WEIGHTS

// sums[i] = addends[i] + row i of the weights by x, for N fours of rows.
__attribute__((noinline)) inline void multiply_lanes(const float* x, const float* weights,
                                                     int32_t count, int32_t fours,
                                                     const float* addends, float* sums) {
  for (int32_t i = 0; i < fours; ++i) {
    weights = multiply_four_rows(x, weights, count, addends + 4 * i, sums + 4 * i);
  }
}

// Row `row` of the weights by x, without vectors.
inline float multiplied_row(const float* x, const float* weights, int32_t count, int32_t row) {
  const int32_t lane = row % 4, whole = count / 4 * 4;
  const float* rows = weights + row / 4 * 4 * count;
  float lanes[4] = {};
  for (int32_t i = 0; i < whole; ++i) lanes[i % 4] += x[i] * rows[i / 4 * 16 + 4 * lane + i % 4];
  float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (int32_t i = whole; i < count; ++i) sum += x[i] * rows[4 * i + lane];
  return sum;
}

}  // namespace opsmith::mve::real
