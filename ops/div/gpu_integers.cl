// Div of int32, by the definition in reference.h.
#include "runtimes/core/broadcast.cl"

void gpu_integers(const IntegerPairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int a = in.a[BROADCAST(p, a_stride, i)];
  const int b = in.b[BROADCAST(p, b_stride, i)];
  const int whole = b == 0 || b == -1 ? 0 : a / b;
  const int y = b == -1 ? (a == INT_MIN ? INT_MAX : -a) : whole;
  out.y[i] = clamp(y, p.activation_min, p.activation_max);
}
