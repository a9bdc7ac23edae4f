// Pad of elements as wide as T, by the definition in reference.h: an element of y each.

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  int rest = i;
  int from = 0;
  int stride = 1;
  bool inside = true;
  for (int axis = 4; axis >= 0; --axis) {
    const int unit = axis == 4 ? (int)sizeof(T) : 1;
    const int x_size = p.x_size[axis] / unit;
    const int y_size = p.y_size[axis] / unit;
    const int at = rest % y_size - p.before[axis] / unit;
    inside = inside && at >= 0 && at < x_size;
    from += at * stride;
    stride *= x_size;
    rest /= y_size;
  }
  if (rest > 0) return;
  const T border = (T)((ulong)(uint)p.value[1] << 32 | (uint)p.value[0]);
  ((__global T*)out.y)[i] = inside ? ((const __global T*)in.x)[from] : border;
}
