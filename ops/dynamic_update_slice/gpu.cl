// DynamicUpdateSlice of elements as wide as T, by the definition in reference.h: an element of y
// each.
#include "runtimes/core/indices.cl"

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.bytes / (int)sizeof(T)) return;
  int rest = i * (int)sizeof(T);
  int from = 0;
  bool inside = true;
  for (int axis = 8 - p.rank; axis < 8; ++axis) {
    const int number = axis - (8 - p.rank);
    const int size = axis == 7 ? p.row / (int)sizeof(T) : p.size[axis];
    const int start = index_within(in.start, p.width, number, p.room[axis] + 1);
    const int at = rest / p.step[axis] - start;
    rest %= p.step[axis];
    inside = inside && at >= 0 && at < size;
    from = from * size + at;
  }
  ((__global T*)out.y)[i] =
      inside ? ((const __global T*)in.update)[from] : ((const __global T*)in.x)[i];
}
