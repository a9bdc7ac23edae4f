// GELU of float32, by the definition in reference.h.
#include "runtimes/core/real_exponential.cl"
#include "runtimes/core/vector_functions.cl"

// exp(x) for x in [-121, 0], in single precision.
INLINE float short_exponential(float x) {
  if (x < -104.0f) return 0.0f;
  const float powers = floor(x * 1.44269504f + 0.5f);
  const float rest = (powers * -0.693359375f + x) - powers * -2.12194440e-4f;
  const float square = rest * rest;
  const float even = (square * 1.37449637e-3f + 4.16696519e-2f) * square + 0.499999881f;
  const float odd = square * 8.36894475e-3f + 0.166665182f;
  const float sum = square * (rest * odd + even) + (rest + 1.0f);
  const int power = (int)powers;
  const float first = as_float((uint)(power / 2 + 127) << 23);
  return sum * first * as_float((uint)(power - power / 2 + 127) << 23);
}

// What rounding took from the square of x.
INLINE float square_remainder(float x, float square) {
  const float high = as_float(as_uint(x) & 0xfffff000u);
  const float low = x - high;
  return ((high * high - square) + 2.0f * high * low) + low * low;
}

// erfc(x)
INLINE float error_complement(float value, bool in_fours) {
  const float near[] = {5.61802299e-4f,  -4.91381669e-3f, 2.67075151e-2f,
                        -1.12800106e-1f, 3.76122952e-1f,  -1.12837911f};
  const float above[] = {1.02081165e-1f, 4.29206669e-1f, 3.23790789e-1f, 5.3971976e-2f};
  const float below[] = {1.72516778e-2f, 3.91371638e-1f, 1.0f, 6.21732414e-1f, 9.56628621e-2f};
  const float x = real_clamp(value, -11.0f, 11.0f);
  const float square = x * x;
  if (!(square > 1.0f)) return x * polynomial(square, near, 6) + 1.0f;
  const float power = in_fours ? short_exponential(-square) : real_exponential(-square);
  const float corrected = power - power * square_remainder(x, square);
  const float inverse = divided(1.0f, square);
  const float ratio = divided(polynomial(inverse, above, 4), x * polynomial(inverse, below, 5));
  return corrected * ratio + (x < 0.0f ? 2.0f : 0.0f);
}

void gpu(const Gelu p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const float x = in.x[i];
  float twice_share;
  if (p.approximate) {
    const float inner = 0.797884561f * (x + 0.044715f * (x * x * x));
    twice_share = 1.0f + vector_hyperbolic_tangent(inner);
  } else {
    twice_share = error_complement(x * -0.707106769f, i < p.elements - p.elements % 4);
  }
  out.y[i] = 0.5f * x * twice_share;
}
