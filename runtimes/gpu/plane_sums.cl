// Four channels of a pixel of a depthwise convolution of int8, whose filters have one channel each.
//
// Four inputs of each channel are multiplied together, which are turned to lie side by side.
#include "runtimes/core/dot.cl"
#include "runtimes/core/rescaling.cl"

typedef struct {
  int batches, input_height, input_width, input_channels, filter_height, filter_width;
  int output_height, output_width, stride_height, stride_width, dilation_height, dilation_width;
  int padding_top, padding_left, input_zero_point, rescaling;
} PlaneWindow;

// The window of params with these members, whose sums are rescaled by a kind of rescaling.cl.
#define PLANE_WINDOW(p, kind)                                             \
  {p.batches,       p.input_height, p.input_width,      p.input_channels, \
   p.filter_height, p.filter_width, p.output_height,    p.output_width,   \
   p.stride_height, p.stride_width, p.dilation_height,  p.dilation_width, \
   p.padding_top,   p.padding_left, p.input_zero_point, kind}

// The sums of channels 4 * block to the next three of a pixel of all images, rescaled. Weights are
// [taps / 4][channels][4], of rows of columns.
INLINE int4 plane_sums(const PlaneWindow w, const __global int8_t* x,
                       const __global int8_t* weights, const __global int32_t* bias,
                       const __global int32_t* multiplier, const __global int32_t* shift,
                       uint pixel, uint block) {
  const uint blocks = w.input_channels / 4;
  const int left = (int)(pixel % w.output_width) * w.stride_width - w.padding_left;
  const int row = pixel / w.output_width;
  const int top = row % w.output_height * w.stride_height - w.padding_top;
  const int b = row / w.output_height;
  const __global int* image =
      (const __global int*)x + b * w.input_height * w.input_width * blocks + block;
  const __global int4* of_block = (const __global int4*)weights + block;
  const int4 factor = ((const __global int4*)multiplier)[block];
  const int4 power = ((const __global int4*)shift)[block];
  const int taps = w.filter_height * w.filter_width;
  int4 sums = ((const __global int4*)bias)[block];
#pragma unroll
  for (int first = 0; first < taps; first += 4) {
    int4 found = (int4)(0);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (first + j >= taps) continue;
      const int y = top + (first + j) / w.filter_width * w.dilation_height;
      const int x = left + (first + j) % w.filter_width * w.dilation_width;
      const bool inside = y >= 0 && y < w.input_height && x >= 0 && x < w.input_width;
      const int outside = (w.input_zero_point & 0xff) * 0x01010101;
      const int read = image[inside ? (y * w.input_width + x) * (int)blocks : 0];
      ((int*)&found)[j] = inside ? read : outside;
    }
    const int4 taken = of_block[first / 4 * blocks];
    const int4 side_by_side = turned(found);
    sums.s0 = dot4(side_by_side.s0, taken.s0, sums.s0);
    sums.s1 = dot4(side_by_side.s1, taken.s1, sums.s1);
    sums.s2 = dot4(side_by_side.s2, taken.s2, sums.s2);
    sums.s3 = dot4(side_by_side.s3, taken.s3, sums.s3);
  }
  int4 y;
  y.s0 = rescaled_sum(w.rescaling, sums.s0, factor.s0, power.s0);
  y.s1 = rescaled_sum(w.rescaling, sums.s1, factor.s1, power.s1);
  y.s2 = rescaled_sum(w.rescaling, sums.s2, factor.s2, power.s2);
  y.s3 = rescaled_sum(w.rescaling, sums.s3, factor.s3, power.s3);
  return y;
}
