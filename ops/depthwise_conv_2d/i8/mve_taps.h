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

// What the assembly below keeps in memory, where r11 points: pairs of samples of four channels.
struct TapsBlock {
  const int8_t* end;  // of the first samples, in the first strip
  int32_t zero_point;
  int32_t pair_pitch;  // bytes from the outputs of a pair to those of the next
  int32_t back;        // bytes from the last channel's strip to the next samples in the first
  uint32_t inside;     // which channels and samples there are
  int16x8_t low;
  int16x8_t high;
  int32x4_t left;  // shifts
};

// The sums of a channel for a pair of samples. Loads alternate with products.
#define OPSMITH_MVE_CHANNEL(next_first, next_second, first, second) \
  "vldrb.8 q2, [r5], #16\n\t" next_first                            \
  "vldrb.8 q0, [r1]\n\t" next_second                                \
  "vldrb.8 q1, [r3]\n\t"                                            \
  "vmladav.s8 " first ", q0, q2\n\t"                                \
  "vldrb.8 q7, [r5], #16\n\t"                                       \
  "vmladav.s8 " second ", q1, q2\n\t"                               \
  OPSMITH_MVE_MORE("16", first, second)                             \
  ".if %c[vectors] > 2\n\t"                                         \
  "vldrb.8 q7, [r5], #16\n\t"                                       \
  OPSMITH_MVE_MORE("32", first, second)                             \
  ".endif\n\t"                                                      \
  ".if %c[vectors] > 3\n\t"                                         \
  "vldrb.8 q7, [r5], #16\n\t"                                       \
  OPSMITH_MVE_MORE("48", first, second)                             \
  ".endif\n\t"
#define OPSMITH_MVE_MORE(at, first, second) \
  "vldrb.8 q0, [r1, #" at                   \
  "]\n\t"                                   \
  "vmladava.s8 " first                      \
  ", q0, q7\n\t"                            \
  "vldrb.8 q1, [r3, #" at                   \
  "]\n\t"                                   \
  "vmladava.s8 " second ", q1, q7\n\t"
#define OPSMITH_MVE_NEXT(first, second) \
  OPSMITH_MVE_CHANNEL("add r1, r7\n\t", "add r3, r7\n\t", first, second)

