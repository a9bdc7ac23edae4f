// LSTM of int8, by the definition in reference.h: a group of work-items for each batch, which share
// the cells of a step.
#include "ops/unidirectional_sequence_lstm/gates.cl"
#include "runtimes/core/fixed_activation.cl"

#define OF_X(which)                                                                         \
  multiply_by_quantized_multiplier(                                                         \
      tables.bias[(which) * p.cells + cell] +                                               \
          gate_products(x, tables.weights + ((which) * p.cells + cell) * p.depth, p.depth), \
      p.x_multiplier[which], p.x_shift[which])
#define OF_H(which)                                                                           \
  multiply_by_quantized_multiplier(                                                           \
      tables.recurrent_bias[(which) * p.cells + cell] +                                       \
          gate_products(h, tables.recurrent + ((which) * p.cells + cell) * p.cells, p.cells), \
      p.h_multiplier[which], p.h_shift[which])
#define GATE(which) halfword(halfword(OF_X(which)) + OF_H(which))  // in Q3.12

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int b = get_group_id(0);
  __global int8_t* h = in.output_state + b * p.cells;
  __global int16_t* cells = in.cell_state + b * p.cells;
  for (int t = 0; t < p.steps; ++t) {
    const int row = p.time_major ? t * p.batches + b : b * p.steps + t;
    const __global int8_t* x = in.x + row * p.depth;
    __global int8_t* y = out.y + row * p.cells;
    for (int cell = get_local_id(0); cell < p.cells; cell += get_local_size(0)) {
      const int forget = fixed_logistic(GATE(FORGET));
      const int update = p.coupled ? SHRT_MAX - forget : fixed_logistic(GATE(INPUT));
      const int candidate = fixed_tanh(GATE(CELL), 3);
      const int kept = rounding_divide_by_pot(forget * cells[cell], 15);
      const int added = rounding_divide_by_pot(update * candidate, 15 + p.cell_bits);
      const int sum = halfword(kept + added);
      const int state = p.cell_clip > 0 ? clamp(sum, -p.cell_clip, p.cell_clip) : sum;
      const int product = fixed_logistic(GATE(OUTPUT)) * fixed_tanh(state, p.cell_bits);
      const int scaled = multiply_by_quantized_multiplier(product, p.y_multiplier, p.y_shift);
      cells[cell] = (int16_t)state;
      y[cell] = (int8_t)clamp(scaled + p.y_zero_point, -128, 127);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);  // all have read the previous output
    for (int cell = get_local_id(0); cell < p.cells; cell += get_local_size(0)) h[cell] = y[cell];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

#undef OF_X
#undef OF_H
#undef GATE
