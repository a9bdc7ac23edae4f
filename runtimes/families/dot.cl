// Layers of int8 by dot products of four: convolutions of one group, and fully connected layers.
//
// A work-item computes four channels of PIXELS pixels, or a part of their sums: the chunks of BYTES
// inputs that windows consist of are dealt to p.splits work-items. Where BYTES is 1, each of the four
// bytes of a word is found by itself.
#include "runtimes/core/dot.cl"
#include "runtimes/core/rescaling.cl"

#if BYTES == 16
#define WORDS 4
#define DOT(x, w, sum) \
  dot4((x).s3, (w).s3, dot4((x).s2, (w).s2, dot4((x).s1, (w).s1, dot4((x).s0, (w).s0, sum))))
#define WORD int4
#else
#define DOT(x, w, sum) dot4(x, w, sum)
#define WORD int
#endif

// Where pixel number `at` of y begins in x, or how far it is outside: its batch, row and column.
#define TOP(p, at) ((at) / p.output_width % p.output_height * p.stride_height - p.padding_top)
#define LEFT(p, at) ((at) % p.output_width * p.stride_width - p.padding_left)
#define IMAGE(p, at) ((at) / (p.output_width * p.output_height) * p.input_height * p.input_width)
#define INSIDE(p, y, x) ((y) >= 0 && (y) < p.input_height && (x) >= 0 && (x) < p.input_width)

INLINE __attribute__((overloadable)) int element_of(const DotParams p, const DotTables tables,
                                                    int sum, int c) {
  const int scaled = rescaled_sum(p.rescaling, sum, tables.multiplier[c], tables.shift[c]);
  return clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max);
}

#if BYTES == 1
// Inputs 4 * chunk to 4 * chunk + 3 of the window of pixel `at`.
INLINE __attribute__((overloadable)) int inputs_of(const DotParams p, const __global int8_t* x,
                                                   int at, int chunk) {
  char4 found = (char4)(p.input_zero_point);
  int8_t* const bytes = (int8_t*)&found;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int k = 4 * chunk + i;
    const int tap = k / p.filter_channels;
    const int row = TOP(p, at) + tap / p.filter_width * p.dilation_height;
    const int column = LEFT(p, at) + tap % p.filter_width * p.dilation_width;
    if (tap < p.filter_height * p.filter_width && INSIDE(p, row, column)) {
      bytes[i] = x[(IMAGE(p, at) + row * p.input_width + column) * p.input_channels +
                   k % p.filter_channels];
    }
  }
  return as_int(found);
}
#else
INLINE __attribute__((overloadable)) WORD inputs_of(const DotParams p, const __global int8_t* x,
                                                    int at, int chunk) {
  const int tap = chunk / (p.filter_channels / BYTES);
  const int row = TOP(p, at) + tap / p.filter_width * p.dilation_height;
  const int column = LEFT(p, at) + tap % p.filter_width * p.dilation_width;
  if (!INSIDE(p, row, column)) return (WORD)((p.input_zero_point & 0xff) * 0x01010101);
  const int first = (IMAGE(p, at) + row * p.input_width + column) * p.input_channels;
  return *(const __global WORD*)(x + first + chunk % (p.filter_channels / BYTES) * BYTES);
}
#endif

INLINE void dot_layer(const DotParams p, const In in, const Out out, const DotTables tables,
                      const Local local_memory) {
  const int blocks = (p.output_channels + 3) / 4;
  const int pixels = p.batches * p.output_height * p.output_width;
  const int together = GROUP / p.splits;  // work-items of a group for the same part of sums
  const int me = get_local_id(0);
  const int place = get_group_id(0) * together + me % together;
  const int block = place % blocks;
  const int first = place / blocks * PIXELS;
  const __global WORD* weights = (const __global WORD*)tables.weights + block;
  int sums[PIXELS * 4];
#pragma unroll
  for (int i = 0; i < PIXELS * 4; ++i) sums[i] = 0;
#pragma unroll UNROLLED
  for (int chunk = me / together; chunk < p.chunks; chunk += p.splits) {
    WORD w[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) w[j] = weights[(chunk * 4 + j) * blocks];
#pragma unroll
    for (int i = 0; i < PIXELS; ++i) {
      const WORD x = inputs_of(p, in.x, min(first + i, pixels - 1), chunk);
#pragma unroll
      for (int j = 0; j < 4; ++j) sums[4 * i + j] = DOT(x, w[j], sums[4 * i + j]);
    }
  }
  if (p.splits == 1) {
#pragma unroll
    for (int i = 0; i < PIXELS * 4; ++i) {
      const int c = block * 4 + i % 4;
      const int at = first + i / 4;
      if (at >= pixels || c >= p.output_channels) continue;
      out.y[at * p.output_channels + c] = element_of(p, tables, sums[i] + tables.bias[c], c);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < PIXELS * 4; ++i) local_memory.sums[i * GROUP + me] = sums[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = me / together; i < PIXELS * 4; i += p.splits) {
    const int c = block * 4 + i % 4;
    const int at = first + i / 4;
    if (at >= pixels || c >= p.output_channels) continue;
    int sum = tables.bias[c];
    for (int part = 0; part < p.splits; ++part) {
      sum += local_memory.sums[i * GROUP + part * together + me % together];
    }
    out.y[at * p.output_channels + c] = element_of(p, tables, sum, c);
  }
}

#undef DOT
#undef WORD
#undef WORDS
