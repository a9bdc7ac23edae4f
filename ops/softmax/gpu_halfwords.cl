// Softmax of int16, by the definition in reference.h: a group of work-items for each row.
#include "runtimes/core/fixed_point.cl"
#include "runtimes/core/groups.cl"
#include "runtimes/core/straight_lines.cl"

void gpu_halfwords(const ScaledRows p, const In in, const Out out, const Lines tables,
                   const Local local_memory) {
  const int lane = get_local_id(0);
  const int lanes = get_local_size(0);
  const __global int16_t* x = in.x + get_group_id(0) * p.depth;
  __global int16_t* y = out.y + get_group_id(0) * p.depth;
  int largest = SHRT_MIN;
  for (int i = lane; i < p.depth; i += lanes) largest = max(largest, (int)x[i]);
  largest = largest_of_group(largest, local_memory.shared);
  int sum = 0;
  for (int i = lane; i < p.depth; i += lanes) {
    const int scaled = multiply_by_quantized_multiplier(x[i] - largest, p.multiplier, p.shift);
    const int at = scaled < SHRT_MIN - SHRT_MAX ? SHRT_MIN : min(scaled, 0) + SHRT_MAX;
    y[i] = interpolated(at, tables.exponential);
    sum += y[i];
  }
  sum = sum_of_group(sum, local_memory.shared);
  // sum = (1 + fraction) * 2^(31 - zeros); the table goes from 1 / (1 + 0) to 1 / (1 + 1).
  const int zeros = clz(sum);
  const int digits = (int)((((long)sum << (zeros - 1)) + (1 << 13)) >> 14);
  const int fraction = min(digits - (1 << 16), USHRT_MAX) + SHRT_MIN;
  const int multiplier = interpolated(fraction, tables.reciprocal);
  for (int i = lane; i < p.depth; i += lanes) {
    const int share = rounding_divide_by_pot(y[i] * multiplier, 31 - zeros);
    y[i] = (int16_t)min(share, SHRT_MAX);
  }
}
