// Conv2D of int8: an element of y for each work-item, by the definition in reference.h.
#include "runtimes/core/fixed_point.cl"

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int i = get_global_id(0);
  if (i >= p.batches * p.output_height * p.output_width * p.output_channels) return;
  const int c = i % p.output_channels;
  const int ox = i / p.output_channels % p.output_width;
  const int oy = i / p.output_channels / p.output_width % p.output_height;
  const int b = i / p.output_channels / p.output_width / p.output_height;
  const int channels_per_group = p.output_channels / (p.input_channels / p.filter_channels);
  const int first = c / channels_per_group * p.filter_channels;
  const int top = oy * p.stride_height - p.padding_top;
  const int left = ox * p.stride_width - p.padding_left;
  const __global int8_t* filter =
      tables.filter + c * p.filter_height * p.filter_width * p.filter_channels;
  const __global int8_t* image =
      in.x + b * p.input_height * p.input_width * p.input_channels + first;
  int sum = tables.bias[c];
  for (int fy = 0; fy < p.filter_height; ++fy) {
    const int y = top + fy * p.dilation_height;
    if (y < 0 || y >= p.input_height) continue;
    for (int fx = 0; fx < p.filter_width; ++fx) {
      const int x = left + fx * p.dilation_width;
      if (x < 0 || x >= p.input_width) continue;
      const __global int8_t* pixel = image + (y * p.input_width + x) * p.input_channels;
      const __global int8_t* tap = filter + (fy * p.filter_width + fx) * p.filter_channels;
      for (int k = 0; k < p.filter_channels; ++k) sum += (pixel[k] - p.input_zero_point) * tap[k];
    }
  }
  const int scaled = multiply_by_quantized_multiplier(sum, tables.multiplier[c], tables.shift[c]);
  out.y[i] = clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max);
}
