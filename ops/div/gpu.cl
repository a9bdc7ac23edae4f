// Div of quantised elements, by the definition in reference.h.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/reciprocal.cl"

void gpu(const Quotients p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int dividend = in.a[BROADCAST(p, a_stride, i)] - p.a_zero_point;
  const int divisor = in.b[BROADCAST(p, b_stride, i)] - p.b_zero_point;
  int y = 0;
  if (divisor != 0) {
    const int a = divisor < 0 ? -dividend : dividend;
    const int b = abs(divisor);
    const int above = clz(b);
    const int inverse = reciprocal_of_one_plus((int)((uint)b << above) & INT_MAX);
    const int headroom = clz(a < 0 ? ~a : a) - 1;
    const int unscaled = doubling_high_mul((int)((uint)a << headroom), inverse);
    const int scaled = doubling_high_mul(unscaled, p.multiplier);
    // scaled / 2^exponent, rounded; bits that C++ does not define, beyond 31, are as x86-64 has
    // them
    const int exponent = 31 - above + headroom - p.shift;
    const int mask = (int)((1ul << (exponent & 63)) - 1);
    const int threshold = (mask >> 1) + (scaled < 0 ? 1 : 0);
    y = (scaled >> (exponent & 31)) + ((scaled & mask) > threshold ? 1 : 0);
  }
  out.y[i] = (T)clamp(y + p.y_zero_point, p.activation_min, p.activation_max);
}
