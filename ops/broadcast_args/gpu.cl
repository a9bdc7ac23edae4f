// BroadcastArgs, by the definition in reference.h.

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  const int rank = max(p.a_rank, p.b_rank);
  if (i >= rank) return;
  const int of_a = i - (rank - p.a_rank);
  const int of_b = i - (rank - p.b_rank);
  const int a = of_a < 0 ? 1 : (int)in.a[of_a];
  const int b = of_b < 0 ? 1 : (int)in.b[of_b];
  out.y[i] = a == 1 ? b : a;
}
