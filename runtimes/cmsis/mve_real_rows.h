// Sums of products of rows of float32 by Helium, for kernels that require `mve_float`. Fast because
// a vector of weights, one for each of four channels, is loaded once for four rows of inputs.
//
// Each sum adds its products in the order of the row, every one rounded before: as LiteRT's
// reference kernels do. But vectors take subnormal numbers for zeros. That they met one stands in
// FPSCR, and such sums are computed again without them.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_clamp.h"

namespace opsmith::mve::real {

constexpr int32_t kLanes = 4;  // channels of a vector
constexpr int32_t kRows = 4;   // that go together

// What sums start from.
inline constexpr float kZeros[kRows * kLanes] = {};

// Whether vectors met subnormal numbers since this was made, or asked before. FPSCR gets back what
// it said before that.
class Subnormals {
 public:
  Subnormals() : before_(taken()) {}
  ~Subnormals() {
    if (before_ == 0) return;
    uint32_t all;
    __asm volatile("vmrs %0, fpscr" : "=r"(all));
    __asm volatile("vmsr fpscr, %0" : : "r"(all | before_));
  }
  Subnormals(const Subnormals&) = delete;
  Subnormals& operator=(const Subnormals&) = delete;

  // The flags of subnormal operands and results, which are clear afterwards.
  static uint32_t taken() {
    uint32_t all;
    __asm volatile("vmrs %0, fpscr" : "=r"(all)::"memory");
    if ((all & kFlags) != 0) __asm volatile("vmsr fpscr, %0" : : "r"(all & ~kFlags) : "memory");
    return all & kFlags;
  }

 private:
  static constexpr uint32_t kFlags = 1u << 7 | 1u << 3;  // IDC and UFC
  uint32_t before_;
};

// Products of two inputs of a row, in r and s, with weights in q4 and q5. Products and sums take
// two cycles each: loads are between them, of the second weights and of the inputs that follow.
#define OPSMITH_INPUTS(x) "ldrd %[r], %[s], [%[" x "]], #8\n\t"
#define OPSMITH_ROW(sums, weights, inputs)                       \
  "vmul.f32 q6, q4, %[r]\n\t" weights "vadd.f32 " sums ", " sums \
  ", q6\n\t"                                                     \
  "vmul.f32 q7, q5, %[s]\n\t" inputs "vadd.f32 " sums ", " sums ", q7\n\t"
// Products of the last input of a row with weights in q4.
#define OPSMITH_LAST(x, sums) \
  "ldr %[r], [%[" x           \
  "]]\n\t"                    \
  "vmul.f32 q6, q4, %[r]\n\t" \
  "vadd.f32 " sums ", " sums ", q6\n\t"

// sums[4 * i + j] = from[4 * i + j] plus the products of `count` inputs of row i, which is i *
// x_step after x, with weights[4 * k + j] of each input k.
__attribute__((noinline)) inline void add_four_rows(const float* x, int32_t x_step,
                                                    const float* weights, int32_t count,
                                                    const float* from, float* sums) {
  const float *x1 = x + x_step, *x2 = x1 + x_step, *x3 = x2 + x_step;
  int32_t r, s;
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "vldrw.32 q0, [%[from]]\n\t"
      "vldrw.32 q1, [%[from], #16]\n\t"
      "vldrw.32 q2, [%[from], #32]\n\t"
      "vldrw.32 q3, [%[from], #48]\n\t"
      "wls lr, %[pairs], 2f\n"
      "1:\n\t" OPSMITH_INPUTS("x0")
      "vldrw.32 q4, [%[w]], #16\n\t"
      OPSMITH_ROW("q0", "vldrw.32 q5, [%[w]], #16\n\t", OPSMITH_INPUTS("x1"))
      OPSMITH_ROW("q1", "", OPSMITH_INPUTS("x2"))
      OPSMITH_ROW("q2", "", OPSMITH_INPUTS("x3"))
      OPSMITH_ROW("q3", "", "")
      "le lr, 1b\n"
      "2:\n\t"
      "lsls %[r], %[count], #31\n\t"
      "beq 3f\n\t"
      "vldrw.32 q4, [%[w]], #16\n\t"
      OPSMITH_LAST("x0", "q0") OPSMITH_LAST("x1", "q1")
      OPSMITH_LAST("x2", "q2") OPSMITH_LAST("x3", "q3")
      "3:\n\t"
      "vstrw.32 q0, [%[sums]]\n\t"
      "vstrw.32 q1, [%[sums], #16]\n\t"
      "vstrw.32 q2, [%[sums], #32]\n\t"
      "vstrw.32 q3, [%[sums], #48]"
      : [x0] "+r"(x), [x1] "+r"(x1), [x2] "+r"(x2), [x3] "+r"(x3), [w] "+r"(weights),
        [r] "=&r"(r), [s] "=&r"(s)
      : [pairs] "r"(count / 2), [count] "r"(count), [from] "r"(from), [sums] "r"(sums)
      : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "lr", "cc", "memory");
}

