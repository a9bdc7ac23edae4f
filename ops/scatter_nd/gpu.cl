// ScatterND, by the definition in reference.h: an element of y each, to which the updates that lead
// to it are added in their order.
#include "runtimes/core/indices.cl"

#define EITHER(a, b) ((a) || (b))
#define REAL_SUM(a, b) ((a) + (b))
#define WRAPPING_SUM(a, b) ((T)((ulong)(a) + (ulong)(b)))

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  T sum = 0;
  for (int tuple = 0; tuple < p.tuples; ++tuple) {
    int at = 0;
    for (int axis = 0; axis < p.depth; ++axis) {
      const int size = p.size[axis];
      at = at * size + index_within(in.indices, p.width, tuple * p.depth + axis, size);
    }
    if (at == i / p.row) sum = SUM(sum, in.x[tuple * p.row + i % p.row]);
  }
  out.y[i] = sum;
}
