// Needs Helium. Fast because VMLADAVA adds sixteen products at once, each vector of weights that is
// loaded serves two pixels and each of pixels four output channels: eight sums stay in registers.
// A strip of the image is copied column by column, so that the inputs of each of its output pixels
// are one run of bytes.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d {

// What the table of that name holds, in this order. A pointwise convolution is one of a single row.
struct Geometry {
  int32_t batches;
  int32_t input_height;
  int32_t input_width;
  int32_t input_channels;
  int32_t filter_height;
  int32_t filter_width;
  int32_t output_height;
  int32_t output_width;
  int32_t output_channels;
  int32_t stride_height;
  int32_t stride_width;
  int32_t dilation_height;
  int32_t padding_top;
  int32_t padding_left;
  int32_t group;       // output pixels of a row that share a strip
  int32_t tail;        // inputs of a pixel before the first whole vector, or 0: 16
  int32_t full_steps;  // vectors of inputs after these
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t activation_min;
  int32_t activation_max;
};

// What the assembly below keeps in memory, by these offsets. Pairs of output pixels are neighbours.
struct Pairs {
  const int8_t* x0;       // 0: the inputs of the first pixel
  const int8_t* x1;       // 4: and of the second, which may be the first again
  int32_t step;           // 8: bytes from the inputs of a pair to those of the next
  int32_t inputs;         // 12: bytes of a pixel's inputs, whole vectors behind the tail
  const int32_t* blocks;  // 16: for each four channels weights, biases, multipliers and shifts
  uint32_t first;         // 20: the kind of the first step; then where its code is
  uint32_t rest;          // 24: steps that are left by blocks of four; then where these begin
  int8_t* y;              // 28
  int8_t* last;           // 32: where the last four channels of the first pixel are written
  int32_t apart;          // 36: bytes from the outputs of the first pixel to those of the second
  int32_t tail;           // 40: inputs of the first step, where it is none of a whole vector
  int32_t zero_point;     // 44
  int32_t left;           // 48: pairs
};
enum FirstStep : uint32_t { kWhole, kTail, kOnly };

// One vector of inputs of both pixels, which r1 and r3 point at, by the weights of four channels
// from r5 on: the sums of the first pixel are r0, r2, r4, r6, of the second r8, r10, r12, lr.
#define OPSMITH_MVE_STEP(multiply)                                \
  "vldrb.8 q0, [r1], #16\n\t"                                     \
  "vldrb.8 q1, [r5], #16\n\t" multiply                            \
  " r0, q1, q0\n\t"                                               \
  "vldrb.8 q2, [r3], #16\n\t" multiply                            \
  " r8, q1, q2\n\t"                                               \
  "vldrb.8 q1, [r5], #16\n\t" multiply " r2, q1, q0\n\t" multiply \
  " r10, q1, q2\n\t"                                              \
  "vldrb.8 q1, [r5], #16\n\t" multiply " r4, q1, q0\n\t" multiply \
  " r12, q1, q2\n\t"                                              \
  "vldrb.8 q1, [r5], #16\n\t" multiply " r6, q1, q0\n\t" multiply " lr, q1, q2\n\t"
#define OPSMITH_MVE_STEP_BYTES "56"

// The first step, where it has fewer inputs than a vector, as lr says: the others read as zeros.
#define OPSMITH_MVE_TAIL       \
  "vctp.8 lr\n\t"              \
  "vpstt\n\t"                  \
  "vldrbt.u8 q0, [r1]\n\t"     \
  "vldrbt.u8 q2, [r3]\n\t"     \
  "add r1, lr\n\t"             \
  "add r3, lr\n\t"             \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r0, q1, q0\n\t"  \
  "vmladav.s8 r8, q1, q2\n\t"  \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r2, q1, q0\n\t"  \
  "vmladav.s8 r10, q1, q2\n\t" \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r4, q1, q0\n\t"  \
  "vmladav.s8 r12, q1, q2\n\t" \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r6, q1, q0\n\t"  \
  "vmladav.s8 lr, q1, q2\n\t"

// The only step: q3 and q7 hold the inputs of both pixels for all channels.
#define OPSMITH_MVE_ONLY       \
  "vldrb.8 q0, [r5], #16\n\t"  \
  "vmladav.s8 r0, q0, q3\n\t"  \
  "vldrb.8 q1, [r5], #16\n\t"  \
  "vmladav.s8 r8, q0, q7\n\t"  \
  "vmladav.s8 r2, q1, q3\n\t"  \
  "vldrb.8 q2, [r5], #16\n\t"  \
  "vmladav.s8 r10, q1, q7\n\t" \
  "vmladav.s8 r4, q2, q3\n\t"  \
  "vldrb.8 q0, [r5], #16\n\t"  \
  "vmladav.s8 r12, q2, q7\n\t" \
  "vmladav.s8 r6, q0, q3\n\t"  \
  "vmladav.s8 lr, q0, q7\n\t"

