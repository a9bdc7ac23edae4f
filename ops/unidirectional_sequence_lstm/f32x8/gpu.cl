// LSTM of float32 by int8 weights, by the definition in reference.h: a group of work-items for each
// batch, which quantise what a step reads and share its cells.
#include "ops/unidirectional_sequence_lstm/real_gates.cl"
#include "runtimes/core/dynamic_range.cl"

// The products of a row of weights and quantised elements.
INLINE float dynamic_products(const __global int8_t* elements, const DynamicRange range,
                              const __global int8_t* weights, float scale, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += (elements[i] - range.zero_point) * weights[i];
  return (float)sum * (range.scale * scale);
}

#define OF_X(which)                                                                       \
  dynamic_products(elements, of_x, tables.weights + ((which) * p.cells + cell) * p.depth, \
                   tables.weights_scale[which], p.depth)
#define OF_H(which)                                                                     \
  dynamic_products(last, of_h, tables.recurrent + ((which) * p.cells + cell) * p.cells, \
                   tables.recurrent_scale[which], p.cells)
#define GATE(which) ((tables.bias[(which) * p.cells + cell] + OF_X(which)) + OF_H(which))

void gpu(const Params p, const In in, const Out out, const Tables tables, const GpuScratch scratch,
         const Local local_memory) {
  const int b = get_group_id(0);
  __global float* h = in.output_state + b * p.cells;
  __global float* cells = in.cell_state + b * p.cells;
  __global int8_t* elements = scratch.row + b * p.depth;
  __global int8_t* last = scratch.last + b * p.cells;
  for (int t = 0; t < p.steps; ++t) {
    const int row = p.time_major ? t * p.batches + b : b * p.steps + t;
    __global float* y = out.y + row * p.cells;
    DynamicRange of_x, of_h;
    quantise_every(1, in.x + row * p.depth, p.depth, p.asymmetric_quantize_inputs,
                   local_memory.shared, &of_x, elements);
    quantise_every(1, h, p.cells, p.asymmetric_quantize_inputs, local_memory.shared, &of_h, last);
    for (int cell = get_local_id(0); cell < p.cells; cell += get_local_size(0)) {
      MOVED_CELL(p, b, cell, cells[cell], y[cell], GATE)
      h[cell] = y[cell];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

#undef OF_X
#undef OF_H
#undef GATE
