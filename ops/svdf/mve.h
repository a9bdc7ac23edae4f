// Needs Helium. Fast because the features of four filters are multiplied at a time, and the memory
// of a filter moves and meets its weights eight elements at a time.
#pragma once

#include "ops/svdf/output.h"
#include "runtimes/cmsis/mve_rows.h"
#include "svdf.op.h"

namespace opsmith::svdf {

// Moves the memory of a filter up by one, appends the latest element and returns the product with
// the weights over time.
inline uint32_t moved_by_vectors(int16_t* memory, const int16_t* time, int32_t size,
                                 int32_t latest) {
  int32_t sum = 0, left = size - 1;
  for (; left > 0; left -= 8, memory += 8, time += 8) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(left));
    const int16x8_t next = vldrhq_z_s16(memory + 1, some);
    vstrhq_p_s16(memory, next, some);
    sum = vmladavaq_s16(sum, next, vldrhq_z_s16(time, some));
  }
  memory[left] = static_cast<int16_t>(latest);
  return static_cast<uint32_t>(sum) + static_cast<uint32_t>(latest * time[left]);
}

template <class P>
void mve(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
         const MveTables& tables) {
  const int32x4_t low = vdupq_n_s32(INT16_MIN), high = vdupq_n_s32(INT16_MAX);
  int16_t* memory = in.state;
  Units<P> units = {p, tables.bias, out.y};
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* features = tables.features;
    const int16_t* time = tables.time;
    units.bias = tables.bias;
    for (int32_t first = 0; first < p.units * p.rank; first += 4) {
      int32x4_t sums;
      features = mve::dot_products(in.x + b * p.depth, features, p.tail, p.full_steps, sums);
      sums = vaddq_s32(sums, vldrwq_s32(tables.feature_bias + first));
      sums = mve::requantize(sums, vdupq_n_s32(p.state_multiplier), vdupq_n_s32(p.state_shift));
      int32_t latest[4];
      vstrwq_s32(latest, vminq_s32(vmaxq_s32(sums, low), high));
      for (int32_t i = 0; i < min(p.units * p.rank - first, 4); ++i) {
        units.add(moved_by_vectors(memory, time, p.memory, latest[i]));
        memory += p.memory;
        time += p.memory;
      }
    }
  }
}

}  // namespace opsmith::svdf
