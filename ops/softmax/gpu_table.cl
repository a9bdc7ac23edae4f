// Softmax of bytes by the table of table.h: a group of work-items for each row. One of them adds up
// the exponentials, whose order matters.
#include "runtimes/core/division.cl"
#include "runtimes/core/groups.cl"

void gpu_table(const TableRows p, const In in, const Out out, const RealTables tables,
               const Local local_memory) {
  const int lane = get_local_id(0);
  const int lanes = get_local_size(0);
  const __global T* x = in.x + get_group_id(0) * p.depth;
  __global T* y = out.y + get_group_id(0) * p.depth;
  float found = (float)LEAST;
  for (int i = lane; i < p.depth; i += lanes) found = fmax(found, (float)x[i]);
  const int largest = (int)largest_float_of_group(found, local_memory.shared);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) {
    float sum = 0;
    for (int i = 0; i < p.depth; ++i) sum += tables.exponential[largest - x[i]];
    local_memory.shared[0] = divided(1.0f, sum * p.y_scale);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float factor = local_memory.shared[0];
  for (int i = lane; i < p.depth; i += lanes) {
    const float share = tables.exponential[largest - x[i]] * factor + 0.5f;
    y[i] = (T)min((int)share + LEAST, MOST);
  }
}
