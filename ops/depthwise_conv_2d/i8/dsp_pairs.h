// Needs the DSP extension. Fast because words of four channels are multiplied where they lie, so
// that no channel is copied, and a word of weights serves two neighbours in a row of y. For filters
// of 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::depthwise_conv_2d::i8 {

// The sums of four channels of the left pixel, and those of the right one.
struct PairSums {
  int32_t l0, l1, l2, l3, r0, r1, r2, r3;
};

// Products of a tap, N pixels after the first, by the weights from where `w` then points behind
// them.
#define OPSMITH_BEGIN(halves, sum, x, w) "smul" halves " %[" sum "], %[" x "], %[" w "]\n\t"
#define OPSMITH_ADD(halves, sum, x, w) \
  "smla" halves " %[" sum "], %[" x "], %[" w "], %[" sum "]\n\t"
#define OPSMITH_FOUR(product, s0, s1, s2, s3)                                                   \
  "sxtb16 %[xe], %[xo]\n\t"                                                                     \
  "sxtb16 %[xo], %[xo], ror #8\n\t" product("bb", s0, "xe", "we") product("tt", s2, "xe", "we") \
      product("bb", s1, "xo", "wo") product("tt", s3, "xo", "wo")
#define OPSMITH_TAP(pixels, product)                                                              \
  "ldr %[wo], [%[w]], #4\n\t"                                                                     \
  "ldr %[xo], [%[x], #" pixels                                                                    \
  " * %c[next]]\n\t"                                                                              \
  "sxtb16 %[we], %[wo]\n\t"                                                                       \
  "sxtb16 %[wo], %[wo], ror #8\n\t" OPSMITH_FOUR(                                                 \
      product, "l0", "l1", "l2", "l3") "ldr %[xo], [%[x], #%c[right] + " pixels                   \
                                       " * %c[next]]\n\t" OPSMITH_FOUR(product, "r0", "r1", "r2", \
                                                                       "r3")
#define OPSMITH_ROW                                                                       \
  "ldr %[xe], %[pitch]\n\t"                                                               \
  "add %[x], %[x], %[xe]\n\t" OPSMITH_TAP("0", OPSMITH_ADD) OPSMITH_TAP("1", OPSMITH_ADD) \
      OPSMITH_TAP("2", OPSMITH_ADD)

// The sums of two windows whose first pixels begin at x and a stride after it; rows are `pitch`
// bytes apart, and weights are words by tap. In assembly, since sums and operands take all
// registers.
template <class P>
__attribute__((always_inline)) inline PairSums pair_sums(const P&, const int32_t* /*member*/,
                                                         const int8_t* x, const int32_t& pitch,
                                                         const int8_t* w) {
  int32_t l0, l1, l2, l3, r0, r1, r2, r3;
  uint32_t we, wo, xe, xo;
  __asm volatile(
      OPSMITH_TAP("0", OPSMITH_BEGIN) OPSMITH_TAP("1", OPSMITH_ADD) OPSMITH_TAP("2", OPSMITH_ADD)
          OPSMITH_ROW OPSMITH_ROW
      : [l0] "=&r"(l0), [l1] "=&r"(l1), [l2] "=&r"(l2), [l3] "=&r"(l3), [r0] "=&r"(r0),
        [r1] "=&r"(r1), [r2] "=&r"(r2), [r3] "=&r"(r3), [x] "+r"(x), [w] "+r"(w), [we] "=&r"(we),
        [wo] "=&r"(wo), [xe] "=&r"(xe), [xo] "=&r"(xo)
      : [pitch] "m"(pitch), [next] "i"(P::channels), [right] "i"(P::stride_width * P::channels)
      : "memory");
  return {l0, l1, l2, l3, r0, r1, r2, r3};
}
#undef OPSMITH_ROW
#undef OPSMITH_TAP
#undef OPSMITH_FOUR
#undef OPSMITH_ADD
#undef OPSMITH_BEGIN

