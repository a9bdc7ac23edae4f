// FloorDiv of integers, by the definition in reference.h.
#include "runtimes/core/broadcast.cl"

void gpu(const Pairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int a = in.a[BROADCAST(p, a_stride, i)];
  const int b = in.b[BROADCAST(p, b_stride, i)];
  const int divisor = b == 0 || b == -1 ? 1 : b;  // what is computed otherwise
  const int whole = a / divisor - (a % divisor != 0 && (a < 0) != (divisor < 0) ? 1 : 0);
  out.y[i] = (T)(b == 0 ? 0 : b == -1 ? (int)(0u - (uint)a) : whole);
}
