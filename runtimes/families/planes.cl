// Depthwise convolutions of int8, of filters of one channel each: four channels of a pixel for each
// work-item.
#include "runtimes/core/fixed_point.cl"

INLINE void planes(const PlanesParams p, const In in, const Out out, const PlanesTables tables) {
  const int blocks = p.output_channels / 4;
  const int i = get_global_id(0);
  if (i >= p.batches * p.output_height * p.output_width * blocks) return;
  const int block = i % blocks;
  const int left = i / blocks % p.output_width * p.stride_width - p.padding_left;
  const int top = i / blocks / p.output_width % p.output_height * p.stride_height - p.padding_top;
  const int b = i / blocks / p.output_width / p.output_height;
  const __global int* image =
      (const __global int*)in.x + b * p.input_height * p.input_width * blocks + block;
  const __global int* weights = (const __global int*)tables.weights + block;
  int4 sums = ((const __global int4*)tables.bias)[block];
#pragma unroll
  for (int fy = 0; fy < p.filter_height; ++fy) {
    const int y = top + fy * p.dilation_height;
#pragma unroll
    for (int fx = 0; fx < p.filter_width; ++fx) {
      const int x = left + fx * p.dilation_width;
      const bool inside = y >= 0 && y < p.input_height && x >= 0 && x < p.input_width;
      const int outside = (p.input_zero_point & 0xff) * 0x01010101;
      const int given = inside ? image[(y * p.input_width + x) * blocks] : outside;
      const int w = weights[(fy * p.filter_width + fx) * blocks];
      sums += convert_int4(as_char4(given)) * convert_int4(as_char4(w));
    }
  }
  const int4 multiplier = ((const __global int4*)tables.multiplier)[block];
  const int4 shift = ((const __global int4*)tables.shift)[block];
  int4 y;
  y.s0 = multiply_by_quantized_multiplier(sums.s0, multiplier.s0, shift.s0);
  y.s1 = multiply_by_quantized_multiplier(sums.s1, multiplier.s1, shift.s1);
  y.s2 = multiply_by_quantized_multiplier(sums.s2, multiplier.s2, shift.s2);
  y.s3 = multiply_by_quantized_multiplier(sums.s3, multiplier.s3, shift.s3);
  y = clamp(y + p.output_zero_point, (int4)p.activation_min, (int4)p.activation_max);
  ((__global char4*)out.y)[i] = convert_char4(y);
}
