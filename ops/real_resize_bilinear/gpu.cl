// RealResizeBilinear of int8, by the definition in reference.h: an element of y for each work-item.
#include "runtimes/core/even_quotient.cl"

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int i = get_global_id(0);
  const int batch = i / p.channels / p.y_size[1] / p.y_size[0];
  if (batch >= p.batches) return;
  const LinearPlace column = tables.columns[i / p.channels % p.y_size[1]];
  const LinearPlace row = tables.rows[i / p.channels / p.y_size[1] % p.y_size[0]];
  const __global int8_t* x = in.x + i % p.channels;
  const int upper = (batch * p.x_size[0] + row.low) * p.x_size[1];
  const int lower = (batch * p.x_size[0] + row.high) * p.x_size[1];
  const int top = x[(upper + column.low) * p.channels] * (p.one_across - column.beyond) +
                  x[(upper + column.high) * p.channels] * column.beyond;
  const int bottom = x[(lower + column.low) * p.channels] * (p.one_across - column.beyond) +
                     x[(lower + column.high) * p.channels] * column.beyond;
  const int sum = top * (p.one_down - row.beyond) + bottom * row.beyond;
  const int one = p.one_down * p.one_across;
  out.y[i] = (int8_t)(even_quotient(sum - one * p.zero_point, one) + p.zero_point);
}
