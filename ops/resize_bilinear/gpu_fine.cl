// ResizeBilinear of int8 between places in units of 1/2048 pixel, by the definition in fine.h: an
// element of y for each work-item.

void gpu_fine(const FineParams p, const In in, const Out out, const FineTables tables) {
  const int i = get_global_id(0);
  const int batch = i / p.channels / p.y_size[1] / p.y_size[0];
  if (batch >= p.batches) return;
  const FinePlace column = tables.columns[i / p.channels % p.y_size[1]];
  const FinePlace row = tables.rows[i / p.channels / p.y_size[1] % p.y_size[0]];
  const int fine = 2048;  // of a pixel
  const __global int8_t* x = in.x + i % p.channels;
  const int upper = (batch * p.x_size[0] + row.low) * p.x_size[1];
  const int lower = (batch * p.x_size[0] + row.high) * p.x_size[1];
  const int top = x[(upper + column.low) * p.channels] * (fine - column.beyond) +
                  x[(upper + column.high) * p.channels] * column.beyond;
  const int bottom = x[(lower + column.low) * p.channels] * (fine - column.beyond) +
                     x[(lower + column.high) * p.channels] * column.beyond;
  const int sum = top * (fine - row.beyond) + bottom * row.beyond;
  out.y[i] = (int8_t)((sum + fine * fine / 2) >> 22);
}
