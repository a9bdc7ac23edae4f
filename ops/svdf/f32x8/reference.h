// SVDF of float32 by int8 weights, the definition (EvalHybridSVDF in
// tensorflow/lite/kernels/internal/reference/svdf.h).
#pragma once

#include "ops/svdf/f32/reference.h"
#include "runtimes/core/dynamic_range.h"
#include "svdf.op.h"

namespace opsmith::svdf::f32x8 {

// The product of a quantised row of x with the features of a filter.
inline float latest(const int8_t* x, const DynamicRange& range, const int8_t* features,
                    int32_t depth, float scale) {
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) sum += (x[i] - range.zero_point) * features[i];
  return static_cast<float>(sum) * (range.scale * scale);
}

// All units of one batch, of whose filters latest(i) is appended to the memories in `state`.
template <class P, class Latest>
void units_over_time(const P& p, const int8_t* of_filters, const float* bias, float* state,
                     float* y, Latest latest) {
  const float of_time = static_cast<float>(p.time_scale);
  for (int32_t unit = 0; unit < p.units; ++unit) {
    const int32_t first = unit * p.rank;
    const float sum = f32::sum_by_four(p.rank, [&](int32_t i) {
      float* memory = state + (first + i) * p.memory;
      const int8_t* time = of_filters + (first + i) * p.memory;
      f32::append(memory, p.memory, latest(first + i));
      return f32::sum_by_four(p.memory, [=](int32_t t) { return time[t] * of_time * memory[t]; });
    });
    y[unit] = f32::activated(p, sum + bias[unit]);
  }
}

template <class P>
void reference(const P& p, const In<float, float>& in, const Out<float, float>& out,
               const Tables& tables, const ReferenceScratch& scratch) {
  const float scale = static_cast<float>(p.features_scale);
  for (int32_t b = 0; b < p.batches; ++b) {
    const float* x = in.x + b * p.depth;
    const DynamicRange range = p.asymmetric_quantize_inputs
                                   ? quantize_asymmetric(x, p.depth, scratch.row)
                                   : quantize_symmetric(x, p.depth, scratch.row);
    float* state = in.state + b * p.units * p.rank * p.memory;
    units_over_time(p, tables.time, tables.bias, state, out.y + b * p.units, [&](int32_t i) {
      return latest(scratch.row, range, tables.features + i * p.depth, p.depth, scale);
    });
  }
}

}  // namespace opsmith::svdf::f32x8
