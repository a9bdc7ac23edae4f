// SVDF of int8 with a state of int16 or int8, the definition (EvalIntegerSVDF in
// tensorflow/lite/kernels/internal/reference/svdf.h). Sums over time wrap at 32 bits.
#pragma once

#include "ops/svdf/output.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"
#include "svdf.op.h"

namespace opsmith::svdf {

// The zero point of the state, which is 0 where it is int16.
template <class S, class P>
int32_t state_zero_point(const P& p) {
  return sizeof(S) == 1 ? p.state_zero_point : 0;
}

// The product of x with the features of a filter, as an element of the state.
template <class S, class P>
S latest(const P& p, const int8_t* x, const int8_t* features) {
  int32_t sum = 0;
  for (int32_t i = 0; i < p.depth; ++i) sum += (x[i] - p.x_zero_point) * features[i];
  const int32_t scaled = multiply_by_quantized_multiplier(sum, p.state_multiplier, p.state_shift);
  const int32_t zero = state_zero_point<S>(p);
  return static_cast<S>(clamp(scaled, Limits<S>::kLow - zero, Limits<S>::kHigh - zero) + zero);
}

// Moves the memory of a filter up by one, appends the latest element and returns the product with
// the weights over time.
template <class P, class S>
uint32_t moved(const P& p, S* memory, const S* time, S latest) {
  const int32_t zero = state_zero_point<S>(p);
  uint32_t sum = 0;
  for (int32_t i = 0; i < p.memory; ++i) {
    memory[i] = i + 1 < p.memory ? memory[i + 1] : latest;
    sum += static_cast<uint32_t>((memory[i] - zero) * time[i]);
  }
  return sum;
}

template <class P, class S, class T>
void integers(const P& p, const In<int8_t, S>& in, const Out<int8_t, S>& out, const T& tables) {
  S* memory = in.state;
  int8_t* y = out.y;
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* x = in.x + b * p.depth;
    for (int32_t unit = 0; unit < p.units; ++unit) {
      uint32_t sum = static_cast<uint32_t>(tables.bias[unit]);
      for (int32_t filter = unit * p.rank; filter < (unit + 1) * p.rank; ++filter) {
        sum += moved(p, memory, tables.time + filter * p.memory,
                     latest<S>(p, x, tables.features + filter * p.depth));
        memory += p.memory;
      }
      *y++ = output(p, sum);
    }
  }
}

template <class P>
void reference(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
               const Tables& tables) {
  integers(p, in, out, tables);
}

template <class P>
void reference(const P& p, const In<int8_t, int8_t>& in, const Out<int8_t, int8_t>& out,
               const ByteTables& tables) {
  integers(p, in, out, tables);
}

}  // namespace opsmith::svdf
