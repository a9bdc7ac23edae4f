// LogSoftmax of bytes, by the definition in reference.h: a group of work-items for each row.
#include "runtimes/core/fixed_logarithm.cl"
#include "runtimes/core/groups.cl"

void gpu(const DifferenceRows p, const In in, const Out out, const Tables tables,
         const Local local_memory) {
  const int lane = get_local_id(0);
  const int lanes = get_local_size(0);
  const __global T* x = in.x + get_group_id(0) * p.depth;
  __global T* y = out.y + get_group_id(0) * p.depth;
  int largest = LEAST;
  for (int i = lane; i < p.depth; i += lanes) largest = max(largest, (int)x[i]);
  largest = largest_of_group(largest, local_memory.shared);
  int sum = 0;  // of exponentials, Q12.19
  for (int i = lane; i < p.depth; i += lanes) {
    sum += rounding_divide_by_pot(tables.exponential[largest - x[i]], 12);
  }
  const int logarithm = fixed_logarithm(sum_of_group(sum, local_memory.shared));
  const int farthest = multiply_by_quantized_multiplier((int)((uint)logarithm + (1u << 31)),
                                                        p.reverse_multiplier, p.reverse_shift);
  const int least = max(-p.farthest - 1, farthest);
  for (int i = lane; i < p.depth; i += lanes) {
    const int difference = x[i] - largest;
    const int scaled = multiply_by_quantized_multiplier(difference, p.multiplier, p.shift);
    const int share = rounding_divide_by_pot(scaled - logarithm, 22);  // Q5.26 to sixteenths
    y[i] = (T)(difference > least ? clamp(share + MOST, LEAST, MOST) : LEAST);
  }
}
