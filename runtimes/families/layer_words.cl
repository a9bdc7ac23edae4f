// Layers of int8 with words of four channels: convolutions of one group and fully connected layers.
// It is fast because a work-item reads up to 16 bytes at a time, multiplies four at once and uses
// what it read for p.pixels pixels and four channels of y.
//
// Neighbours in a group, p.lanes of them, have neighbouring channels of the same pixels; the rest
// of the group takes other parts of their sums, which local memory brings together. What lies
// outside of an image is the zero point of x, which the bias takes into account.
#include "runtimes/core/dot.cl"
#include "runtimes/core/rescaling.cl"
#include "runtimes/families/window.cl"

#define MOST_PIXELS 4  // of a work-item
#define MOST_WORDS 4   // that it reads at a time

// p.words words of x from here on, which is aligned to as many.
#define READ_WORDS(p, found, from)                                              \
  if (p.words == 4) {                                                           \
    const int4 read = *(const __global int4*)(from);                            \
    found[0] = read.x, found[1] = read.y, found[2] = read.z, found[3] = read.w; \
  } else if (p.words == 2) {                                                    \
    const int2 read = *(const __global int2*)(from);                            \
    found[0] = read.x, found[1] = read.y;                                       \
  } else {                                                                      \
    found[0] = *(const __global int*)(from);                                    \
  }

INLINE void words(const WordParams p, const In in, const Out out, const WordTables tables,
                  const Local local_memory) {
  const int lane = get_local_id(0) % p.lanes;
  const int part = p.parts == 1 ? 0 : get_local_id(0) / p.lanes;
  const int quads = (p.output_channels + 3) / 4;
  const int blocks = (quads + p.lanes - 1) / p.lanes;
  const int quad = get_group_id(0) % blocks * p.lanes + lane;
  const int first = get_group_id(0) / blocks * p.pixels;
  const int pixels = p.batches * p.output_height * p.output_width;
  const bool busy = quad < quads;
  const int outside = (p.input_zero_point & 0xff) * 0x01010101;

  const __global int8_t* image[MOST_PIXELS];
  int top[MOST_PIXELS];
  int left[MOST_PIXELS];
  int4 sum[MOST_PIXELS];
#pragma unroll
  for (int i = 0; i < p.pixels; ++i) {
    const int pixel = min(first + i, pixels - 1);
    const int b = pixel / (p.output_height * p.output_width);
    image[i] = in.x + b * p.input_height * p.input_width * p.input_channels;
    top[i] = pixel / p.output_width % p.output_height * p.stride_height - p.padding_top;
    left[i] = pixel % p.output_width * p.stride_width - p.padding_left;
    sum[i] = 0;
  }

  const int chunks = p.input_channels / (4 * p.words);  // of a pixel of x
  const __global int4* weights = (const __global int4*)tables.weights + quad;
  for (int at = part; busy && at < p.filter_height * p.filter_width * chunks; at += p.parts) {
    const int tap = at / chunks;
    const int down = tap / p.filter_width * p.dilation_height;
    const int right = tap % p.filter_width * p.dilation_width;
    int4 w[MOST_WORDS];
#pragma unroll
    for (int k = 0; k < MOST_WORDS; ++k) {
      if (k < p.words) w[k] = weights[(at * p.words + k) * quads];
    }
#pragma unroll
    for (int i = 0; i < p.pixels; ++i) {
      const int y = top[i] + down;
      const int x = left[i] + right;
      const bool inside = p.inside || (y >= 0 && y < p.input_height && x >= 0 && x < p.input_width);
      const int place = (y * p.input_width + x) * p.input_channels + at % chunks * 4 * p.words;
      int word[MOST_WORDS] = {outside, outside, outside, outside};
      if (inside) {
        READ_WORDS(p, word, image[i] + place)
      }
#pragma unroll
      for (int k = 0; k < MOST_WORDS; ++k) {
        if (k >= p.words) continue;
        sum[i].x = dot4(word[k], w[k].x, sum[i].x);
        sum[i].y = dot4(word[k], w[k].y, sum[i].y);
        sum[i].z = dot4(word[k], w[k].z, sum[i].z);
        sum[i].w = dot4(word[k], w[k].w, sum[i].w);
      }
    }
  }

  // The parts of a sum lie one after the other for the item that adds them up.
  __local int4* shared = (__local int4*)local_memory.shared;
  if (p.parts > 1) {
#pragma unroll
    for (int i = 0; i < p.pixels; ++i) shared[(part * p.pixels + i) * p.lanes + lane] = sum[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int turn = 0; turn < p.pixels; turn += p.parts) {
    const int i = turn + part;
    if (!busy || i >= p.pixels || first + i >= pixels) continue;
    int4 total = p.parts > 1 ? (int4)0 : sum[i];
    for (int each = 0; p.parts > 1 && each < p.parts; ++each) {
      total += shared[(each * p.pixels + i) * p.lanes + lane];
    }
    const int totals[4] = {total.x, total.y, total.z, total.w};
    __global int8_t* y = out.y + (first + i) * p.output_channels;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int c = 4 * quad + k;
      if (c >= p.output_channels) break;
      const int biased = (int)((uint)totals[k] + (uint)tables.bias[c]);
      const int scaled = rescaled_sum(p.rescaling, biased, tables.multiplier[c], tables.shift[c]);
      y[c] = (int8_t)clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max);
    }
  }
}
