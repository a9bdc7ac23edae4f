// FloorDiv of float32, by the definition in reference.h: divided in double precision. What has no
// fraction, infinities and NaN stay as they are.
#include "runtimes/core/binary64.cl"
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/division.cl"

// The largest integer that is not above x.
INLINE ulong rounded_down64(ulong x) {
  const int exponent = exponent64(x);
  if (is_zero64(x) || exponent >= 52) return x;
  const ulong fraction = exponent < 0 ? ~0ul >> 1 : (1ul << (52 - exponent)) - 1;
  const ulong towards_zero = exponent < 0 ? 0 : x & ~fraction;
  const bool below = sign64(x) && (x & fraction) != 0;
  return below ? sum64(towards_zero, 0xbff0000000000000ul) : towards_zero;
}

void gpu_floats(const Pairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const float a = in.a[BROADCAST(p, a_stride, i)];
  const float b = in.b[BROADCAST(p, b_stride, i)];
  if (isfinite(a) && isfinite(b) && b != 0) {
    out.y[i] = to_float64(rounded_down64(quotient64(from_float64(a), from_float64(b))));
  } else {
    out.y[i] = divided(a, b);
  }
}
