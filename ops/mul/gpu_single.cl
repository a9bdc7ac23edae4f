// Mul of int8 in single precision, by the definition in single.h: an element of y for each
// work-item.
#include "runtimes/core/broadcast.cl"

void gpu_single(const SinglePairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int a = in.a[BROADCAST(p, a_stride, i)] - p.a_zero_point;
  const int b = in.b[BROADCAST(p, b_stride, i)] - p.b_zero_point;
  const float value = (float)a * p.a_scale;
  const float square = value * value * p.inverse + (float)p.y_zero_point;
  const float product = rint((float)(a * b) * p.factor) + (float)p.y_zero_point;
  const float y = p.squares ? rint(square) : product;
  out.y[i] = (T)clamp(y, (float)p.activation_min, (float)p.activation_max);
}
