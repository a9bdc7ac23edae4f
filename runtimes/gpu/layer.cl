// Layers, which sum weights times a window of x: convolutions, depthwise and transposed ones, and
// fully connected layers. An element of y for each work-item; neighbours are channels of a pixel,
// and weights lie as they read them, [rows][columns][channels of x][channels of y].
//
// A program includes this file for each kind of element, under other names: integers, REAL ones,
// and DYNAMIC ones, which are quantised as they come, those of VECTORS with other activations.
#include "runtimes/core/dynamic_range.cl"
#include "runtimes/core/real_clamp.cl"
#include "runtimes/core/rescaling.cl"
#include "runtimes/core/vector_activation.cl"
#include "runtimes/gpu/window.cl"

#if defined(REAL)
#define PRODUCT(x, w, c) ((x) * (w))
#define ELEMENT(sum, c) real_clamp(sum + tables.bias[c], p.real_min, p.real_max)
#elif defined(DYNAMIC_PRODUCTS)  // each is a float
#define PRODUCT(x, w, c) ((float)(dynamic_element(range, x) * (w)) * tables.scale[c] * range.scale)
#define ELEMENT(sum, c) real_clamp(sum + tables.bias[c], p.real_min, p.real_max)
#elif defined(VECTORS)
#define PRODUCT(x, w, c) (dynamic_element(range, x) * (w))
#define ELEMENT(sum, c) \
  activated(p.activation, (float)(int)sum*(range.scale * tables.scale[c]) + tables.bias[c])
#elif defined(DYNAMIC)
#define PRODUCT(x, w, c) (dynamic_element(range, x) * (w))
#define ELEMENT(sum, c)                                                           \
  real_clamp((p.one_by_one ? (float)(int)sum * tables.scale[c] * range.scale      \
                           : (float)(int)sum * (range.scale * tables.scale[c])) + \
                 tables.bias[c],                                                  \
             p.real_min, p.real_max)
#else
#define PRODUCT(x, w, c) (((x) - p.input_zero_point) * ((w) - p.weights_zero_point))
#define ELEMENT(sum, c)                                                            \
  clamp(rescaled_sum(p.rescaling, (B)(sum + tables.bias[c]), tables.multiplier[c], \
                     tables.shift[c]) +                                            \
            p.output_zero_point,                                                   \
        p.activation_min, p.activation_max)
#endif

// Element i of an image of y.
INLINE __attribute__((overloadable)) T element_of(const Params p, const Tables tables,
                                                  const __global T* image, const DynamicRange range,
                                                  int i) {
  const int c = i % p.output_channels;
  const int left = i / p.output_channels % p.output_width * p.stride_width - p.padding_left;
  const int top = i / p.output_channels / p.output_width * p.stride_height - p.padding_top;
  const int channels_per_group = p.output_channels / (p.input_channels / p.filter_channels);
  const __global T* first = image + c / channels_per_group * p.filter_channels;
  SUM sum = 0;
  for (int fy = 0; fy < p.filter_height; ++fy) {
    const int y = pixel_at(top + fy * p.dilation_height, p.spacing_height, p.input_height);
    if (y < 0) continue;
    for (int fx = 0; fx < p.filter_width; ++fx) {
      const int x = pixel_at(left + fx * p.dilation_width, p.spacing_width, p.input_width);
      if (x < 0) continue;
      const __global T* pixel = first + (y * p.input_width + x) * p.input_channels;
      const __global WEIGHT* tap =
          tables.weights + (fy * p.filter_width + fx) * p.filter_channels * p.output_channels + c;
      for (int k = 0; k < p.filter_channels; ++k) {
        sum += PRODUCT(pixel[k], tap[k * p.output_channels], c);
      }
    }
  }
  return ELEMENT(sum, c);
}

#ifdef DYNAMIC
// Some groups share an image, and each finds its range.
INLINE void layer(const Params p, const In in, const Out out, const Tables tables,
                  const Local local_memory) {
  const int size = p.input_height * p.input_width * p.input_channels;
  const int outputs = p.output_height * p.output_width * p.output_channels;
  const int b = get_group_id(0) / p.groups;
  const int first = get_group_id(0) % p.groups * get_local_size(0) + get_local_id(0);
  const __global float* image = in.x + b * size;
  DynamicRange range;
  range_of(image, size, p.asymmetric, local_memory.shared, &range);
  for (int i = first; i < outputs; i += p.groups * get_local_size(0)) {
    out.y[b * outputs + i] = element_of(p, tables, image, range, i);
  }
#ifdef VECTORS  // LiteRT adds no sum to the biases of zeros, which would lose the sign of -0
  if (!p.signed_zero || !all_zero(in.x, p.batches * size, local_memory.shared)) return;
  for (int i = first; i < outputs; i += p.groups * get_local_size(0)) {
    out.y[b * outputs + i] = activated(p.activation, tables.bias[i % p.output_channels]);
  }
#endif
}
#else
INLINE void layer(const Params p, const In in, const Out out, const Tables tables) {
  const int outputs = p.output_height * p.output_width * p.output_channels;
  const int i = get_global_id(0);
  if (i >= p.batches * outputs) return;
  const int b = i / outputs;
  const DynamicRange none = {0, 0, 0, 0};
  const __global T* image = in.x + b * (p.input_height * p.input_width * p.input_channels);
  out.y[i] = element_of(p, tables, image, none, i % outputs);
}
#endif

#undef PRODUCT
#undef ELEMENT