// q0 and q1 become the four sums of each pixel, with their biases, in TFLite's double rounding as
// mve::requantize() explains it, then all eight as 16 bits in q0.
#define OPSMITH_MVE_REQUANTIZE     \
  "vmov q0[2], q0[0], r0, r4\n\t"  \
  "vmov q0[3], q0[1], r2, r6\n\t"  \
  "vldrw.32 q2, [r5], #16\n\t"     \
  "vmov q1[2], q1[0], r8, r12\n\t" \
  "vadd.i32 q0, q0, q2\n\t"        \
  "vmov q1[3], q1[1], r10, lr\n\t" \
  "vadd.i32 q1, q1, q2\n\t"        \
  "vldrw.32 q2, [r5], #16\n\t"     \
  "ldrd r0, r2, [r11, #40]\n\t"    \
  "vqrdmulh.s32 q0, q0, q2\n\t"    \
  "vqrdmulh.s32 q1, q1, q2\n\t"    \
  "vldrb.s32 q2, [r5], #4\n\t"     \
  ".if %c[linear]\n\t"             \
  "mov r0, #1\n\t"                 \
  "vqdmlah.s32 q0, q0, r0\n\t"     \
  "vqdmlah.s32 q1, q1, r0\n\t"     \
  ".endif\n\t"                     \
  "vrshl.s32 q0, q0, q2\n\t"       \
  "vrshl.s32 q1, q1, q2\n\t"       \
  "vqmovnb.s32 q0, q0\n\t"         \
  "vqmovnt.s32 q0, q1\n\t"

