// EmbeddingLookup of a table of int8 whose rows become float32, by the definition in reference.h.
#include "runtimes/core/indices.cl"

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int i = get_global_id(0);
  if (i >= p.tuples * p.row) return;
  const int at = index_within(in.indices, sizeof(int), i / p.row, p.positions);
  out.y[i] = (float)in.x[at * p.row + i % p.row] * tables.scale[p.scales > 1 ? at : 0];
}
