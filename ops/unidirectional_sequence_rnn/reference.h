// RNN of float32, the definition (RnnBatchStep in
// tensorflow/lite/kernels/internal/kernel_utils.cc), whose sums are added in four lanes.
#pragma once

#include "runtimes/core/lane_dot.h"
#include "runtimes/core/real_bounds.h"
#include "runtimes/core/vector_functions.h"
#include "unidirectional_sequence_rnn.op.h"

namespace opsmith::unidirectional_sequence_rnn {

// One step of one batch: y from x and the previous output h.
template <class P>
void step(const P& p, const float* x, const float* h, float* y, const Tables& tables) {
  for (int32_t i = 0; i < p.units; ++i) {
    const float of_x = lane_dot(tables.bias[i], x, tables.weights + i * p.depth, p.depth);
    const float sum = lane_dot(of_x, h, tables.recurrent + i * p.units, p.units);
    y[i] = p.tanh ? vector_hyperbolic_tangent(sum) : bounded(p, sum);
  }
}

template <class P, class In, class Out>
void reference(const P& p, const In& in, const Out& out, const Tables& tables) {
  for (int32_t batch = 0; batch < p.batches; ++batch) {
    float* h = in.state + batch * p.units;
    for (int32_t t = 0; t < p.steps; ++t) {
      const int32_t row = p.time_major ? t * p.batches + batch : batch * p.steps + t;
      float* y = out.y + row * p.units;
      step(p, in.x + row * p.depth, h, y, tables);
      for (int32_t i = 0; i < p.units; ++i) h[i] = y[i];
    }
  }
}

}  // namespace opsmith::unidirectional_sequence_rnn
