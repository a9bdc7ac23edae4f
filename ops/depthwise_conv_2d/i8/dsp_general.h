// Needs the DSP extension. Fast because a channel is first copied into a plane with its border,
// from which one load gives four inputs; of each four weights that are loaded, four outputs take
// their products at once. For filters of any size.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/dsp_gather.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::depthwise_conv_2d::i8 {

// Copies one channel of an image into the inside of the plane, line by line. What is read of P is
// read before anything is written, which might be P as far as the compiler knows.
template <class P>
void fill_lines(const P& p, const int8_t* x, int8_t* plane) {
  int8_t* line = plane + p.padding_line * p.plane_pitch + p.padding_sample;
  const int32_t pitch = p.input_sample_pitch, samples = p.copied_samples, lines = p.copied_lines;
  const int32_t to_line = p.plane_pitch, x_line = p.input_line_pitch;
  for (int32_t i = 0; i < lines; ++i, line += to_line, x += x_line) {
    gather<0>(x, pitch, samples, line);
  }
}

// Adds to four outputs, whose inputs are `stride` bytes apart, the products of a line of the
// filter: up to `end`, four in each word.
__attribute__((always_inline)) inline const uint32_t* add_line(const int8_t* x, int32_t stride,
                                                               const uint32_t* weights,
                                                               const uint32_t* end, int32_t& sum0,
                                                               int32_t& sum1, int32_t& sum2,
                                                               int32_t& sum3) {
  uint32_t even, odd, word0, word1, word2, word3;
  __asm volatile(
      "1:\n\t"
      "ldr %[word0], [%[x]]\n\t"
      "ldr %[word1], [%[x], %[stride]]\n\t"
      "ldr %[word2], [%[x], %[stride], lsl #1]\n\t"
      "ldr %[odd], [%[weights]], #4\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "sxtb16 %[word3], %[word0]\n\t"
      "sxtb16 %[word0], %[word0], ror #8\n\t"
      "smlad %[sum0], %[word3], %[even], %[sum0]\n\t"
      "smlad %[sum0], %[word0], %[odd], %[sum0]\n\t"
      "add %[word0], %[x], %[stride]\n\t"
      "sxtb16 %[word3], %[word1]\n\t"
      "sxtb16 %[word1], %[word1], ror #8\n\t"
      "smlad %[sum1], %[word3], %[even], %[sum1]\n\t"
      "smlad %[sum1], %[word1], %[odd], %[sum1]\n\t"
      "ldr %[word0], [%[word0], %[stride], lsl #1]\n\t"
      "sxtb16 %[word3], %[word2]\n\t"
      "sxtb16 %[word2], %[word2], ror #8\n\t"
      "smlad %[sum2], %[word3], %[even], %[sum2]\n\t"
      "smlad %[sum2], %[word2], %[odd], %[sum2]\n\t"
      "sxtb16 %[word3], %[word0]\n\t"
      "sxtb16 %[word0], %[word0], ror #8\n\t"
      "smlad %[sum3], %[word3], %[even], %[sum3]\n\t"
      "smlad %[sum3], %[word0], %[odd], %[sum3]\n\t"
      "add %[x], %[x], #4\n\t"
      "ldr %[word1], %[end]\n\t"
      "cmp %[weights], %[word1]\n\t"
      "bne 1b"
      : [sum0] "+r"(sum0), [sum1] "+r"(sum1), [sum2] "+r"(sum2), [sum3] "+r"(sum3), [x] "+r"(x),
        [weights] "+r"(weights), [even] "=&r"(even), [odd] "=&r"(odd), [word0] "=&r"(word0),
        [word1] "=&r"(word1), [word2] "=&r"(word2), [word3] "=&r"(word3)
      : [stride] "r"(stride), [end] "m"(end)
      : "cc", "memory");
  return weights;
}

// The same for a single output.
inline const uint32_t* add_line(const int8_t* x, const uint32_t* weights, const uint32_t* end,
                                int32_t& sum) {
  for (; weights != end; ++weights, x += 4) {
    const uint32_t word = dsp::load_word(x), four = *weights;
    sum = dsp::smlad(dsp::sxtb16(word), dsp::sxtb16(four), sum);
    sum = dsp::smlad(dsp::sxtb16_ror8(word), dsp::sxtb16_ror8(four), sum);
  }
  return weights;
}

// All outputs of a channel whose plane is filled, four of a line at a time. Operands are copied,
// since y could alias them.
template <class P, class O, class C, class Y>
void output_lines(const P& p, const O outputs, const int8_t* plane, const uint32_t* weights,
                  const C& constants, Y* y) {
  const C channel = constants;
  const auto bounds = saturated(outputs);
  const int32_t samples = p.output_samples, pitch = p.output_sample_pitch;
  const int32_t stride = p.stride_sample, down = p.dilation_line * p.plane_pitch;
  const int32_t lines = p.filter_lines, words = p.filter_words;
  for (int32_t line = 0; line < p.output_lines; ++line, y += p.output_line_pitch) {
    const int8_t* top = plane + line * p.stride_line * p.plane_pitch;
    Y* to = y;
    for (int32_t i = 0; i < samples; i += 4, to += 4 * pitch) {
      const int8_t* x = top + i * stride;
      int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
      const int32_t left = samples - i;
      const uint32_t* w = weights;
      for (int32_t f = 0; f < lines; ++f, x += down) {
        const uint32_t* end = w + words;
        w = left == 1 ? add_line(x, w, end, sum0)
                      : add_line(x, stride, w, end, sum0, sum1, sum2, sum3);
      }
      to[0] = requantize(bounds, sum0, channel);
      if (left > 1) to[pitch] = requantize(bounds, sum1, channel);
      if (left > 2) to[2 * pitch] = requantize(bounds, sum2, channel);
      if (left > 3) to[3 * pitch] = requantize(bounds, sum3, channel);
    }
    clamp_outputs(outputs, samples, pitch, y);
  }
}

// Calls output(outputs, constants, c, y) for output channel c of an image, whose plane is filled.
// `constants` are of the kind that P says, or the channel's own.
template <class P, class F>
void output_of_channel(const P& p, const int32_t* table, int32_t c, int8_t* y, F output) {
  const auto outputs = dsp::outputs_of<int8_t>(p, &P::left_shift);
  if constexpr (has_own(static_cast<const P*>(nullptr))) {
    if (const Rounding* own = own_of(p, table, c)) return output(outputs, *own, c, y);
  }
  const auto others = dsp::of_others(outputs);
  with_constants(p, table, [&](auto constants) { output(others, constants[c], c, y); });
}

// The same for all channels of all images.
template <class P, class F>
void all_channels(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const int32_t* table,
                  int8_t* plane, F output) {
  memset(plane, p.input_zero_point, static_cast<size_t>(p.plane_bytes));
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t i = 0, c = 0; i < p.channels; ++i) {
      fill_lines(p, in.x + b * p.input_bytes + i, plane);
      for (int32_t f = 0; f < p.channel_multiplier; ++f, ++c) {
        output_of_channel(p, table, c, out.y + b * p.output_bytes + c, output);
      }
    }
  }
}

template <class P, class S>
void dsp_general(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                 const S& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const int32_t words = p.filter_lines * p.filter_words;
  const auto output = [&](const auto& outputs, const auto& constants, int32_t c, int8_t* y) {
    output_lines(p, outputs, scratch.plane, weights + c * words, constants, y);
  };
  all_channels(p, in, out, tables.requantization, scratch.plane, output);
}

}  // namespace opsmith::depthwise_conv_2d::i8
