// Pow of int32, by the definition in reference.h.
#include "runtimes/core/broadcast.cl"

void gpu(const PowerPairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int base = in.a[BROADCAST(p, a_stride, i)];
  const int exponent = in.b[BROADCAST(p, b_stride, i)];
  const bool wraps = p.single || (base >= -1 && base <= 1);
  uint wrapped = 1;
  uint square = (uint)base;
  for (int rest = max(exponent, 0); rest != 0; rest >>= 1, square *= square) {
    if (rest & 1) wrapped *= square;
  }
  // The power, or the least int32 where none holds it.
  long limited = 1;
  for (int n = 0; n < exponent && !wraps && limited != INT_MIN; ++n) {
    limited *= base;
    if (limited > INT_MAX || limited < INT_MIN) limited = INT_MIN;
  }
  out.y[i] = exponent < 0 ? 0 : wraps ? (int)wrapped : (int)limited;
}
