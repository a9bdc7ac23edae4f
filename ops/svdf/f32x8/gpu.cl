// SVDF of float32 by int8 weights, by the definition in reference.h: a unit of y for each
// work-item, which alone reads and moves the memory of its filters. A group finds the range of its
// row of x.
#include "ops/svdf/four_lanes.cl"
#include "runtimes/core/dynamic_range.cl"

#define MOMENT(k) time[k] * p.time_scale* memory[k]
#define FILTERED(k) filtered(p, in, tables, range, i, k)

// The product of filter k of unit i over time, once its memory has moved.
INLINE __attribute__((overloadable)) float filtered(const Params p, const In in,
                                                    const Tables tables, const DynamicRange range,
                                                    int i, int k) {
  const int filter = i % p.units * p.rank + k;
  const __global float* x = in.x + i / p.units * p.depth;
  const __global int8_t* features = tables.features + filter * p.depth;
  const __global int8_t* time = tables.time + filter * p.memory;
  __global float* memory = in.state + (i * p.rank + k) * p.memory;
  int products = 0;
  for (int at = 0; at < p.depth; ++at) products += dynamic_element(range, x[at]) * features[at];
  append(memory, p.memory, (float)products * (range.scale * p.features_scale));
  float sum;
  SUM_BY_FOUR(sum, p.memory, MOMENT)
  return sum;
}

void gpu(const Params p, const In in, const Out out, const Tables tables,
         const Local local_memory) {
  const int groups = (p.units + get_local_size(0) - 1) / get_local_size(0);  // of a batch
  const int b = get_group_id(0) / groups;
  const int unit = get_group_id(0) % groups * get_local_size(0) + get_local_id(0);
  DynamicRange range;
  range_of(in.x + b * p.depth, p.depth, p.asymmetric_quantize_inputs, local_memory.shared, &range);
  if (unit >= p.units) return;
  const int i = b * p.units + unit;
  float y;
  SUM_BY_FOUR(y, p.rank, FILTERED)
  y += tables.bias[unit];
  ACTIVATED(p, y)
  out.y[i] = y;
}

#undef MOMENT
#undef FILTERED
