// BatchToSpaceND of elements as wide as T, by the definition in reference.h: an element of y each.

void gpu(const BlockParams p, const In in, const Out out) {
  const int i = get_global_id(0);
  const int pixel = p.pixel / (int)sizeof(T);
  const int across = i / pixel % p.y_size[1] + p.before[1];
  const int down = i / pixel / p.y_size[1] % p.y_size[0] + p.before[0];
  const int batch = i / pixel / p.y_size[1] / p.y_size[0];
  if (batch >= p.batches) return;
  const int position = down % p.block[0] * p.block[1] + across % p.block[1];
  const int row = (position * p.batches + batch) * p.x_size[0] + down / p.block[0];
  const int from = row * p.x_size[1] + across / p.block[1];
  ((__global T*)out.y)[i] = ((const __global T*)in.x)[from * pixel + i % pixel];
}
