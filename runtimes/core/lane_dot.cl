// Dot products of float32 in four lanes, in the order in which LiteRT adds them: lane_dot.h in
// OpenCL C.

// The sums of products in each lane, of all whole fours of elements.
INLINE float4 lane_products(const __global float* a, const __global float* b, int count) {
  float4 lanes = 0;
  for (int i = 0; i + 4 <= count; i += 4) lanes += vload4(0, a + i) * vload4(0, b + i);
  return lanes;
}

// `start` plus the products of the elements from the first on.
INLINE float with_products(float start, const __global float* a, const __global float* b, int first,
                           int count) {
  for (int i = first; i < count; ++i) start += a[i] * b[i];
  return start;
}

// `start`, plus the lanes from the first to the last, plus the products of the other elements.
INLINE float lane_dot(float start, const __global float* a, const __global float* b, int count) {
  const float4 lanes = lane_products(a, b, count);
  const float sum = start + (((lanes.s0 + lanes.s1) + lanes.s2) + lanes.s3);
  return with_products(sum, a, b, count & ~3, count);
}

// Lanes in pairs, plus the products of the other elements: Eigen's matrix by vector.
INLINE float paired_lane_dot(const __global float* a, const __global float* b, int count) {
  const float4 lanes = lane_products(a, b, count);
  const float sum = (lanes.s0 + lanes.s2) + (lanes.s1 + lanes.s3);
  return with_products(sum, a, b, count & ~3, count);
}
