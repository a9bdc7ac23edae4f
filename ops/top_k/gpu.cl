// TopK, by the definition in reference.h: an element of x each, which counts those that come before
// it.

#define LARGER(a, b) ((a) > (b) || ((b) != (b) && (a) == (a)))

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.rows * p.depth) return;
  const __global T* row = in.x + i / p.depth * p.depth;
  const int mine = i % p.depth;
  const T x = row[mine];
  int place = 0;
  for (int j = 0; j < p.depth && place < p.k; ++j) {
    const T other = row[j];
    place += LARGER(other, x) || (j < mine && !LARGER(x, other));
  }
  if (place >= p.k) return;
  out.values[i / p.depth * p.k + place] = x;
  out.indices[i / p.depth * p.k + place] = mine;
}
