// OneHot, by the definition in reference.h: an element of y each. Of an index of 64 bits the lower
// 32 count.

void gpu(const AxisSplit p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.outer * p.depth * p.inner) return;
  const int hot = (int)in.x[i / (p.depth * p.inner) * p.inner + i % p.inner];
  out.y[i] = hot == i / p.inner % p.depth ? in.on[0] : in.off[0];
}
