#line 1 "two_kernels.cl"
// As an emitter writes them: each argument is a buffer and an offset in it, in bytes.
#define GROUP 64

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void multiply_0(__global char* x, int x_at, __global char* y, int y_at, __global char* w,
                int w_at) {
  const __global char* in = x + x_at;
  __global int* out = (__global int*)(y + y_at);
  const __global char* factors = w + w_at;
  const int i = get_global_id(0);
  if (i < 100) out[i] = in[i] * factors[i % 10];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sum_0(__global char* y, int y_at, __global char* z, int z_at) {
  __local int partial[GROUP];
  const __global int* in = (const __global int*)(y + y_at);
  const int i = get_global_id(0), lane = get_local_id(0);
  partial[lane] = i < 100 ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int stride = GROUP / 2; stride > 0; stride /= 2) {
    if (lane < stride) partial[lane] += partial[lane + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) ((__global int*)(z + z_at))[get_group_id(0)] = partial[0];
}
