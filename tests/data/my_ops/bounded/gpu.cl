// Bounded on a GPU: an element for each work-item.

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i < p.elements) out.y[i] = clamp((int)in.x[i], p.low, p.high);
}
