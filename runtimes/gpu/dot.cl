// Layers of int8 by dot products: convolutions of one group, and fully connected layers; with
// PLANES, 1x1 convolutions of what a depthwise convolution computes before, in the same launch.
//
// A row of a window is cut into chunks of 16 inputs, the last one filled with weights of zero; four
// chunks are a step. A team of 32 work-items makes the sums of a tile, p.rows pixels by p.columns
// channels, over each p.parts-th step. Teams of a group that share a tile add their sums in local
// memory; where they are more than p.parts, they make several tiles, one below the other.
#include "runtimes/core/dot.cl"
#include "runtimes/core/rescaling.cl"
#include "runtimes/gpu/plane_sums.cl"

#define TEAM 32

#if defined(PLANES)
#define SOURCE const __local int8_t  // pixels of the tile, one after the other

// 16 channels of a pixel of y.
INLINE __attribute__((overloadable)) int4 inputs_of(const DotParams p, SOURCE* x, int at,
                                                    uint chunk) {
  return ((const __local int4*)(x + at % p.rows * p.pitch))[chunk];
}
#else
#define SOURCE const __global int8_t
#define WORDS (16 / BYTES)  // of a chunk, each read at once
#define INSIDE(p, y, x) ((y) >= 0 && (y) < p.input_height && (x) >= 0 && (x) < p.input_width)

// Where the window of pixel `at` of y begins in x: its column and row, maybe outside, and the
// pixels of x before its image.
INLINE __attribute__((overloadable)) int3 origin_of(const DotParams p, int at) {
  const int row = at / p.output_width;
  return (int3)(at % p.output_width * p.stride_width - p.padding_left,
                row % p.output_height * p.stride_height - p.padding_top,
                row / p.output_height * p.input_height * p.input_width);
}

// A chunk of the window of a pixel of y.
INLINE __attribute__((overloadable)) int4 inputs_of(const DotParams p, SOURCE* x, int at,
                                                    uint chunk) {
  const int pixels = p.batches * p.output_height * p.output_width;
  const int3 origin = origin_of(p, min(at, pixels - 1));
  const uint found_chunk = min(chunk, (uint)p.window_chunks - 1);
  const int row = origin.y + (int)(found_chunk / p.chunks) * p.dilation_height;
  const int width = p.filter_channels / BYTES;  // words of a pixel
  int4 words[1] = {(int4)(0)};
#pragma unroll
  for (int i = 0; i < WORDS; ++i) {
    const int word = found_chunk % p.chunks * WORDS + i;
    const int column = origin.x + word / width * p.dilation_width;
    const bool filled = p.filter_width * width % WORDS != 0 && word >= p.filter_width * width;
    const bool there = !filled && (p.inside || INSIDE(p, row, column));
    const int first = (origin.z + row * p.input_width + column) * p.input_channels;
    // Read without a branch, so that all loads are under way together.
    const WORD read = *(const __global WORD*)(x + (there ? first + word % width * BYTES : 0));
    const WORD found = there ? read : (WORD)((p.input_zero_point & 0xff) * 0x01010101);
#if BYTES == 1
    ((int*)words)[i / 4] |= (int)((uint)(uchar)found << 8 * (i % 4));
#else
    ((WORD*)words)[i] = found;
#endif
  }
  return words[0];
}
#endif

// 16 weights of a channel.
INLINE __attribute__((overloadable)) int4 filter_of(const DotParams p, const DotTables tables,
                                                    int step, int channel, int chunk) {
  return ((const __global int4*)tables.weights)[(step * p.filled_channels + channel) * 4 + chunk];
}