// Outputs of pairs of samples, one or more, whose
// places are first[0], second[0], first[1] and so on. In assembly as a whole, since sums have to be
// in the even registers, all of them.
template <int32_t kVectors, bool kSingle, class Channels>
inline void output_pairs(const TapsBlock& block, const Channels& constants, const int8_t* x,
                         int32_t step, int32_t apart, const int8_t* weights, uint16x8_t places,
                         int8_t* y) {
  register const TapsBlock* frame __asm("r11") = &block;
  register const int8_t* first __asm("r1") = x;
  register const int8_t* second __asm("r3") = x + step;
  register const int8_t* taps __asm("r5") = weights;
  register const int32_t strip __asm("r7") = apart;
  register int8_t* to __asm("r9") = y;
  register const int32x4_t bias __asm("q3") = vldrwq_s32(constants.bias);
  register const int32x4_t multiplier __asm("q4") = vldrwq_s32(constants.multiplier);
  register const int32x4_t shift __asm("q5") = vldrbq_s32(constants.shift);
  register const uint16x8_t where __asm("q6") = places;
  __asm volatile(
      "ldr r0, [r11, #%c[inside]]\n\t"
      "vmsr p0, r0\n"
      "1:\n\t" OPSMITH_MVE_CHANNEL("", "", "r0", "r8") OPSMITH_MVE_NEXT("r2", "r10")
          OPSMITH_MVE_NEXT("r4", "r12") OPSMITH_MVE_NEXT("r6", "lr")
      // As mve::requantize(). What is between is for the next pair.
      "vmov q0[2], q0[0], r0, r4\n\t"
      "vmov q0[3], q0[1], r2, r6\n\t"
      "ldm r11, {r0, r2, r4, r6}\n\t"
      "vmov q1[2], q1[0], r8, r12\n\t"
      "add r1, r6\n\t"
      "vadd.i32 q0, q0, %q[bias]\n\t"
      "vmov q1[3], q1[1], r10, lr\n\t"
      "vadd.i32 q1, q1, %q[bias]\n\t"
      ".if %c[single]\n\t"
      ".arch_extension mve.fp\n\t"
      "vcvt.f32.s32 q0, q0\n\t"
      "add r3, r6\n\t"
      "vcvt.f32.s32 q1, q1\n\t"
      "vmul.f32 q0, q0, %q[multiplier]\n\t"
      "cmp r1, r0\n\t"
      "vmul.f32 q1, q1, %q[multiplier]\n\t"
      "vcvtn.s32.f32 q0, q0\n\t"
      "sub r5, #64 * %c[vectors]\n\t"
      "vcvtn.s32.f32 q1, q1\n\t"
      ".else\n\t"
      ".if %c[own]\n\t"
      "vldrw.32 q2, [r11, #%c[left]]\n\t"
      "vshl.s32 q0, q0, q2\n\t"
      "vshl.s32 q1, q1, q2\n\t"
      ".endif\n\t"
      "vqrdmulh.s32 q0, q0, %q[multiplier]\n\t"
      "add r3, r6\n\t"
      "vqrdmulh.s32 q1, q1, %q[multiplier]\n\t"
      "mov r8, #1\n\t"
      ".if %c[own]\n\t"  // channels that round once stay
      "vmrs r10, p0\n\t"
      "vptt.s32 lt, %q[shift], zr\n\t"
      "vqdmlaht.s32 q0, q0, r8\n\t"
      "vqdmlaht.s32 q1, q1, r8\n\t"
      "vmsr p0, r10\n\t"
      "cmp r1, r0\n\t"
      ".else\n\t"
      "vqdmlah.s32 q0, q0, r8\n\t"
      "cmp r1, r0\n\t"
      "vqdmlah.s32 q1, q1, r8\n\t"
      ".endif\n\t"
      "vrshl.s32 q0, q0, %q[shift]\n\t"
      "sub r5, #64 * %c[vectors]\n\t"
      "vrshl.s32 q1, q1, %q[shift]\n\t"
      ".endif\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vqmovnt.s32 q0, q1\n\t"
      "vqadd.s16 q0, q0, r2\n\t"
      "vldrw.32 q1, [r11, #%c[low]]\n\t"
      "vmax.s16 q0, q0, q1\n\t"
      "vldrw.32 q1, [r11, #%c[high]]\n\t"
      "vmin.s16 q0, q0, q1\n\t"
      "vpst\n\t"
      "vstrbt.16 q0, [r9, %q[places]]\n\t"
      "add r9, r4\n\t"
      "blo 1b"
      : [to] "+r"(to), [first] "+r"(first), [second] "+r"(second), [taps] "+r"(taps)
      : [frame] "r"(frame), [strip] "r"(strip), [bias] "w"(bias), [multiplier] "w"(multiplier),
        [shift] "w"(shift), [places] "w"(where), [inside] "i"(offsetof(TapsBlock, inside)),
        [vectors] "i"(kVectors), [single] "i"(kSingle),
        [own] "i"(mve::has_left(static_cast<const Channels*>(nullptr))),
        [low] "i"(offsetof(TapsBlock, low)), [high] "i"(offsetof(TapsBlock, high)),
        [left] "i"(offsetof(TapsBlock, left))
      : "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q7", "p0", "cc",
        "memory");
}

#undef OPSMITH_MVE_NEXT
#undef OPSMITH_MVE_MORE
#undef OPSMITH_MVE_CHANNEL

// A line of outputs of up to four channels, two samples at a time.
template <int32_t kVectors, bool kSingle, class Channels>
inline __attribute__((noinline)) void output_line(const TapsGeometry& g, const int8_t* strip,
                                                  const int8_t* weights, const Channels& constants,
                                                  int32_t channels, int8_t* y) {
  const int32_t step = g.step, pitch = g.output_sample_pitch, apart = g.strip_bytes;
  TapsBlock block;
  block.zero_point = g.output_zero_point;
  block.pair_pitch = 2 * pitch;
  block.back = 2 * step - 3 * apart;
  block.low = vdupq_n_s16(static_cast<int16_t>(g.activation_min));
  block.high = vdupq_n_s16(static_cast<int16_t>(g.activation_max));
  if constexpr (mve::has_left(static_cast<const Channels*>(nullptr))) {
    block.left = vldrbq_s32(constants.left);
  }
  block.inside = vctp32q(static_cast<uint32_t>(channels));
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second =
      vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), static_cast<uint16_t>(pitch));
  const uint16x8_t places = vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
  for (int32_t left = g.output_samples; left > 0; strip = block.end) {
    const int32_t samples = left > 1 ? left / 2 * 2 : 2;
    if (left == 1) block.inside &= 0x3333;
    block.end = strip + samples * step;
    output_pairs<kVectors, kSingle>(block, constants, strip, step, apart, weights, places, y);
    y += samples * pitch;
    left -= samples;
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
