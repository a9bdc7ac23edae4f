// What kernels of LSTM for floats share, by the definition in f32/reference.h.
#include "ops/unidirectional_sequence_lstm/gates.cl"
#include "runtimes/core/vector_functions.cl"
#include "runtimes/core/vector_logistic.cl"

// The function of the input, forget or output gate of a cell, which depends on its place in
// LiteRT's scratch buffer.
#define OPENED(p, which, b, cell, x) \
  opened(((which) == INPUT    ? 0    \
          : (which) == FORGET ? 2    \
                              : 3) - \
             p.coupled,              \
         p.time_major, p.batches, p.cells, b, cell, x)

INLINE float opened(int slot, bool time_major, int batches, int cells, int b, int cell, float x) {
  const int first = slot * batches * cells;
  const int begin = time_major ? first : first + b * cells;
  const int end = begin + (time_major ? batches * cells : cells);
  return logistic_in_place(x, begin, first + b * cells + cell, end);
}

// A state within a bound, which replaces NaN.
INLINE float bounded(float x, float bound) {
  const float most = x < bound ? x : bound;
  return most > -bound ? most : -bound;
}

// The output of a cell, whose state moves, from GATE(which): the gates before their functions.
#define MOVED_CELL(p, b, cell, state, y, GATE)                                             \
  {                                                                                        \
    const float forget = OPENED(p, FORGET, b, cell, GATE(FORGET));                         \
    const float update = p.coupled ? 1 - forget : OPENED(p, INPUT, b, cell, GATE(INPUT));  \
    const float candidate = vector_hyperbolic_tangent(GATE(CELL));                         \
    const float kept = forget * (state);                                                   \
    const float sum = kept + candidate * update;                                           \
    const float next = p.cell_clip > 0 ? bounded(sum, p.cell_clip) : sum;                  \
    y = OPENED(p, OUTPUT, b, cell, GATE(OUTPUT)) * vector_hyperbolic_tangent(next);        \
    state = next;                                                                          \
  }
