// ResizeBilinear of float32 and uint8, by the definition in reference.h: an element of y each.

void gpu_floats(const RealParams p, const In in, const Out out) {
  const int i = get_global_id(0);
  const int column = i / p.channels % p.y_size[1];
  const int row = i / p.channels / p.y_size[1] % p.y_size[0];
  const int batch = i / p.channels / p.y_size[1] / p.y_size[0];
  if (batch >= p.batches) return;
  const float y_at =
      p.half_pixel_centers ? ((float)row + 0.5f) * p.scale[0] - 0.5f : (float)row * p.scale[0];
  const float x_at = p.half_pixel_centers ? ((float)column + 0.5f) * p.scale[1] - 0.5f
                                          : (float)column * p.scale[1];
  const int top = (int)y_at;
  const int left = (int)x_at;
  const int bottom = min(top + (y_at > (float)top ? 1 : 0), p.x_size[0] - 1);
  const int right = min(left + (x_at > (float)left ? 1 : 0), p.x_size[1] - 1);
  const float down = y_at - (float)top;
  const float across = x_at - (float)left;
  const __global T* x = in.x + i % p.channels;
  const int upper = (batch * p.x_size[0] + top) * p.x_size[1];
  const int lower = (batch * p.x_size[0] + bottom) * p.x_size[1];
  const float sum = (float)x[(upper + left) * p.channels] * (1.0f - down) * (1.0f - across) +
                    (float)x[(lower + left) * p.channels] * down * (1.0f - across) +
                    (float)x[(upper + right) * p.channels] * (1.0f - down) * across +
                    (float)x[(lower + right) * p.channels] * down * across;
  out.y[i] = (T)(sum + ROUNDING);
}
