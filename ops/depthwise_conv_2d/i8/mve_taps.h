// Needs Helium. Fast as mve_lines.h is, for windows of more taps than a vector holds: of each
// channel, two to four vectors of weights serve two samples.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/mve_walk.h"

namespace opsmith::depthwise_conv_2d::i8 {

// The weights of up to eight channels as the strips have the taps: vectors each, with zeros in the
// last one.
template <int32_t kVectors>
inline void stage_vectors(const uint8_t* order, const int8_t* filter, int32_t taps,
                          int32_t channels, int8_t* weights) {
  __asm volatile(
      "vctp.8 %[rest]\n\t"
      "vldrb.8 q4, [%[order]]\n\t"
      "vldrb.8 q5, [%[order], #16]\n\t"
      ".if %c[vectors] > 2\n\t"
      "vldrb.8 q6, [%[order], #32]\n\t"
      ".endif\n\t"
      ".if %c[vectors] > 3\n\t"
      "vldrb.8 q7, [%[order], #48]\n\t"
      ".endif\n\t"
      "dls lr, %[channels]\n"
      "1:\n\t"
      "vldrb.u8 q0, [%[filter], q4]\n\t"
      "vstrb.8 q0, [%[weights]], #16\n\t"
      ".if %c[vectors] > 2\n\t"
      "vldrb.u8 q0, [%[filter], q5]\n\t"
      "vstrb.8 q0, [%[weights]], #16\n\t"
      ".endif\n\t"
      ".if %c[vectors] > 3\n\t"
      "vldrb.u8 q0, [%[filter], q6]\n\t"
      "vstrb.8 q0, [%[weights]], #16\n\t"
      ".endif\n\t"
      "vpst\n\t"
      ".if %c[vectors] == 2\n\t"
      "vldrbt.u8 q0, [%[filter], q5]\n\t"
      ".elseif %c[vectors] == 3\n\t"
      "vldrbt.u8 q0, [%[filter], q6]\n\t"
      ".else\n\t"
      "vldrbt.u8 q0, [%[filter], q7]\n\t"
      ".endif\n\t"
      "add %[filter], %[taps]\n\t"
      "vstrb.8 q0, [%[weights]], #16\n\t"
      "le lr, 1b"
      : [filter] "+r"(filter), [weights] "+r"(weights)
      : [order] "r"(order), [taps] "r"(taps), [channels] "r"(channels),
        [rest] "r"(taps - 16 * (kVectors - 1)), [vectors] "i"(kVectors)
      : "lr", "q0", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
}

// The sums of one channel for two samples, whose windows are `step` bytes apart; returns the
// weights of the next channel. In assembly, since the compiler keeps a pointer for each vector.
template <int32_t kVectors>
inline const int8_t* sums_of_pair(const int8_t* x, int32_t step, const int8_t* weights,
                                  int32_t& first, int32_t& second) {
  const int8_t* next = x + step;
  int32_t a, b;
  __asm volatile(
      "vldrb.8 q0, [%[w]], #16\n\t"
      "vldrb.8 q1, [%[x]], #16\n\t"
      "vldrb.8 q2, [%[next]], #16\n\t"
      "vmladav.s8 %[a], q1, q0\n\t"
      "vmladav.s8 %[b], q2, q0\n\t"
      ".rept %c[more]\n\t"
      "vldrb.8 q0, [%[w]], #16\n\t"
      "vldrb.8 q1, [%[x]], #16\n\t"
      "vldrb.8 q2, [%[next]], #16\n\t"
      "vmladava.s8 %[a], q1, q0\n\t"
      "vmladava.s8 %[b], q2, q0\n\t"
      ".endr"
      : [a] "=&Te"(a), [b] "=&Te"(b), [x] "+r"(x), [next] "+r"(next), [w] "+r"(weights)
      : [more] "i"(kVectors - 1)
      : "q0", "q1", "q2", "memory");
  first = a, second = b;
  return weights;
}

// Four outputs of each of two samples, of as many channels and samples as `inside` has, whose
// places are first[0], second[0], first[1] and so on.
template <bool kSingle, class Channels>
inline void store_pair(const TapsGeometry& g, const Channels& constants, int32x4_t first,
                       int32x4_t second, uint16x8_t places, mve_pred16_t inside, int8_t* y) {
  const int32x4_t bias = vldrwq_s32(constants.bias), shift = vldrbq_s32(constants.shift);
  const int32x4_t multiplier = vldrwq_s32(constants.multiplier);
  first = vaddq_s32(first, bias), second = vaddq_s32(second, bias);
  if constexpr (kSingle) {
    first = mve::by_factors(first, multiplier), second = mve::by_factors(second, multiplier);
  } else if constexpr (mve::has_left(static_cast<const Channels*>(nullptr))) {
    const int32x4_t left = vldrbq_s32(constants.left);
    first = mve::requantize(first, multiplier, shift, left);
    second = mve::requantize(second, multiplier, shift, left);
  } else {
    first = mve::requantize(first, multiplier, shift);
    second = mve::requantize(second, multiplier, shift);
  }
  int16x8_t both = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), first), second);
  both = vqaddq_n_s16(both, static_cast<int16_t>(g.output_zero_point));
  both = vmaxq_s16(both, vdupq_n_s16(static_cast<int16_t>(g.activation_min)));
  both = vminq_s16(both, vdupq_n_s16(static_cast<int16_t>(g.activation_max)));
  vstrbq_scatter_offset_p_s16(y, places, both, inside);
}