// All channels of so many pairs of output pixels, which are written one pair behind the other. Of
// channels whose number four does not divide the last four overlap those before: they are computed
// and written twice. `places` are the eight outputs' own, first[0], second[0], first[1] and so on.
// In assembly as a whole, since sums have to be in the even registers, all of them: r5 walks
// through the weights, r7 is the end of r1's inputs, r9 the output, r11 all else. kLinear: outputs
// may be negative before the zero point is added. Otherwise the clamp makes nothing of how
// negative numbers were rounded.
template <bool kLinear>
inline __attribute__((noinline)) void pairs_of_pixels(Pairs& pairs, uint16x8_t places,
                                                      int16x8_t low, int16x8_t high) {
  register Pairs* frame __asm("r11") = &pairs;
  __asm volatile(
      // Where the first step is, and the rest of them; ADR is right for aligned sections alone.
      ".balign 4\n\t"
      "ldrd r0, r2, [r11, #20]\n\t"
      "adr.w r4, 3f\n\t"
      "cmp r0, %[tail]\n\t"
      "it eq\n\t"
      "adreq.w r4, 4f\n\t"
      "it hi\n\t"
      "adrhi.w r4, 5f\n\t"
      "adr.w r6, 7f\n\t"
      "mov r0, #" OPSMITH_MVE_STEP_BYTES
      "\n\t"
      "mls r6, r2, r0, r6\n\t"
      "adds r4, #1\n\t"
      "adds r6, #1\n\t"
      "strd r4, r6, [r11, #20]\n\t"
      "ldr r9, [r11, #28]\n"
      "1:\n\t"  // a pair
      "ldrd r1, r3, [r11]\n\t"
      "ldrd r7, r5, [r11, #12]\n\t"
      "vldrb.8 q3, [r1]\n\t"
      "vldrb.8 q7, [r3]\n\t"
      "add r7, r1\n"
      "2:\n\t"  // four channels of it
      "ldr pc, [r11, #20]\n"
      "3:\n\t"
      "ldrd r1, r3, [r11]\n\t" OPSMITH_MVE_STEP("vmladav.s8")
      "ldr pc, [r11, #24]\n"
      "4:\n\t"
      "ldrd r1, r3, [r11]\n\t"
      "ldr lr, [r11, #40]\n\t" OPSMITH_MVE_TAIL
      "ldr pc, [r11, #24]\n"
      "5:\n\t" OPSMITH_MVE_ONLY
      "b 8f\n"
      "6:\n\t" OPSMITH_MVE_STEP("vmladava.s8") OPSMITH_MVE_STEP("vmladava.s8")
      OPSMITH_MVE_STEP("vmladava.s8") OPSMITH_MVE_STEP("vmladava.s8")
      "7:\n\t"
      "cmp r1, r7\n\t"
      "bne 6b\n"
      "8:\n\t" OPSMITH_MVE_REQUANTIZE
      "vqadd.s16 q0, q0, r2\n\t"
      "ldr r4, [r11, #32]\n\t"
      "vmax.s16 q0, q0, %q[low]\n\t"
      "vmin.s16 q0, q0, %q[high]\n\t"
      "vstrb.16 q0, [r9, %q[places]]\n\t"
      "adds r9, #4\n\t"
      "cmp r9, r4\n\t"
      "bls 2b\n\t"
      "sub r6, r9, #4\n\t"
      "cmp r6, r4\n\t"
      "itt ne\n\t"
      "movne r9, r4\n\t"
      "bne 2b\n\t"
      // The next pair.
      "ldrd r1, r3, [r11]\n\t"
      "ldr r0, [r11, #8]\n\t"
      "ldr r2, [r11, #36]\n\t"
      "ldr r6, [r11, #48]\n\t"
      "add r1, r0\n\t"
      "add r3, r0\n\t"
      "strd r1, r3, [r11]\n\t"
      "add r9, r2\n\t"
      "add r4, r4, r2, lsl #1\n\t"
      "str r4, [r11, #32]\n\t"
      "subs r6, #1\n\t"
      "str r6, [r11, #48]\n\t"
      "bne 1b"
      : [frame] "+r"(frame)
      : [linear] "i"(kLinear), [tail] "i"(kTail), [places] "w"(places), [low] "w"(low),
        [high] "w"(high)
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q7", "p0", "cc", "memory");
}

// How few channels are spread over columns that are `column` bytes: sixteen bytes of a row, and
// where they go. Where this is too far for a byte, it is done column by column.
struct Spread {
  uint8x16_t places;
  int32_t at_once;  // columns
};

inline Spread spread(int32_t channels, int32_t column) {
  Spread found = {vdupq_n_u8(0), 16 / channels};
  if (15 / channels * column + 15 % channels > 255) return {found.places, 0};
  uint8_t places[16];
  for (int32_t i = 0; i < 16; ++i) places[i] = i / channels * column + i % channels;
  found.places = vldrbq_u8(places);
  return found;
}

// Copies part of a row of the image to a strip.
inline void copy_row(const Geometry& g, const Spread& by, int8_t* strip, const int8_t* row,
                     int32_t columns) {
  const int32_t column = g.filter_height * g.input_channels;
  if (g.filter_height == 1) return mve::copy(strip, row, columns * column);
  if (by.at_once == 0) {
    return mve::copy_columns(strip, column, row, g.input_channels, g.input_channels, columns);
  }
  const int32_t step = by.at_once * g.input_channels;
  for (int32_t left = columns * g.input_channels; left > 0; left -= step) {
    const mve_pred16_t inside = vctp8q(left);
    vstrbq_scatter_offset_p_s8(strip, by.places, vldrbq_z_s8(row, inside), inside);
    row += step;
    strip += by.at_once * column;
  }
}

// Copies the inputs of output pixels that are neighbours: columns from the first that one of them
// needs, in each the pixels under the filter from top to bottom. Outside is the zero point.
inline __attribute__((noinline)) void fill_strip(const Geometry& g, const Spread& by,
                                                 const int8_t* image, int32_t top, int32_t left,
                                                 int32_t columns, int8_t* strip) {
  const int32_t column = g.filter_height * g.input_channels;
  const int32_t bottom = top + (g.filter_height - 1) * g.dilation_height;
  const int32_t from = left < 0 ? 0 : left;
  const int32_t end = left + columns < g.input_width ? left + columns : g.input_width;
  if (top < 0 || bottom >= g.input_height || from > left || end < left + columns) {
    mve::fill(strip, static_cast<int8_t>(g.input_zero_point), columns * column);
  }
  strip += (from - left) * column;
  for (int32_t y = top; y <= bottom; y += g.dilation_height, strip += g.input_channels) {
    if (y < 0 || y >= g.input_height || end <= from) continue;
    copy_row(g, by, strip, image + (y * g.input_width + from) * g.input_channels, end - from);
  }
}

// Where the eight outputs of a pair go, see pairs_of_pixels().
inline uint16x8_t places(int32_t apart) {
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second = vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), apart);
  return vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
}