// sums[j] = from[j] plus the products of `count` inputs of x with weights[4 * k + j] of each input
// k.
__attribute__((noinline)) inline void add_row(const float* x, const float* weights, int32_t count,
                                              const float* from, float* sums) {
  int32_t r, s;
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "vldrw.32 q0, [%[from]]\n\t"
      "wls lr, %[pairs], 2f\n"
      "1:\n\t" OPSMITH_INPUTS("x0")
      "vldrw.32 q4, [%[w]], #16\n\t"
      OPSMITH_ROW("q0", "vldrw.32 q5, [%[w]], #16\n\t", "")
      "le lr, 1b\n"
      "2:\n\t"
      "lsls %[r], %[count], #31\n\t"
      "beq 3f\n\t"
      "vldrw.32 q4, [%[w]], #16\n\t"
      OPSMITH_LAST("x0", "q0")
      "3:\n\t"
      "vstrw.32 q0, [%[sums]]"
      : [x0] "+r"(x), [w] "+r"(weights), [r] "=&r"(r), [s] "=&r"(s)
      : [pairs] "r"(count / 2), [count] "r"(count), [from] "r"(from), [sums] "r"(sums)
      : "q0", "q4", "q5", "q6", "q7", "lr", "cc", "memory");
}
#undef OPSMITH_LAST
#undef OPSMITH_ROW
#undef OPSMITH_INPUTS

// Sums plus biases within bounds, up to four channels of each of N rows; NaN and the sign of
// zero stay as they are. Comparisons are by GT, which no NaN meets; LT is met by every NaN.
inline void clamp_rows(const float* found, int32_t rows, int32_t channels, const float* bias,
                       float low, float high, float* sums) {
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "vctp.32 %[channels]\n\t"
      "vpst\n\t"
      "vldrwt.u32 q1, [%[bias]]\n\t"
      "vdup.32 q2, %[low]\n\t"
      "dls lr, %[rows]\n"
      "1:\n\t"
      "vldrw.32 q0, [%[found]], #16\n\t"
      "vadd.f32 q0, q0, q1\n\t"
      "vpt.f32 gt, q2, q0\n\t"
      "vmovt q0, q2\n\t"
      "vpt.f32 gt, q0, %[high]\n\t"
      "vdupt.32 q0, %[high]\n\t"
      "vstrw.32 q0, [%[sums]], #16\n\t"
      "le lr, 1b"
      : [found] "+r"(found), [sums] "+r"(sums)
      :
      [rows] "r"(rows), [channels] "r"(channels), [bias] "r"(bias), [low] "r"(low), [high] "r"(high)
      : "q0", "q1", "q2", "p0", "lr", "cc", "memory");
}

// Copies up to four channels of each of N rows to where rows of y are y_step apart.
inline void put_rows(const float* found, int32_t rows, int32_t channels, float* y, int32_t y_step) {
  __asm volatile(
      "vctp.32 %[channels]\n\t"
      "dls lr, %[rows]\n"
      "1:\n\t"
      "vldrw.32 q0, [%[found]], #16\n\t"
      "vpst\n\t"
      "vstrwt.32 q0, [%[y]]\n\t"
      "add %[y], %[step]\n\t"
      "le lr, 1b"
      : [found] "+r"(found), [y] "+r"(y)
      : [rows] "r"(rows), [channels] "r"(channels), [step] "r"(y_step * 4)
      : "q0", "p0", "lr", "cc", "memory");
}

// The same of up to four rows: by vectors, or without them.
struct ByVectors {
  void operator()(const float* x, int32_t x_step, int32_t rows, const float* weights, int32_t count,
                  const float* from, float* sums) const {
    if (rows == kRows) return add_four_rows(x, x_step, weights, count, from, sums);
    for (int32_t i = 0; i < rows; ++i) {
      add_row(x + i * x_step, weights, count, from + kLanes * i, sums + kLanes * i);
    }
  }
};
struct Slowly {
  void operator()(const float* x, int32_t x_step, int32_t rows, const float* weights, int32_t count,
                  const float* from, float* sums) const {
    for (int32_t i = 0; i < kLanes * rows; ++i) {
      const float* row = x + i / kLanes * x_step;
      float sum = from[i];
      for (int32_t k = 0; k < count; ++k) sum += row[k] * weights[kLanes * k + i % kLanes];
      sums[i] = sum;
    }
  }
};

// Up to four channels of each of N rows of y, which are y_step apart. add(by, sums) makes the
// sums by one of these, and returns where they are; P has the bounds of y.
template <class P, class Add>
void put_outputs(const P& p, Add add, const float* bias, int32_t rows, int32_t channels, float* y,
                 int32_t y_step) {
  float sums[kRows * kLanes];
  const auto low = static_cast<float>(p.real_min), high = static_cast<float>(p.real_max);
  clamp_rows(add(ByVectors{}, sums), rows, channels, bias, low, high, sums);
  if (__builtin_expect(Subnormals::taken() != 0, false)) {
    const float* found = add(Slowly{}, sums);
    for (int32_t i = 0; i < kLanes * rows; ++i) {
      sums[i] = real_clamp(found[i] + bias[i % kLanes], p.real_min, p.real_max);
    }
    Subnormals::taken();
  }
  put_rows(sums, rows, channels, y, y_step);
}

}  // namespace opsmith::mve::real
