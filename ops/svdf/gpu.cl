// SVDF of int8, by the definition in reference.h: a unit of y for each work-item, which alone reads
// and moves the memory of its filters.
#include "runtimes/core/fixed_point.cl"

void gpu(const Params p, const In in, const Out out, const CONSTANTS tables) {
  const int i = get_global_id(0);
  if (i >= p.batches * p.units) return;
  const int unit = i % p.units;
  const __global T* x = in.x + i / p.units * p.depth;
  __global S* memory = in.state + i * p.rank * p.memory;
  const int zero_point = sizeof(S) == 1 ? p.state_zero_point : 0;
  uint sum = (uint)tables.bias[unit];
  for (int filter = unit * p.rank; filter < (unit + 1) * p.rank; ++filter) {
    const __global int8_t* features = tables.features + filter * p.depth;
    const __global S* time = tables.time + filter * p.memory;
    int latest = 0;
    for (int k = 0; k < p.depth; ++k) latest += (x[k] - p.x_zero_point) * features[k];
    latest = multiply_by_quantized_multiplier(latest, p.state_multiplier, p.state_shift);
    latest = clamp(latest, LEAST - zero_point, MOST - zero_point) + zero_point;
    for (int k = 0; k < p.memory; ++k) {
      memory[k] = k + 1 < p.memory ? memory[k + 1] : (S)latest;
      sum += (uint)((memory[k] - zero_point) * time[k]);
    }
    memory += p.memory;
  }
  const int scaled = multiply_by_quantized_multiplier((int)sum, p.y_multiplier, p.y_shift);
  out.y[i] = (T)clamp(scaled + p.y_zero_point, -128, 127);
}