template <class P>
PairSums pair_sums(const P& p, int32_t P::* /*member*/, const int8_t* x, int32_t pitch,
                   const int8_t* w) {
  PairSums s = {};
  const int32_t next = p.channels, right = p.stride_width * next;
  for (int32_t row = 0; row < 3; ++row, x += pitch) {
    const int8_t* tap = x;
    for (int32_t column = 0; column < 3; ++column, tap += next, w += 4) {
      const uint32_t weights = dsp::load_word(w), l = dsp::load_word(tap);
      const uint32_t r = dsp::load_word(tap + right);
      const uint32_t we = dsp::sxtb16(weights), wo = dsp::sxtb16_ror8(weights);
      const uint32_t le = dsp::sxtb16(l), lo = dsp::sxtb16_ror8(l);
      const uint32_t re = dsp::sxtb16(r), ro = dsp::sxtb16_ror8(r);
      s.l0 = dsp::smlabb(le, we, s.l0), s.l2 = dsp::smlatt(le, we, s.l2);
      s.l1 = dsp::smlabb(lo, wo, s.l1), s.l3 = dsp::smlatt(lo, wo, s.l3);
      s.r0 = dsp::smlabb(re, we, s.r0), s.r2 = dsp::smlatt(re, we, s.r2);
      s.r1 = dsp::smlabb(ro, wo, s.r1), s.r3 = dsp::smlatt(ro, wo, s.r3);
    }
  }
  return s;
}

// Four outputs of both pixels from channel c on. The right one's are written first.
template <class O>
__attribute__((always_inline)) inline void store_pair(const O& o, const PairSums& s,
                                                      const dsp::Threshold* constants, int32_t c,
                                                      int8_t* left, int8_t* right) {
  const auto store = [&](int32_t l, int32_t r, int32_t channel) {
    const dsp::Threshold found = constants[channel];
    right[channel] = dsp::requantize(o, r, found);
    left[channel] = dsp::requantize(o, l, found);
  };
  store(s.l0, s.r0, c);
  store(s.l1, s.r1, c + 1);
  store(s.l2, s.r2, c + 2);
  store(s.l3, s.r3, c + 3);
}

// To all of int8. In assembly, since GCC has not the registers for pointers.
#define OPSMITH_STORE(channel, at, l, r) \
  "ldrd %[m], %[o], [%[k], #" at         \
  "]\n\t"                                \
  "lsl %[" r "], %[" r                   \
  "], #%c[before]\n\t"                   \
  "lsl %[" l "], %[" l                   \
  "], #%c[before]\n\t"                   \
  "smmla %[" r "], %[" r                 \
  "], %[m], %[o]\n\t"                    \
  "smmla %[" l "], %[" l                 \
  "], %[m], %[o]\n\t"                    \
  "ssat %[" r "], #8, %[" r              \
  "], asr #%c[after]\n\t"                \
  "ssat %[" l "], #8, %[" l              \
  "], asr #%c[after]\n\t"                \
  "strb %[" r "], [%[right], #" channel  \
  "]\n\t"                                \
  "strb %[" l "], [%[left], #" channel "]\n\t"
template <int32_t kBefore, int32_t kAfter>
__attribute__((always_inline)) inline void store_pair(
    const dsp::StaticOutputs<kBefore, kAfter, -128, 127>& /*outputs*/, const PairSums& sums,
    const dsp::Threshold* constants, int32_t c, int8_t* left, int8_t* right) {
  PairSums s = sums;
  int32_t m, o;
  __asm volatile(
      OPSMITH_STORE("0", "0", "l0", "r0") OPSMITH_STORE("1", "8", "l1", "r1")
          OPSMITH_STORE("2", "16", "l2", "r2") OPSMITH_STORE("3", "24", "l3", "r3")
      : [l0] "+r"(s.l0), [l1] "+r"(s.l1), [l2] "+r"(s.l2), [l3] "+r"(s.l3), [r0] "+r"(s.r0),
        [r1] "+r"(s.r1), [r2] "+r"(s.r2), [r3] "+r"(s.r3), [m] "=&r"(m), [o] "=&r"(o)
      : [k] "r"(constants + c), [left] "r"(left + c), [right] "r"(right + c), [before] "i"(kBefore),
        [after] "i"(kAfter)
      : "memory");
}
#undef OPSMITH_STORE

