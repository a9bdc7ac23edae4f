// Pow of float32, by the definition in reference.h.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/real_clamp.cl"
#include "runtimes/core/real_power.cl"
#include "runtimes/core/rounding.cl"

// The integer that LiteRT takes a single exponent for, or 0.
INLINE int whole_exponent(float exponent) {
  if (!(exponent >= 0.5f && exponent < 0x1p31f)) return 0;
  const int whole = round_half_away(exponent);
  return fabs(exponent - (float)whole) < 1e-5f ? whole : 0;
}

// Products of floats, each finite or NaN; the exponent is at least 1.
INLINE float by_squaring(float base, int exponent) {
  float y = base;
  for (int bit = (1 << (31 - clz(exponent))) / 2; bit > 0; bit /= 2) {
    y = real_clamp(y * y, -FLT_MAX, FLT_MAX);
    if (exponent & bit) y = real_clamp(base * y, -FLT_MAX, FLT_MAX);
  }
  return y;
}

void gpu_floats(const PowerPairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const float base = in.a[BROADCAST(p, a_stride, i)];
  const float exponent = in.b[BROADCAST(p, b_stride, i)];
  const int whole = p.single ? whole_exponent(exponent) : 0;
  out.y[i] = whole != 0 ? by_squaring(base, whole) : real_power(base, exponent);
}
