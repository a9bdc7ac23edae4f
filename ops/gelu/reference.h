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

// exp(x) for x in [-121, 0], in single precision.
inline float short_exponential(float x) {
  if (x < -104.0f) return 0.0f;
  const float nearest = x * 1.44269504f + 0.5f;
  const int32_t towards_zero = static_cast<int32_t>(nearest);
  const int32_t whole = towards_zero - (static_cast<float>(towards_zero) > nearest ? 1 : 0);
  const float powers = static_cast<float>(whole);
  const float rest = (powers * -kLog2High + x) - powers * kLog2Low;
  const float square = rest * rest;
  const float even = (square * 1.37449637e-3f + 4.16696519e-2f) * square + 0.499999881f;
  const float odd = square * 8.36894475e-3f + 0.166665182f;
  const float sum = square * (rest * odd + even) + (rest + 1.0f);
  return scaled(sum, whole);
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
float error_complement(float value) {
  const float x = real_clamp(value, -11.0f, 11.0f);
  const float square = x * x;
  if (!(square > 1.0f)) return x * polynomial(square, kNear) + 1.0f;
  const float power = exponential(-square);
  const float corrected = power - power * square_remainder(x, square);
  const float inverse = 1.0f / square;
  const float ratio = polynomial(inverse, kAbove) / (x * polynomial(inverse, kBelow));
  return corrected * ratio + (x < 0.0f ? 2.0f : 0.0f);
}

// Elements from the first one on.
template <class P>
void put_from(const P& p, int32_t first, const float* from, float* y) {
  const int32_t in_fours = p.elements - p.elements % 4;
  for (int32_t i = first; i < p.elements; ++i) {
    const float x = from[i];
    float twice_share;
    if (p.approximate) {
      const float inner = 0.797884561f * (x + 0.044715f * (x * x * x));
      twice_share = 1.0f + vector_hyperbolic_tangent(inner);
    } else {
      const float root = x * -0.707106769f;
      twice_share = i < in_fours ? error_complement<short_exponential>(root)
                                 : error_complement<real_exponential>(root);
    }
    y[i] = 0.5f * x * twice_share;
  }
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  put_from(p, 0, in.x, out.y);
}

}  // namespace opsmith::gelu
