// GELU of float32, the definition: LiteRT's reference kernel takes erfc and tanh of Eigen, which
// are polynomials in single precision, for four elements at a time. The last elements, fewer than
// four, it takes one by one, with the exponential of the C library.
#pragma once

#include "gelu.op.h"
#include "runtimes/core/elementary.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/core/real_exponential.h"
#include "runtimes/core/vector_functions.h"

namespace opsmith::gelu {

// exp(x) for x in [-121, -1], in single precision.
inline float short_exponential(float x) {
  const float nearest = x * 1.44269504f + 0.5f;
  // Rounds down: of nearest, from -175 to -0.9, only floats above -1 have digits below 2^-23.
  const int32_t whole = static_cast<int32_t>(nearest * 0x1p23f) >> 23;
  const float powers = static_cast<float>(whole);
  const float rest = (powers * -kLog2High + x) - powers * kLog2Low;
  const float square = rest * rest;
  const float even = (square * 1.37449637e-3f + 4.16696519e-2f) * square + 0.499999881f;
  const float odd = square * 8.36894475e-3f + 0.166665182f;
  const float sum = square * (rest * odd + even) + (rest + 1.0f);
  if (whole < -124) return x < -104.0f ? 0.0f : scaled(sum, whole);
  return float_of(bits_of(sum) + (static_cast<uint32_t>(whole) << 23));
}

// What rounding took from the square of x.
inline float square_remainder(float x, float square) {
  const float high = float_of(bits_of(x) & 0xfffff000u), low = x - high;
  return ((high * high - square) + 2.0f * high * low) + low * low;
}

// Coefficients of erfc(x), near to 0 and beyond 1.
inline constexpr float kNear[] = {5.61802299e-4f,  -4.91381669e-3f, 2.67075151e-2f,
                                  -1.12800106e-1f, 3.76122952e-1f,  -1.12837911f};
inline constexpr float kAbove[] = {1.02081165e-1f, 4.29206669e-1f, 3.23790789e-1f, 5.3971976e-2f};
inline constexpr float kBelow[] = {1.72516778e-2f, 3.91371638e-1f, 1.0f, 6.21732414e-1f,
                                   9.56628621e-2f};

// erfc(x)
template <float (*exponential)(float)>
__attribute__((always_inline)) inline float error_complement(float value) {
  const float small = value * value;
  if (!(small > 1.0f)) return value * polynomial(small, kNear) + 1.0f;
  const float x = real_clamp(value, -11.0f, 11.0f);
  const float square = x * x;
  const float power = exponential(-square);
  const float corrected = power - power * square_remainder(x, square);
  const float inverse = 1.0f / square;
  const float ratio = polynomial(inverse, kAbove) / (x * polynomial(inverse, kBelow));
  return corrected * ratio + (x < 0.0f ? 2.0f : 0.0f);
}

// GELU of an element, from erfc or a hyperbolic tangent.
template <float (*exponential)(float), class P>
__attribute__((always_inline)) inline float element(const P& p, float x) {
  if (p.approximate) {
    const float inner = 0.797884561f * (x + 0.044715f * (x * x * x));
    return 0.5f * x * (1.0f + vector_hyperbolic_tangent(inner));
  }
  return 0.5f * x * error_complement<exponential>(x * -0.707106769f);
}

// Elements from the first one on.
template <class P>
void put_from(const P& p, int32_t first, const float* x, float* y) {
  const int32_t in_fours = p.approximate ? p.elements : p.elements - p.elements % 4;
  for (int32_t i = first; i < in_fours; ++i) y[i] = element<short_exponential>(p, x[i]);
  for (int32_t i = in_fours; i < p.elements; ++i) y[i] = element<real_exponential>(p, x[i]);
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  put_from(p, 0, in.x, out.y);
}

}  // namespace opsmith::gelu
