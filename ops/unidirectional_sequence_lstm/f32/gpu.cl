// LSTM of float32, by the definition in reference.h: a group of work-items for each batch, which
// share the cells of a step.
#include "ops/unidirectional_sequence_lstm/real_gates.cl"
#include "runtimes/core/matrix_dot.cl"

#define PRODUCTS(which, a, weights, depth) \
  matrix_dot(together, p.cells, depth, b, cell, a, weights + ((which) * p.cells + cell) * depth)
#define OF_X(which) \
  (PRODUCTS(which, x, tables.weights, p.depth) + tables.bias[(which) * p.cells + cell])
#define GATE(which) (PRODUCTS(which, h, tables.recurrent, p.cells) + OF_X(which))

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int b = get_group_id(0);
  const int together = p.time_major ? p.batches : 1;  // rows of a product of LiteRT's
  __global float* h = in.output_state + b * p.cells;
  __global float* cells = in.cell_state + b * p.cells;
  for (int t = 0; t < p.steps; ++t) {
    const int row = p.time_major ? t * p.batches + b : b * p.steps + t;
    const __global float* x = in.x + row * p.depth;
    __global float* y = out.y + row * p.cells;
    for (int cell = get_local_id(0); cell < p.cells; cell += get_local_size(0)) {
      MOVED_CELL(p, b, cell, cells[cell], y[cell], GATE)
    }
    barrier(CLK_GLOBAL_MEM_FENCE);  // all have read the previous output
    for (int cell = get_local_id(0); cell < p.cells; cell += get_local_size(0)) h[cell] = y[cell];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

#undef PRODUCTS
#undef OF_X
#undef GATE
