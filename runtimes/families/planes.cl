// Depthwise convolutions of int8, of filters of one channel each: four channels of a pixel for each
// work-item. Four inputs of each channel are multiplied together, which are turned to lie side by
// side.
#include "runtimes/core/dot.cl"
#include "runtimes/core/fixed_point.cl"

INLINE void planes(const PlanesParams p, const In in, const Out out, const PlanesTables tables) {
  const uint blocks = p.input_channels / 4;
  const uint i = get_global_id(0);
  if (i >= p.batches * p.output_height * p.output_width * blocks) return;
  const uint block = i % blocks;
  const uint pixel = i / blocks;
  const int left = (int)(pixel % p.output_width) * p.stride_width - p.padding_left;
  const int row = pixel / p.output_width;
  const int top = row % p.output_height * p.stride_height - p.padding_top;
  const int b = row / p.output_height;
  const __global int* image =
      (const __global int*)in.x + b * p.input_height * p.input_width * blocks + block;
  const __global int4* weights = (const __global int4*)tables.weights + block;
  const int4 bias = ((const __global int4*)tables.bias)[block];
  const int4 multiplier = ((const __global int4*)tables.multiplier)[block];
  const int4 shift = ((const __global int4*)tables.shift)[block];
  const int taps = p.filter_height * p.filter_width;
  int4 sums = bias;
#pragma unroll
  for (int first = 0; first < taps; first += 4) {
    int4 found = (int4)(0);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (first + j >= taps) continue;
      const int y = top + (first + j) / p.filter_width * p.dilation_height;
      const int x = left + (first + j) % p.filter_width * p.dilation_width;
      const bool inside = y >= 0 && y < p.input_height && x >= 0 && x < p.input_width;
      const int outside = (p.input_zero_point & 0xff) * 0x01010101;
      const int read = image[inside ? (y * p.input_width + x) * (int)blocks : 0];
      ((int*)&found)[j] = inside ? read : outside;
    }
    const int4 w = weights[first / 4 * blocks];
    const int4 x = turned(found);
    sums.s0 = dot4(x.s0, w.s0, sums.s0);
    sums.s1 = dot4(x.s1, w.s1, sums.s1);
    sums.s2 = dot4(x.s2, w.s2, sums.s2);
    sums.s3 = dot4(x.s3, w.s3, sums.s3);
  }
  int4 y;
  y.s0 = multiply_by_quantized_multiplier(sums.s0, multiplier.s0, shift.s0);
  y.s1 = multiply_by_quantized_multiplier(sums.s1, multiplier.s1, shift.s1);
  y.s2 = multiply_by_quantized_multiplier(sums.s2, multiplier.s2, shift.s2);
  y.s3 = multiply_by_quantized_multiplier(sums.s3, multiplier.s3, shift.s3);
  y = clamp(y + p.output_zero_point, (int4)p.activation_min, (int4)p.activation_max);
  ((__global char4*)out.y)[i] = convert_char4(y);
}
