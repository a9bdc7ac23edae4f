// QuantizeEven, by the definition in reference.h: an element of y for each work-item.
#include "runtimes/core/division.cl"

void gpu(const EvenQuantization p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const float scaled = p.multiplied ? in.x[i] * p.y_scale : divided(in.x[i], p.y_scale);
  const float within = scaled > p.least ? min(scaled, p.most) : p.least;  // the least of NaN
  out.y[i] = (int8_t)((int)rint(within) + p.y_zero_point);
}