// A line of outputs of up to four channels, two samples at a time.
template <int32_t kVectors, bool kSingle, class Channels>
inline __attribute__((noinline)) void output_line(const TapsGeometry& g, const int8_t* strip,
                                                  const int8_t* weights, const Channels& constants,
                                                  int32_t channels, int8_t* y) {
  const int32_t step = g.step, pitch = g.output_sample_pitch, apart = g.strip_bytes;
  const mve_pred16_t pair = vctp32q(static_cast<uint32_t>(channels));
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second =
      vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), static_cast<uint16_t>(pitch));
  const uint16x8_t places = vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
  for (int32_t left = g.output_samples; left > 0; left -= 2, strip += 2 * step, y += 2 * pitch) {
    int32_t a[4], b[4];
    const int8_t *x = strip, *w = weights;
#pragma GCC unroll 4
    for (int32_t c = 0; c < 4; ++c, x += apart) {
      w = sums_of_pair<kVectors>(x, step, w, a[c], b[c]);
    }
    const mve_pred16_t inside = left > 1 ? pair : static_cast<mve_pred16_t>(pair & 0x3333);
    store_pair<kSingle>(g, constants, mve::gather(a[0], a[1], a[2], a[3]),
                        mve::gather(b[0], b[1], b[2], b[3]), places, inside, y);
  }
}

// Up to eight channels of an image, whose constants begin where `filter` and `constants` point.
template <int32_t kVectors, bool kSingle, class Channels, class Scratch>
inline __attribute__((noinline)) void eight_channels(const TapsGeometry& g, Ring& ring,
                                                     const int8_t* image, const uint8_t* order,
                                                     const int8_t* filter,
                                                     const Channels* constants, int32_t channels,
                                                     const Scratch& scratch, int8_t* y) {
  const int32_t taps = g.filter_lines * g.filter_samples;
  restart(ring, g, image, channels);
  for (int32_t line = 0; line < g.output_lines; ++line, y += g.output_line_pitch) {
    const int32_t top = line * g.stride_line - g.padding_line;
    stage_lines<false>(g, ring, top);
    if (line == 0 || g.filter_lines > 1) {
      const int32_t turned = line * g.stride_line % g.filter_lines;
      stage_vectors<kVectors>(order + 16 * kVectors * turned, filter, taps, channels,
                              scratch.weights);
    }
    output_line<kVectors, kSingle>(g, scratch.strip, scratch.weights, constants[0], channels, y);
    if (channels > 4) {
      output_line<kVectors, kSingle>(g, scratch.strip + 4 * g.strip_bytes,
                                     scratch.weights + 4 * 16 * kVectors, constants[1],
                                     channels - 4, y + 4);
    }
  }
}

template <int32_t kVectors, bool kSingle, class Tables, class Scratch>
inline void every_channel(const TapsGeometry& g, Ring& ring, const int8_t* x, const Tables& tables,
                          const Scratch& scratch, int8_t* y) {
  const int32_t taps = g.filter_lines * g.filter_samples;
  for (int32_t c = 0; c < g.channels; c += 8) {
    eight_channels<kVectors, kSingle>(g, ring, x + c, tables.order, tables.filter + c * taps,
                                      tables.requantization + c / 4,
                                      g.channels - c < 8 ? g.channels - c : 8, scratch, y + c);
  }
}

// All images; with kSingle multipliers are float32.
template <bool kSingle, class Tables, class Scratch>
void every_image(const TapsGeometry& g, const int8_t* x, int8_t* y, const Tables& tables,
                 const Scratch& scratch) {
  // The border stays: all else in the strips is written again before it is read.
  mve::fill(scratch.strip, static_cast<int8_t>(g.input_zero_point), 8 * g.strip_bytes);
  Ring ring;
  prepare<false>(ring, g, scratch.strip);
  for (int32_t b = 0; b < g.batches; ++b, x += g.input_bytes, y += g.output_bytes) {
    if (g.vectors == 2) {
      every_channel<2, kSingle>(g, ring, x, tables, scratch, y);
    } else if (g.vectors == 3) {
      every_channel<3, kSingle>(g, ring, x, tables, scratch, y);
    } else {
      every_channel<4, kSingle>(g, ring, x, tables, scratch, y);
    }
  }
}

template <class P, class T, class S>
void mve_taps(const P&, const In<int8_t>& in, const Out<int8_t>& out, const T& tables,
              const S& scratch) {
  every_image<false>(*tables.geometry, in.x, out.y, tables, scratch);
}

}  // namespace opsmith::depthwise_conv_2d::i8