// So many neighbours, of which inputs are `step` bytes apart. One of them that is left is computed
// and written twice.
template <bool kLinear>
inline void row_of_pixels(const Geometry& g, const int32_t* blocks, const int8_t* x, int32_t step,
                          int32_t pixels, int8_t* y) {
  const int32_t channels = g.output_channels;
  const int16x8_t low = vdupq_n_s16(g.activation_min), high = vdupq_n_s16(g.activation_max);
  const bool only = g.tail == 0 && g.full_steps == 0;
  while (pixels > 0) {
    const int32_t second = pixels > 1;
    Pairs pairs = {x,
                   x + second * step,
                   2 * step,
                   g.tail == 0 ? 16 * (g.full_steps + 1) : g.tail + 16 * g.full_steps,
                   blocks,
                   only          ? kOnly
                   : g.tail == 0 ? kWhole
                                 : kTail,
                   static_cast<uint32_t>(g.full_steps % 4),
                   y,
                   y + channels - 4,
                   second * channels,
                   g.tail,
                   g.output_zero_point,
                   second ? pixels / 2 : 1};
    int8_t few[8];  // outputs of a pair with less than four channels each
    if (channels < 4) {
      pairs.y = pairs.last = few;
      pairs.apart = 4;
      pairs.left = 1;
    }
    const int32_t done = second ? 2 * pairs.left : 1;
    pairs_of_pixels<kLinear>(pairs, places(pairs.apart), low, high);
    for (int32_t c = 0; channels < 4 && c < channels; ++c) {
      y[c] = few[c];
      if (second) y[channels + c] = few[4 + c];
    }
    x += done * step;
    y += done * channels;
    pixels -= done;
  }
}

// The output pixels of one row from `first` to before `end`, which have a strip in common.
template <bool kLinear>
inline void group_of_pixels(const Geometry& g, const Spread& by, const int32_t* blocks,
                            const int8_t* image, int32_t oy, int32_t first, int32_t end,
                            int8_t* strip, int8_t* y) {
  const int32_t columns = (end - first - 1) * g.stride_width + g.filter_width;
  fill_strip(g, by, image, oy * g.stride_height - g.padding_top,
             first * g.stride_width - g.padding_left, columns, strip);
  const int32_t step = g.stride_width * g.filter_height * g.input_channels;
  row_of_pixels<kLinear>(g, blocks, strip, step, end - first, y);
}

template <bool kLinear>
inline __attribute__((noinline)) void convolve(const Geometry& g, bool reversed, const int8_t* x,
                                               int8_t* y, const int32_t* blocks, int8_t* strip) {
  const Spread by = spread(g.input_channels, g.filter_height * g.input_channels);
  const int32_t groups = (g.output_width + g.group - 1) / g.group;
  for (int32_t i = 0; i < g.batches; ++i) {
    const int32_t b = nth(i, g.batches, reversed);
    const int8_t* image = x + b * g.input_height * g.input_width * g.input_channels;
    for (int32_t j = 0; j < g.output_height; ++j) {
      const int32_t oy = nth(j, g.output_height, reversed);
      int8_t* row = y + (b * g.output_height + oy) * g.output_width * g.output_channels;
      for (int32_t k = 0; k < groups; ++k) {
        const int32_t first = nth(k, groups, reversed) * g.group;
        const int32_t end = first + g.group < g.output_width ? first + g.group : g.output_width;
        group_of_pixels<kLinear>(g, by, blocks, image, oy, first, end, strip,
                                 row + first * g.output_channels);
      }
    }
  }
}

// What is known of the outputs when the kernel is compiled.
template <const MveShape& kShape>
constexpr bool may_be_linear(const StaticMve<kShape>&) {
  return kShape.linear;
}
template <class S>
constexpr bool may_be_linear(const S&) {
  return true;
}

template <class S>
void conv_2d_i8_cmsis_mve(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                          const MveTables& tables, const CmsisMveScratch& scratch) {
  const Geometry& g = *reinterpret_cast<const Geometry*>(tables.geometry);
  constexpr bool kLinear = may_be_linear(S{});
  convolve<kLinear>(g, s.reversed, in.x, out.y, tables.blocks, scratch.strip);
}

#undef OPSMITH_MVE_REQUANTIZE
#undef OPSMITH_MVE_ONLY
#undef OPSMITH_MVE_TAIL
#undef OPSMITH_MVE_STEP_BYTES
#undef OPSMITH_MVE_STEP

}  // namespace opsmith::conv_2d
