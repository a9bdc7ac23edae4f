// The logistic function of float32 as LiteRT has it in layers on x86: that of vector_functions.h
// in OpenCL C.
#include "runtimes/core/division.cl"
#include "runtimes/core/real_exponential.cl"

#define LOGISTIC_LIMIT 16.6355324f  // from which on it is 1

// 1 / (1 + exp(-x)), from the square of exp(x / 2), whose power of two is then normal.
INLINE float vector_logistic(float x) {
  if (!(x >= -104.0f)) return isnan(x) ? x : 0.0f;
  const float halved = (x < LOGISTIC_LIMIT ? x : LOGISTIC_LIMIT) * 0.5f;
  const float power = floor(halved * 1.44269504f + 0.5f);
  const float rest = (halved - power * 0.693359375f) - power * -2.12194440e-4f;
  const float square = rest * rest;
  const float even = square * 4.18986678e-2f + 0.499991417f;
  const float odd = square * 8.33471306e-3f + 0.166668773f;
  const float sum = square * (rest * odd + even) + (rest + 1.0f);
  const float root = sum * as_float(((int)power + 127) << 23);
  const float exponential = root * root;
  return divided(exponential, 1.0f + exponential);
}

// The same of an element that fills no vector, from the C library's exponential.
INLINE float single_logistic(float x) {
  const float exponential = real_exponential(x > LOGISTIC_LIMIT ? LOGISTIC_LIMIT : x);
  return divided(exponential, 1.0f + exponential);
}

// That of the element at a place of an array whose first is at the start of a vector, where those
// from `begin` to `end` are one row.
INLINE float logistic_in_place(float x, int begin, int place, int end) {
  const bool whole = place >= ((begin + 3) & ~3) && place < (end & ~3);
  return whole ? vector_logistic(x) : single_logistic(x);
}
