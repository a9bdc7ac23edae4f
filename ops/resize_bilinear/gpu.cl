// ResizeBilinear of int8 and int16, by the definition in reference.h: an element of y each. Places
// are in 1/1024 pixels.

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  const int column = i / p.channels % p.y_size[1];
  const int row = i / p.channels / p.y_size[1] % p.y_size[0];
  const int batch = i / p.channels / p.y_size[1] / p.y_size[0];
  if (batch >= p.batches) return;
  const int unit = 1024;
  const int y_at = row * p.scale[0] + (p.half_pixel_centers ? p.scale[0] / 2 - unit / 2 : 0);
  const int x_at = column * p.scale[1] + (p.half_pixel_centers ? p.scale[1] / 2 - unit / 2 : 0);
  const int top = max(y_at, 0) / unit;
  const int left = max(x_at, 0) / unit;
  const int bottom = min((y_at + unit - 1) / unit, p.x_size[0] - 1);
  const int right = min((x_at + unit - 1) / unit, p.x_size[1] - 1);
  const int down = y_at - top * unit;
  const int across = x_at - left * unit;
  const __global T* x = in.x + i % p.channels;
  const int upper = (batch * p.x_size[0] + top) * p.x_size[1];
  const int lower = (batch * p.x_size[0] + bottom) * p.x_size[1];
  const SUM sum = (SUM)x[(upper + left) * p.channels] * ((unit - down) * (unit - across)) +
                  (SUM)x[(lower + left) * p.channels] * (down * (unit - across)) +
                  (SUM)x[(upper + right) * p.channels] * ((unit - down) * across) +
                  (SUM)x[(lower + right) * p.channels] * (down * across);
  out.y[i] = (T)((sum - (sum < 0) + unit * unit / 2) >> 20);
}
