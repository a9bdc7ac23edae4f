// BatchMatMul of float32 by int8, by the definition in reference.h: a group of work-items for each
// row of a that y meets, which quantise it and share the columns of b.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/dynamic_range.cl"

// The sum of (q - zero_point) * b; the part of the zero point is taken out in single precision.
INLINE int lifted_sum(int depth, const __global int8_t* q, int zero_point,
                      const __global int8_t* column, int step) {
  int sum = 0;
  int column_sum = 0;
  for (int k = 0; k < depth; ++k) {
    const int b = column[k * step];
    sum += q[k] * b;
    column_sum += b;
  }
  const float offset = (float)column_sum * (float)zero_point;
  return (int)((float)sum - offset);
}

void gpu(const GpuParams p, const In in, const Out out, const GpuScratch scratch,
         const Local local_memory) {
  const int first = get_group_id(0) * p.columns;
  const __global float* row = in.a + BROADCAST(p, a_stride, first);
  __global int8_t* quantised = scratch.quantised + get_group_id(0) * p.depth;
  DynamicRange range;
  quantise_every(p.a_step, row, p.depth, true, local_memory.shared, &range, quantised);
  for (int i = first + get_local_id(0); i < first + p.columns; i += get_local_size(0)) {
    const __global int8_t* column = in.b + BROADCAST(p, b_stride, i);
    const int sum = lifted_sum(p.depth, quantised, range.zero_point, column, p.b_step);
    out.y[i] = 0.0f + range.scale * p.b_scale * (float)sum;  // never -0
  }
}
