// SVDF of float32, by the definition in reference.h: a unit of y for each work-item, which alone
// reads and moves the memory of its filters.
#include "ops/svdf/four_lanes.cl"

#define FEATURE(k) features[k] * x[k]
#define MOMENT(k) time[k] * memory[k]
#define FILTERED(k) filtered(p, in, tables, i, k)

// The product of filter k of unit i over time, once its memory has moved.
INLINE __attribute__((overloadable)) float filtered(const Params p, const In in,
                                                    const Tables tables, int i, int k) {
  const int filter = i % p.units * p.rank + k;
  const __global float* x = in.x + i / p.units * p.depth;
  const __global float* features = tables.features + filter * p.depth;
  const __global float* time = tables.time + filter * p.memory;
  __global float* memory = in.state + (i * p.rank + k) * p.memory;
  float sum;
  SUM_BY_FOUR(sum, p.depth, FEATURE)
  append(memory, p.memory, sum);
  SUM_BY_FOUR(sum, p.memory, MOMENT)
  return sum;
}

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int i = get_global_id(0);
  if (i >= p.batches * p.units) return;
  float y;
  SUM_BY_FOUR(y, p.rank, FILTERED)
  y += tables.bias[i % p.units];
  ACTIVATED(p, y)
  out.y[i] = y;
}

#undef FEATURE
#undef MOMENT
#undef FILTERED
