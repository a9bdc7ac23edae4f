// FloorMod of integers, by the definition in reference.h.
#include "runtimes/core/broadcast.cl"

void gpu(const Pairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const T a = in.a[BROADCAST(p, a_stride, i)];
  const T b = in.b[BROADCAST(p, b_stride, i)];
  const T rest = b == 0 || b == -1 ? 0 : a % b;
  out.y[i] = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
