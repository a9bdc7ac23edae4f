// Softmax of bytes, by the definition in reference.h: a group of work-items for each row.
#include "runtimes/core/groups.cl"
#include "runtimes/core/reciprocal.cl"

void gpu(const ByteRows p, const In in, const Out out, const Tables tables,
         const Local local_memory) {
  const int sum_bits = 12;  // integer bits of a sum of exponentials, Q12.19
  const int lane = get_local_id(0);
  const int lanes = get_local_size(0);
  const __global T* x = in.x + get_group_id(0) * p.depth;
  __global U* y = out.y + get_group_id(0) * p.depth;
  int largest = INT_MIN;
  for (int i = lane; i < p.depth; i += lanes) largest = max(largest, (int)x[i]);
  largest = largest_of_group(largest, local_memory.shared);
  int sum = 0;
  for (int i = lane; i < p.depth; i += lanes) {
    sum += rounding_divide_by_pot(tables.exponential[min(largest - x[i], p.farthest)], sum_bits);
  }
  sum = sum_of_group(sum, local_memory.shared);
  // sum = (1 + fraction) * 2^(31 - zeros)
  const int zeros = clz(sum);
  const uint fraction = ((uint)sum << zeros) - (1u << 31);
  const int multiplier = reciprocal_of_one_plus((int)fraction);
  const int exponent = sum_bits - zeros + 31 - 8 * (int)sizeof(U);
  for (int i = lane; i < p.depth; i += lanes) {
    const int found = tables.exponential[min(largest - x[i], p.farthest)];
    const int product = doubling_high_mul(multiplier, found);
    // Above 31 every share rounds to zero.
    const int share = exponent > 31 ? 0 : rounding_divide_by_pot(product, exponent);
    y[i] = (U)min(share + LEAST, MOST);
  }
}
