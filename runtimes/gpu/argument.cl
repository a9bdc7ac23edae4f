// Where along an axis the best element is: argument.h in OpenCL C. Work-items share an axis.

#define GREATER_ONE(element, best) ((element) > (best))
#define LESSER_ONE(element, best) ((element) < (best))
// Whether an element is to be taken instead of one before it; a NaN is only better than none.
#define REPLACES(element, best) (F(element, best) || ((best) != (best) && (element) == (element)))

#ifdef argument
INLINE void argument(const AxisSplit p, const __global T* x, __global U* y, __local T* bests,
                     __local int* places) {
  const int i = get_global_id(0);
  const int across = get_local_size(0);
  const int part = get_local_id(1);
  const int me = part * across + get_local_id(0);
  const bool inside = i < p.outer * p.inner;
  if (inside) {
    const __global T* first = x + i / p.inner * p.depth * p.inner + i % p.inner;
    T best = first[part * p.inner];
    int at = part;
    for (int k = part + get_local_size(1); k < p.depth; k += get_local_size(1)) {
      const T element = first[k * p.inner];
      if (REPLACES(element, best)) {
        best = element;
        at = k;
      }
    }
    bests[me] = best;
    places[me] = at;
  }
  for (int count = get_local_size(1) / 2; count > 0; count /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside && part < count) {
      const T mine = bests[me];
      const int other = me + count * across;
      const T theirs = bests[other];
      const bool equal = !REPLACES(theirs, mine) && !REPLACES(mine, theirs);
      if (REPLACES(theirs, mine) || (equal && places[other] < places[me])) {
        bests[me] = theirs;
        places[me] = places[other];
      }
    }
  }
  if (inside && part == 0) y[i] = places[me];
}
#endif
