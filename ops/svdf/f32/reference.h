// SVDF of float32, the definition (EvalFloatSVDF in
// tensorflow/lite/kernels/internal/reference/svdf.h). Sums have the order that LiteRT's functions
// for vectors of four elements give them, which its reference kernel calls.
#pragma once

#include "svdf.op.h"

namespace opsmith::svdf::f32 {

// Four sums of every fourth term, added up, and then the terms that are left.
template <class Term>
float sum_by_four(int32_t count, const Term& term) {
  float first = 0, second = 0, third = 0, fourth = 0;
  const int32_t whole = count & ~3;
  for (int32_t i = 0; i < whole; i += 4) {
    first += term(i);
    second += term(i + 1);
    third += term(i + 2);
    fourth += term(i + 3);
  }
  float sum = first + second + third + fourth;
  for (int32_t i = whole; i < count; ++i) sum += term(i);
  return sum;
}

inline float dot_product(const float* a, const float* b, int32_t size) {
  return sum_by_four(size, [=](int32_t i) { return a[i] * b[i]; });
}

// Moves the memory of a filter up by one and appends the latest element.
inline void append(float* memory, int32_t size, float latest) {
  for (int32_t i = 0; i + 1 < size; ++i) memory[i] = memory[i + 1];
  memory[size - 1] = latest;
}

// NaN becomes the least element.
template <class P>
float activated(const P& p, float x) {
  if (p.has_min && !(x > p.real_min)) x = static_cast<float>(p.real_min);
  if (p.has_max && !(x < p.real_max)) x = static_cast<float>(p.real_max);
  return x;
}

template <class P>
void reference(const P& p, const In<float, float>& in, const Out<float, float>& out,
               const Tables& tables) {
  float* state = in.state;
  float* y = out.y;
  for (int32_t b = 0; b < p.batches; ++b) {
    const float* x = in.x + b * p.depth;
    for (int32_t unit = 0; unit < p.units; ++unit) {
      const int32_t first = unit * p.rank;
      const float sum = sum_by_four(p.rank, [=](int32_t i) {
        float* memory = state + i * p.memory;
        const float* features = tables.features + (first + i) * p.depth;
        append(memory, p.memory, dot_product(features, x, p.depth));
        return dot_product(tables.time + (first + i) * p.memory, memory, p.memory);
      });
      state += p.rank * p.memory;
      *y++ = activated(p, sum + tables.bias[unit]);
    }
  }
}

}  // namespace opsmith::svdf::f32
