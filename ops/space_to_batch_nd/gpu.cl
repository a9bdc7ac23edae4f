// SpaceToBatchND of elements as wide as T, by the definition in reference.h: an element of y each.

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  const int pixel = p.pixel / (int)sizeof(T);
  const int column = i / pixel % p.y_size[1];
  const int row = i / pixel / p.y_size[1] % p.y_size[0];
  const int image = i / pixel / p.y_size[1] / p.y_size[0];
  const int position = image / p.batches;
  if (position >= p.block[0] * p.block[1]) return;
  const int down = row * p.block[0] + position / p.block[1] - p.before[0];
  const int across = column * p.block[1] + position % p.block[1] - p.before[1];
  const bool inside = down >= 0 && down < p.x_size[0] && across >= 0 && across < p.x_size[1];
  const int from = (image % p.batches * p.x_size[0] + down) * p.x_size[1] + across;
  ((__global T*)out.y)[i] =
      inside ? ((const __global T*)in.x)[from * pixel + i % pixel] : (T)p.border;
}
