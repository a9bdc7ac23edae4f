// Functions of float32 by Helium, four elements at a time, for kernels that require `mve_float`:
// with the bits of runtimes/core/vector_functions.h, whose operations these are. Where vectors meet
// subnormal numbers, FPSCR has a mark: mve_real_rows.h.
#pragma once

#include <arm_mve.h>
#include <stdint.h>

#include "runtimes/core/vector_functions.h"

namespace opsmith::mve::real {

// Four floats. Sources are compiled without mve.fp, so that the compiler has no such type.
struct Reals {
  int32x4_t bits;

  // The first N elements of x; zeros in place of the others.
  static Reals first(const float* x, int32_t count) {
    return {
        vldrwq_z_s32(reinterpret_cast<const int32_t*>(x), vctp32q(static_cast<uint32_t>(count)))};
  }
  void put_first(float* x, int32_t count) const {
    vstrwq_p_s32(reinterpret_cast<int32_t*>(x), bits, vctp32q(static_cast<uint32_t>(count)));
  }
};

#define OPSMITH_OPERATOR(symbol, instruction)                                                      \
  inline Reals operator symbol(Reals a, Reals b) {                                                 \
    __asm(".arch_extension mve.fp\n\t" instruction " %q0, %q0, %q1" : "+w"(a.bits) : "w"(b.bits)); \
    return a;                                                                                      \
  }                                                                                                \
  inline Reals operator symbol(Reals a, float b) {                                                 \
    __asm(".arch_extension mve.fp\n\t" instruction " %q0, %q0, %1" : "+w"(a.bits) : "r"(b));       \
    return a;                                                                                      \
  }
OPSMITH_OPERATOR(+, "vadd.f32")
OPSMITH_OPERATOR(-, "vsub.f32")
OPSMITH_OPERATOR(*, "vmul.f32")
#undef OPSMITH_OPERATOR

inline Reals operator/(Reals a, Reals b) {
  register int32x4_t quotient __asm("q0") = a.bits;
  register int32x4_t divisor __asm("q1") = b.bits;
  __asm(
      "vdiv.f32 s0, s0, s4\n\t"
      "vdiv.f32 s1, s1, s5\n\t"
      "vdiv.f32 s2, s2, s6\n\t"
      "vdiv.f32 s3, s3, s7"
      : "+w"(quotient)
      : "w"(divisor));
  return {quotient};
}

inline Reals all(float x) { return {vreinterpretq_s32_u32(vdupq_n_u32(bits_of(x)))}; }

// `chosen` in lanes where a > b, which no NaN is; else `other`.
inline Reals where_greater(Reals a, Reals b, Reals chosen, Reals other) {
  __asm(
      ".arch_extension mve.fp\n\t"
      "vcmp.f32 gt, %q1, %q2\n\t"
      "vpsel %q0, %q3, %q0"
      : "+w"(other.bits)
      : "w"(a.bits), "w"(b.bits), "w"(chosen.bits)
      : "p0");
  return other;
}

// Within bounds; NaN and the sign of zero stay as they are.
inline Reals clamped(Reals x, float low, float high) {
  x = where_greater(x, all(high), all(high), x);
  return where_greater(all(low), x, all(low), x);
}

inline Reals rounded_down(Reals x) {
  __asm(".arch_extension mve.fp\n\tvrintm.f32 %q0, %q0" : "+w"(x.bits));
  return x;
}

// 2^x of integers that give normal numbers.
inline Reals powers_of_two(Reals x) {
  __asm(".arch_extension mve.fp\n\tvcvt.s32.f32 %q0, %q0" : "+w"(x.bits));
  return {vshlq_n_s32(vaddq_n_s32(x.bits, 127), 23)};
}

template <int size>
Reals polynomials(Reals x, const float (&coefficients)[size]) {
  Reals sum = x * coefficients[0];
#pragma GCC unroll 4
  for (int i = 1; i < size - 1; ++i) sum = (sum + coefficients[i]) * x;
  return sum + coefficients[size - 1];
}

inline Reals hyperbolic_tangents(Reals value) {
  const Reals x = clamped(value, -kTangentLimit, kTangentLimit), square = x * x;
  return (square * x * polynomials(square, kTangentAbove) + x) / polynomials(square, kTangentBelow);
}

inline Reals logistics(Reals value) {
  const Reals lowest = all(kLogisticLowest), zero = all(0.0f), limit = all(kLogisticLimit);
  const Reals x = where_greater(lowest, value, zero, value);
  const Reals half = where_greater(x, limit, limit, x) * 0.5f;
  const Reals power = rounded_down(half * kPowers + 0.5f);
  const Reals rest = (half - power * kLog2High) - power * kLog2Low, square = rest * rest;
  const Reals even = square * kLogisticEven[0] + kLogisticEven[1];
  const Reals odd = square * kLogisticOdd[0] + kLogisticOdd[1];
  const Reals sum = square * (rest * odd + even) + (rest + 1.0f);
  const Reals root = sum * powers_of_two(power), exponential = root * root;
  return where_greater(lowest, value, zero, exponential / (exponential + 1.0f));
}

// Replaces elements of x by f of them.
template <class F>
void replace(float* x, int32_t count, F f) {
  for (int32_t i = 0; i < count; i += 4) {
    f(Reals::first(x + i, count - i)).put_first(x + i, count - i);
  }
}

}  // namespace opsmith::mve::real
