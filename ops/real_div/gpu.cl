// RealDiv, by the definition in reference.h: an element of y for each work-item.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/division.cl"

void gpu(const RealQuotients p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const float a = p.a_scale * (float)(in.a[BROADCAST(p, a_stride, i)] - p.a_zero_point);
  const float b = p.b_scale * (float)(in.b[BROADCAST(p, b_stride, i)] - p.b_zero_point);
  float steps = 0.0f;
  if (!p.of_elements) {
    steps = divided(divided(a, b), p.y_scale);
  } else if (b != 0.0f) {
    steps = divided(a, b) * p.y_scale;
  }
  // 512 steps saturate, whatever the zero point; NaN is the least element.
  const float within = steps > -512.0f ? min(steps, 512.0f) : -512.0f;
  const int y = (int)rint(within) + p.y_zero_point;
  out.y[i] = (T)clamp(y, p.activation_min, p.activation_max);
}
