// LSTM of int16 by weights of int8, by the definition in reference.h: a group of work-items for
// each batch, which share the cells of a step.
#include "ops/unidirectional_sequence_lstm/gates.cl"
#include "runtimes/core/rescaling.cl"
#include "runtimes/core/sigmoid.cl"

#define OF_X(which)                                                                         \
  by_halfword(                                                                              \
      tables.bias[(which) * p.cells + cell] +                                               \
          gate_products(x, tables.weights + ((which) * p.cells + cell) * p.depth, p.depth), \
      p.x_multiplier[which], p.x_shift[which])
#define OF_H(which)                                                                               \
  by_halfword(gate_products(h, tables.recurrent + ((which) * p.cells + cell) * p.cells, p.cells), \
              p.h_multiplier[which], p.h_shift[which])
// Where among the samples a gate is.
#define POSITION(which) (3 * halfword(halfword(OF_X(which)) + halfword(OF_H(which))))
#define PRODUCT(a, b, multiplier, shift) \
  halfword(multiply_by_quantized_multiplier((a) * (b), multiplier, shift))

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int b = get_group_id(0);
  const __global uint16_t* samples = tables.samples;
  __global int16_t* h = in.output_state + b * p.cells;
  __global int16_t* cells = in.cell_state + b * p.cells;
  for (int t = 0; t < p.steps; ++t) {
    const int row = p.time_major ? t * p.batches + b : b * p.steps + t;
    const __global int16_t* x = in.x + row * p.depth;
    __global int16_t* y = out.y + row * p.cells;
    for (int cell = get_local_id(0); cell < p.cells; cell += get_local_size(0)) {
      const int forget = logistic_at(POSITION(FORGET), samples);
      const int update = logistic_at(POSITION(INPUT), samples);
      const int candidate = tangent_at(POSITION(CELL), samples);
      const int kept = PRODUCT(forget, cells[cell], p.kept_multiplier, p.kept_shift);
      const int added = PRODUCT(update, candidate, p.added_multiplier, p.added_shift);
      const int sum = halfword(kept + added);
      const int state = p.cell_clip > 0 ? clamp(sum, -p.cell_clip, p.cell_clip) : sum;
      const int half_unit = (1 << p.cell_shift) >> 1;
      const int shown =
          tangent_at((state * p.cell_multiplier + half_unit) >> p.cell_shift, samples);
      const int shows = logistic_at(POSITION(OUTPUT), samples);
      cells[cell] = (int16_t)state;
      y[cell] = (int16_t)PRODUCT(shown, shows, p.y_multiplier, p.y_shift);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);  // all have read the previous output
    for (int cell = get_local_id(0); cell < p.cells; cell += get_local_size(0)) h[cell] = y[cell];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

#undef OF_X
#undef OF_H
#undef POSITION
#undef PRODUCT