#if defined(OPSMITH_MATRICES)
// Adds up a tile in matrices of 8x8.
INLINE __attribute__((overloadable)) void matrix_sums(const DotParams p, SOURCE* x,
                                                      const DotTables tables, int part, int lane,
                                                      int pixel, int channel,
                                                      __local int32_t* sums) {
  int2 found[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) found[i] = (int2)(0);
  const int rounds = (p.steps + p.parts - 1) / p.parts;
#pragma unroll 2
  for (int n = 0; n < rounds; ++n) {
    const int step = n * p.parts + part;
    if (p.steps % p.parts != 0 && step >= p.steps) break;
    int4 left[2], right[4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (8 * i >= p.rows) continue;
      left[i] = inputs_of(p, x, pixel + 8 * i + lane / 4, 4 * step + lane % 4);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (8 * j >= p.columns) continue;
      right[j] = filter_of(p, tables, step, channel + 8 * j + lane / 4, lane % 4);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if (8 * (k / 4) >= p.rows || 8 * (k % 4) >= p.columns) continue;
      found[k] = dot16_of_matrices(left[k / 4].s0, right[k % 4].s0, found[k]);
      found[k] = dot16_of_matrices(left[k / 4].s1, right[k % 4].s1, found[k]);
      found[k] = dot16_of_matrices(left[k / 4].s2, right[k % 4].s2, found[k]);
      found[k] = dot16_of_matrices(left[k / 4].s3, right[k % 4].s3, found[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    if (8 * (k / 4) >= p.rows || 8 * (k % 4) >= p.columns) continue;
    const int row = 8 * (k / 4) + lane / 4;
    const int column = 8 * (k % 4) + lane % 4 * 2;
    *(__local int2*)(sums + row * p.columns + column) = found[k];
  }
}
#endif

// Adds up a tile: a work-item makes the sums of p.wide neighbouring channels of some pixels.
INLINE __attribute__((overloadable)) void lane_sums(const DotParams p, SOURCE* x,
                                                    const DotTables tables, int part, int lane,
                                                    int pixel, int channel, __local int32_t* sums) {
  const int across = p.columns / p.wide;
  const int height = (p.rows * across + TEAM - 1) / TEAM;  // pixels of a work-item, at most 4
  const int row = lane / across * height;
  const int column = lane % across * p.wide;
  const int pixels = p.batches * p.output_height * p.output_width;
  if (row >= p.rows || pixel + row >= pixels || channel + column >= p.output_channels) return;
  int found[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) found[i] = 0;
  for (int step = part; step < p.steps; step += p.parts) {
#pragma unroll
    for (int chunk = 0; chunk < 4; ++chunk) {
      if (4 * step + chunk >= p.window_chunks) continue;
      int4 left[4], right[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i < height) left[i] = inputs_of(p, x, pixel + row + i, 4 * step + chunk);
        if (i < p.wide) right[i] = filter_of(p, tables, step, channel + column + i, chunk);
      }
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        if (i / 4 >= height || i % 4 >= p.wide) continue;
        found[i] = dot16(left[i / 4], right[i % 4], found[i]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    if (i / 4 >= height || i % 4 >= p.wide) continue;
    sums[(row + i / 4) * p.columns + column + i % 4] = found[i];
  }
}

// Adds up a tile, by what the device has.
INLINE __attribute__((overloadable)) void tile_sums(const DotParams p, SOURCE* x,
                                                    const DotTables tables, int part, int lane,
                                                    int pixel, int channel, __local int32_t* sums) {
#if defined(OPSMITH_MATRICES)
  if (p.rows >= 8) {
    matrix_sums(p, x, tables, part, lane, pixel, channel, sums);
    return;
  }
#endif
  lane_sums(p, x, tables, part, lane, pixel, channel, sums);
}

// A sum as an element of y.
INLINE __attribute__((overloadable)) int8_t element_of(const DotParams p, int sum, long multiplier,
                                                       int shift) {
  const int scaled = rescaled_sum(p.rescaling, sum, multiplier, shift) + p.output_zero_point;
  return clamp(scaled, p.activation_min, p.activation_max);
}

#if defined(PLANES)
// A group has p.rows pixels in local memory, which each team multiplies by the weights of p.columns
// channels.
INLINE void planes_and_dot(const DotParams p, const In in, const Out out, const DotTables tables,
                           const Local local_memory) {
  const int me = get_local_id(0);
  const int lane = me % TEAM;
  const int pixels = p.batches * p.output_height * p.output_width;
  const int blocks = p.filled_channels / (p.teams * p.columns);
  const int first_pixel = get_group_id(0) / blocks * p.rows;
  const int team = get_group_id(0) % blocks * p.teams + me / TEAM;  // of all for these pixels
  // The channel that this work-item finishes, of several pixels.
  const int channel = min(team * p.columns + lane % p.columns, p.output_channels - 1);
  const int bias = tables.bias[channel];
  const long multiplier = tables.multiplier[channel];
  const int shift = tables.shift[channel];
  const PlaneWindow window = PLANE_WINDOW(p, p.inner_rescaling);
  const int words = p.input_channels / 4;  // of a pixel
  for (int i = me; i < p.rows * words; i += p.teams * TEAM) {
    const int pixel = min(first_pixel + i / words, pixels - 1);
    const int4 found = plane_sums(window, in.x, tables.plane_weights, tables.plane_bias,
                                  tables.plane_multiplier, tables.plane_shift, pixel, i % words);
    ((__local char4*)(local_memory.tile + i / words * p.pitch))[i % words] =
        convert_char4(clamp(found + p.inner_zero_point, (int4)p.inner_min, (int4)p.inner_max));
  }
  for (int i = me; i < p.rows * 16; i += p.teams * TEAM) {  // the rest of the last step
    const int word = (p.steps - 1) * 16 + i % 16;
    if (word >= words) ((__local int*)(local_memory.tile + i / 16 * p.pitch))[word] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __local int32_t* const sums = local_memory.sums + me / TEAM * p.rows * p.columns;
  tile_sums(p, local_memory.tile, tables, 0, lane, first_pixel, team * p.columns, sums);
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 2
  for (int i = lane; i < p.rows * p.columns; i += TEAM) {
    const int at = first_pixel + i / p.columns;
    if (at >= pixels || team * p.columns + i % p.columns >= p.output_channels) continue;
    out.y[at * p.output_channels + channel] = element_of(p, bias + sums[i], multiplier, shift);
  }
}
#else
INLINE void dot_layer(const DotParams p, const In in, const Out out, const DotTables tables,
                      const Local local_memory) {
  const uint me = get_local_id(0);
  const uint team = me / TEAM;
  const int tiles = p.teams / p.parts;  // of a group
  const int pixels = p.batches * p.output_height * p.output_width;
  const uint blocks = p.filled_channels / p.columns;
  const int first_channel = get_group_id(0) % blocks * p.columns;
  const int first_pixel = get_group_id(0) / blocks * p.rows * tiles;
  // The channel that this work-item finishes, of several pixels.
  const int channel = min(first_channel + (int)me % p.columns, p.output_channels - 1);
  const int bias = tables.bias[channel];
  const long multiplier = tables.multiplier[channel];
  const int shift = tables.shift[channel];
  const int part = team / tiles;
  const int pixel = first_pixel + team % tiles * p.rows;
  __local int32_t* const sums = local_memory.sums + team * p.rows * p.columns;
  tile_sums(p, in.x, tables, part, me % TEAM, pixel, first_channel, sums);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int found = tiles * p.rows * p.columns;  // sums of a part
#pragma unroll 2
  for (int n = 0; n < (found + p.teams * TEAM - 1) / (p.teams * TEAM); ++n) {
    const int i = n * p.teams * TEAM + me;
    const int at = first_pixel + i / p.columns;
    if (i >= found || at >= pixels || first_channel + i % p.columns >= p.output_channels) continue;
    int sum = bias;
#pragma unroll
    for (int k = 0; k < p.parts; ++k) sum += local_memory.sums[k * found + i];
    out.y[at * p.output_channels + channel] = element_of(p, sum, multiplier, shift);
  }
}
#endif
