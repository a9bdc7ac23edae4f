// Needs the DSP extension. Fast because of lines of five or seven weights, every word of a plane
// that is loaded and taken apart serves up to three outputs. Planes as in dsp_general.h.
#pragma once

#include "ops/depthwise_conv_2d/i8/dsp_general.h"

namespace opsmith::depthwise_conv_2d::i8 {

// Of weights w0, w1, …: f holds (w0, w2), g (w1, w3), h (w4, w6) or w4 alone, and k w5 or where the
// next w4 is. Of the four bytes of a plane from x + offset on: e holds (0, 2), o (1, 3).
#define OPSMITH_INPUTS(offset) \
  "ldr %[o], [%[x], #" offset  \
  "]\n\t"                      \
  "sxtb16 %[e], %[o]\n\t"      \
  "sxtb16 %[o], %[o], ror #8\n\t"
#define OPSMITH_ADD(multiply, sum, inputs, weights) \
  multiply " %[s" sum "], %[" inputs "], %[" weights "], %[s" sum "]\n\t"
#define OPSMITH_BOTH(sum) OPSMITH_ADD("smlad", sum, "e", "f") OPSMITH_ADD("smlad", sum, "o", "g")

// The sums of a line, by taps and by bytes between the inputs of outputs.
#define OPSMITH_LINE_FIRST            \
  OPSMITH_INPUTS("0")                 \
  OPSMITH_BOTH("0")                   \
  OPSMITH_ADD("smlad", "1", "o", "f") \
  OPSMITH_INPUTS("2")                 \
  OPSMITH_ADD("smlad", "1", "e", "g") \
  OPSMITH_BOTH("2")                   \
  OPSMITH_ADD("smlad", "3", "o", "f") OPSMITH_INPUTS("4") OPSMITH_ADD("smlad", "3", "e", "g")
#define OPSMITH_LINE_5_1                                                                       \
  OPSMITH_LINE_FIRST OPSMITH_ADD("smlabb", "0", "e", "h") OPSMITH_ADD("smlabb", "1", "o", "h") \
      OPSMITH_ADD("smlatb", "2", "e", "h") OPSMITH_ADD("smlatb", "3", "o", "h")
#define OPSMITH_LINE_7_1                                                                           \
  OPSMITH_LINE_FIRST OPSMITH_ADD("smlad", "0", "e", "h") OPSMITH_ADD("smlabb", "0", "o", "k")      \
      OPSMITH_ADD("smlad", "1", "o", "h") OPSMITH_INPUTS("6") OPSMITH_ADD("smlabb", "1", "e", "k") \
          OPSMITH_ADD("smlad", "2", "e", "h") OPSMITH_ADD("smlabb", "2", "o", "k")                 \
              OPSMITH_ADD("smlad", "3", "o", "h") OPSMITH_ADD("smlatb", "3", "e", "k")
#define OPSMITH_LINE_5_2 \
  OPSMITH_INPUTS("0") OPSMITH_BOTH("0") OPSMITH_INPUTS("2") OPSMITH_BOTH("1")                     \
  OPSMITH_INPUTS("4") OPSMITH_BOTH("2") OPSMITH_ADD("smlabb", "0", "e", "h")                      \
  OPSMITH_INPUTS("6") OPSMITH_BOTH("3") OPSMITH_ADD("smlabb", "1", "e", "h")                      \
  "ldr %[o], [%[x], #8]\n\t"                                                                      \
  "sxtb16 %[e], %[o]\n\t" OPSMITH_ADD("smlabb", "2", "e", "h") OPSMITH_ADD("smlatb", "3", "e", "h")
#define OPSMITH_REST(sum) OPSMITH_ADD("smlad", sum, "e", "h") OPSMITH_ADD("smlabb", sum, "o", "k")
#define OPSMITH_LINE_7_2 \
  OPSMITH_INPUTS("0")    \
  OPSMITH_BOTH("0")      \
  OPSMITH_INPUTS("2")    \
  OPSMITH_BOTH("1")      \
  OPSMITH_INPUTS("4")    \
  OPSMITH_BOTH("2")      \
  OPSMITH_REST("0")      \
  OPSMITH_INPUTS("6")    \
  OPSMITH_BOTH("3")      \
  OPSMITH_REST("1") OPSMITH_INPUTS("8") OPSMITH_REST("2") OPSMITH_INPUTS("10") OPSMITH_REST("3")

// Where the last weights of lines of five are: a word for each line has those before.
inline const int8_t* fifths(const uint32_t* weights, int32_t lines) {
  return reinterpret_cast<const int8_t*>(weights + lines);
}

// Sums of four outputs over N lines, `pitch` bytes apart in the plane. One function for all
// layers with such filters.
#define OPSMITH_LINES(name, taps, line)                                                           \
  __attribute__((noinline)) inline void name(const int8_t* x, int32_t pitch, int32_t lines,       \
                                             const uint32_t* weights, int32_t (&sums)[4]) {       \
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                       \
    uint32_t f, g, h, e, o;                                                                       \
    OPSMITH_K_##taps;                                                                             \
    __asm volatile(                                                                               \
        "1:\n\t"                                                                                  \
        "ldr %[g], [%[weights]], #4\n\t" OPSMITH_REST_##taps                                      \
        "sxtb16 %[f], %[g]\n\t"                                                                   \
        "sxtb16 %[g], %[g], ror #8\n\t" line                                                      \
        "subs %[lines], %[lines], #1\n\t"                                                         \
        "add %[x], %[x], %[pitch]\n\t"                                                            \
        "bne 1b"                                                                                  \
        : [s0] "+r"(s0), [s1] "+r"(s1), [s2] "+r"(s2), [s3] "+r"(s3), [x] "+r"(x),                \
          [weights] "+r"(weights), [lines] "+r"(lines), [f] "=&r"(f), [g] "=&r"(g), [h] "=&r"(h), \
          [k] OPSMITH_HOLDS_##taps(k), [e] "=&r"(e), [o] "=&r"(o)                                 \
        : [pitch] "r"(pitch)                                                                      \
        : "cc", "memory");                                                                        \
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;                                       \
  }
#define OPSMITH_K_5 const int8_t* k = fifths(weights, lines)
#define OPSMITH_K_7 uint32_t k
#define OPSMITH_HOLDS_5 "+r"
#define OPSMITH_HOLDS_7 "=&r"
#define OPSMITH_REST_5 "ldrsb %[h], [%[k]], #1\n\t"
#define OPSMITH_REST_7             \
  "ldr %[h], [%[weights]], #4\n\t" \
  "sxtb16 %[k], %[h], ror #8\n\t"  \
  "sxtb16 %[h], %[h]\n\t"
OPSMITH_LINES(five_by_1, 5, OPSMITH_LINE_5_1)
OPSMITH_LINES(five_by_2, 5, OPSMITH_LINE_5_2)
OPSMITH_LINES(seven_by_1, 7, OPSMITH_LINE_7_1)
OPSMITH_LINES(seven_by_2, 7, OPSMITH_LINE_7_2)
#undef OPSMITH_ADD
#undef OPSMITH_BOTH
#undef OPSMITH_INPUTS
#undef OPSMITH_HOLDS_5
#undef OPSMITH_HOLDS_7
#undef OPSMITH_K_5
#undef OPSMITH_K_7
#undef OPSMITH_LINES
#undef OPSMITH_LINE_5_1
#undef OPSMITH_LINE_5_2
#undef OPSMITH_LINE_7_1
#undef OPSMITH_LINE_7_2
#undef OPSMITH_LINE_FIRST
#undef OPSMITH_REST
#undef OPSMITH_REST_5
#undef OPSMITH_REST_7

// The sum of one output.
__attribute__((noinline)) inline int32_t sum_of_fives(const int8_t* x, int32_t pitch, int32_t lines,
                                                      const uint32_t* weights) {
  int32_t sum = 0;
  const int8_t* fifth = fifths(weights, lines);
  for (; lines > 0; --lines, x += pitch) {
    weights = add_line(x, weights, weights + 1, sum);
    sum += *fifth++ * x[4];
  }
  return sum;
}

__attribute__((noinline)) inline int32_t sum_of_sevens(const int8_t* x, int32_t pitch,
                                                       int32_t lines, const uint32_t* weights) {
  int32_t sum = 0;
  for (; lines > 0; --lines, x += pitch) weights = add_line(x, weights, weights + 2, sum);
  return sum;
}

// Which of them a node needs.
template <class P>
auto lines_of(const P& p) {
  if (p.filter_samples == 5) return p.stride_sample == 1 ? five_by_1 : five_by_2;
  return p.stride_sample == 1 ? seven_by_1 : seven_by_2;
}
template <class P>
auto sum_of(const P& p) {
  return p.filter_samples == 5 ? sum_of_fives : sum_of_sevens;
}

// All outputs of a channel whose plane is filled, four of a line at a time. What is read of P is
// read before anything is written, which might be P as far as the compiler knows.
template <class P, class O, class C>
void output_taps(const P& p, const O o, const int8_t* plane, const uint32_t* weights,
                 const C& constants, int8_t* y) {
  const C channel = constants;
  const auto sums_of_lines = lines_of(p);
  const auto last_sum = sum_of(p);
  const int32_t lines = p.output_lines, samples = p.output_samples, weighted = p.filter_lines;
  const int32_t pitch = p.dilation_line * p.plane_pitch, next = 4 * p.stride_sample;
  const int32_t to_line = p.stride_line * p.plane_pitch;
  const int32_t y_pitch = p.output_sample_pitch, y_line = p.output_line_pitch;
  for (int32_t line = 0; line < lines; ++line, y += y_line, plane += to_line) {
    const int8_t* x = plane;
    int8_t* to = y;
    for (int32_t left = samples; left > 0; left -= 4, x += next) {
      int32_t sums[4];
      if (left == 1) {
        *to = dsp::requantize(o, last_sum(x, pitch, weighted, weights), channel);
        break;
      }
      sums_of_lines(x, pitch, weighted, weights, sums);
      to[0] = dsp::requantize(o, sums[0], channel);
      to[y_pitch] = dsp::requantize(o, sums[1], channel);
      if (left == 2) break;
      to += 2 * y_pitch;
      to[0] = dsp::requantize(o, sums[2], channel);
      if (left == 3) break;
      to[y_pitch] = dsp::requantize(o, sums[3], channel);
      to += 2 * y_pitch;
    }
  }
}

template <class P, class S>
void dsp_lines(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
               const S& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const auto output = [&](const auto& outputs, const auto& constants, int32_t c, int8_t* y) {
    output_taps(p, outputs, scratch.plane, weights + c * p.channel_words, constants, y);
  };
  all_channels(p, in, out, tables.requantization, scratch.plane, output);
}

}  // namespace opsmith::depthwise_conv_2d::i8