// All channels of two pixels of y, of which the right one is written first: where there is none, it
// is the left one. Channels that are left are computed with those before.
template <class P, class C>
__attribute__((noinline)) void pixel_pair(const P& p, const int8_t* x, int32_t row_pitch,
                                          const int8_t* weights, const C& channels, int8_t* left,
                                          int8_t* right) {
  const int32_t last = p.channels - 4, pitch = row_pitch;
  const auto outputs = dsp::outputs_of<int8_t>(p, &P::left_shift);
  C constants = channels;
  for (int32_t c = 0;; c = c + 4 < last ? c + 4 : last, weights += 36) {
    const PairSums s = pair_sums(p, &P::channels, x + c, pitch, weights);
    store_pair(outputs, s, lines_of(constants), c, left, right);
    exceptions_before(constants, c + 4, [&](const Exception* e) {
      const int32_t sums[] = {s.l0, s.l1, s.l2, s.l3, s.r0, s.r1, s.r2, s.r3};
      const int32_t next = right - left;
      return corrected_block<4>(e, c, sums, left, next != 0 ? 2 : 1, next);
    });
    if (c == last) return;
  }
}

// The thresholds of all channels, with exceptions where P has some.
template <class P>
auto thresholds_of([[maybe_unused]] const P& p, const int32_t* table) {
  if constexpr (is_listed(static_cast<const P*>(nullptr))) {
    return ListedChannels(table, p.exceptions_at);
  } else {
    return reinterpret_cast<const dsp::Threshold*>(table);
  }
}
// Copies N columns of the three rows from row y and column x of an image on, with what is beyond
// it.
template <class P>
__attribute__((noinline)) void copy_windows(const P& p, const int8_t* image, int32_t y, int32_t x,
                                            int32_t columns, int8_t* to) {
  const auto bytes = [&](int32_t pixels) { return static_cast<size_t>(pixels * p.channels); };
  const int32_t beyond = x + columns - p.input_width;
  const int32_t before = x < 0 ? -x : 0, after = beyond > 0 ? beyond : 0;
  const int32_t inside = columns - before - after;
  for (int32_t row = y; row < y + 3; ++row, to += bytes(3 + p.stride_width)) {
    if (row < 0 || row >= p.input_height) {
      memset(to, p.input_zero_point, bytes(columns));
      continue;
    }
    if (before > 0) memset(to, p.input_zero_point, bytes(before));
    memcpy(to + bytes(before), image + (row * p.input_width + x + before) * p.channels,
           bytes(inside));
    if (after > 0) memset(to + bytes(before + inside), p.input_zero_point, bytes(after));
  }
}

template <class P, class S>
void dsp_pairs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
               const S& scratch) {
  const int32_t pitch = p.input_width * p.channels, down = p.input_height - 3;
  const int32_t across = p.input_width - 3 - p.stride_width;  // last column of two windows inside
  const auto constants = thresholds_of(p, tables.requantization);
  const int8_t* image = in.x;
  int8_t* to = out.y;
  for (int32_t b = 0; b < p.batches; ++b, image += p.input_height * pitch) {
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      const int32_t y = oy * p.stride_height - p.padding_top;
      const bool inside = y >= 0 && y <= down;
      for (int32_t ox = 0; ox < p.output_width; ox += 2, to += p.channels) {
        const int32_t x = ox * p.stride_width - p.padding_left;
        const int8_t* first = scratch.windows;
        int32_t row = (3 + p.stride_width) * p.channels;
        const bool two = ox + 1 < p.output_width;
        if (inside && x >= 0 && x <= across) {
          first = image + y * pitch + x * p.channels, row = pitch;
        } else {
          copy_windows(p, image, y, x, two ? 3 + p.stride_width : 3, scratch.windows);
        }
        int8_t* left = to;
        if (two) to += p.channels;
        pixel_pair(p, first, row, tables.filter, constants, left, to);
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::i8
