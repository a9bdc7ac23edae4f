// Pooling of NHWC images over windows: pooling.h in OpenCL C, an element of y for each work-item. A
// program includes this file for each kind of pool, and for floats where there is REAL.
#include "runtimes/core/division.cl"
#include "runtimes/core/even_quotient.cl"
#include "runtimes/core/real_clamp.cl"
#include "runtimes/core/square_root.cl"

// START is what is found before the first element of a window, FOUND joins one to what was found
// before it, and POOLED is what that is of N pixels.
#ifdef REAL
#define FOUND float
#define LEAST -FLT_MAX
#define MEAN(sum, count) divided(sum, (float)(count))
#define BOUNDED(y) real_clamp(y, p.real_min, p.real_max)
#elif defined(EVEN_AVERAGE)
#define FOUND int
#define BOUNDED(y) (y)
#else
#define FOUND int
#define LEAST INT_MIN
#define MEAN(sum, count) (((sum) + ((sum) > 0 ? (count) / 2 : -((count) / 2))) / (count))
#define BOUNDED(y) clamp(y, p.activation_min, p.activation_max)
#endif
#if defined(LARGEST)
#define START LEAST
#define JOINED(largest, x) ((largest) < (x) ? (x) : (largest))
#define POOLED(largest, count) (largest)
#elif defined(AVERAGE)
#define START 0
#define JOINED(sum, x) ((sum) + (x))
#define POOLED(sum, count) MEAN(sum, count)
#elif defined(EVEN_AVERAGE)
#define START 0
#define JOINED(sum, x) ((sum) + (x)-p.zero_point)
#define POOLED(sum, count) (even_quotient(sum, count) + p.zero_point)
#else  // ROOT_MEAN_SQUARE
#define START 0
#define JOINED(sum, x) ((sum) + (x) * (x))
#define POOLED(sum, count) square_root(MEAN(sum, count))
#endif

INLINE void pool(const Params p, const __global T* x, __global T* y) {
  const int i = get_global_id(0);
  const int outputs = p.output_height * p.output_width * p.channels;
  if (i >= p.batches * outputs) return;
  const int c = i % p.channels;
  const int left = i / p.channels % p.output_width * p.stride_width - p.padding_left;
  const int top =
      i / p.channels / p.output_width % p.output_height * p.stride_height - p.padding_top;
  const int first_row = max(top, 0), end_row = min(top + p.window_height, p.input_height);
  const int first_column = max(left, 0), end_column = min(left + p.window_width, p.input_width);
  const __global T* image = x + i / outputs * (p.input_height * p.input_width * p.channels) + c;
  FOUND found = START;
  for (int row = first_row; row < end_row; ++row) {
    for (int column = first_column; column < end_column; ++column) {
      const FOUND element = image[(row * p.input_width + column) * p.channels];
      found = JOINED(found, element);
    }
  }
  y[i] = BOUNDED(POOLED(found, (end_row - first_row) * (end_column - first_column)));
}

#undef FOUND
#undef LEAST
#undef MEAN
#undef BOUNDED
#undef START
#undef JOINED
#undef POOLED
