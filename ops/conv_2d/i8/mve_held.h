// Needs Helium. Fast as mve.h is, for outputs of few inputs: one or two vectors hold those of a
// pixel, so that they are loaded once for all channels, and twice as many pixels share a vector of
// weights where it is one.
#pragma once

#include "ops/conv_2d/i8/mve.h"
#include "runtimes/cmsis/mve_held.h"

namespace opsmith::conv_2d::i8 {

// Takes as many fours of a group as there are, or the last pixels: those that are missing are the
// last one again, which is written several times. False: there are none in any group. Cold, as
// next_group() is.
inline __attribute__((noinline, cold)) bool take_fours(Groups<Strips>& walk, const int32_t* blocks,
                                                       mve::Fours& fours, uint16x8_t& places) {
  const Strips& g = walk.g;
  mve::Row& row = walk.row;
  if (row.pixels == 0 && !next_group<false>(walk)) return false;
  const int32_t channels = g.output_channels, step = row.step;
  const int32_t count = row.pixels < 4 ? row.pixels : 4, left = row.pixels < 4 ? 1 : row.pixels / 4;
  const uint16x8_t lanes = vidupq_n_u16(0, 1), channel = vandq_u16(lanes, vdupq_n_u16(1));
  const uint16x8_t last = vdupq_n_u16(static_cast<uint16_t>(count - 1));
  const uint16x8_t pixel = vminq_u16(vshrq_n_u16(lanes, 1), last);
  places = vmlaq_n_u16(channel, pixel, static_cast<uint16_t>(channels));
  fours = {row.x,
           {count > 1 ? step : 0, count > 2 ? step : 0, count > 3 ? step : 0},
           4 * step,
           left,
           3 * channels + 2,
           4 * channels,
           row.y + channels - 2,
           g.output_zero_point,
           row.y,
           blocks,
           (channels + 1) / 2 % 2};
  row.x += left * count * step;
  row.y += left * count * channels;
  row.pixels -= left * count;
  return true;
}

// The same of pairs.
inline __attribute__((noinline, cold)) bool take_held(Groups<Strips>& walk, const int32_t* blocks,
                                                      mve::HeldPairs& pairs, uint16x8_t& places) {
  const Strips& g = walk.g;
  mve::Row& row = walk.row;
  if (row.pixels == 0 && !next_group<false>(walk)) return false;
  const int32_t channels = g.output_channels, step = row.step, second = row.pixels > 1;
  places = mve::places(second * channels);
  pairs = {row.x,
           row.x + second * step,
           2 * step,
           second ? row.pixels / 2 : 1,
           row.y + channels - 4,
           g.output_zero_point,
           row.y,
           g.tail == 0 ? 16 : g.tail,
           channels,
           blocks};
  const int32_t done = second ? 2 * pairs.left : 1;
  row.x += done * step;
  row.y += done * channels;
  row.pixels -= done;
  return true;
}

template <int32_t kVectors, int32_t kRounding>
inline __attribute__((noinline)) void convolve_held(const Strips& g, bool reversed, const int8_t* x,
                                                    int8_t* y, const int32_t* blocks,
                                                    int8_t* strip) {
  Groups<Strips> walk(g, reversed, x, y, strip);
  uint16x8_t places;
  if constexpr (kVectors == 1) {
    mve::Fours fours;
    while (take_fours(walk, blocks, fours, places)) mve::fours_of_pixels<kRounding>(fours, places);
  } else {
    mve::HeldPairs pairs;
    while (take_held(walk, blocks, pairs, places)) mve::held_pairs<kRounding>(pairs, places);
  }
}

// What is known of the inputs and the outputs when the kernel is compiled.
template <const HeldParams& kParams, class... Arguments>
void convolve_held(const StaticHeld<kParams>&, const Arguments&... arguments) {
  convolve_held<kParams.vectors, mve::rounding(kParams.linear)>(arguments...);
}
template <const HeldOwnParams& kParams, class... Arguments>
void convolve_held(const StaticHeldOwn<kParams>&, const Arguments&... arguments) {
  constexpr int32_t kRounding = mve::own_rounding(kParams.linear, kParams.left);
  convolve_held<kParams.vectors, kRounding>(arguments...);
}
template <class... Arguments>
void convolve_held(const HeldParams& p, const Arguments&... arguments) {
  if (p.vectors == 1) return convolve_held<1, mve::kLinear>(arguments...);
  convolve_held<2, mve::kLinear>(arguments...);
}
template <class... Arguments>
void convolve_held(const HeldOwnParams& p, const Arguments&... arguments) {
  constexpr int32_t kRounding = mve::own_rounding(true, true);
  if (p.vectors == 1) return convolve_held<1, kRounding>(arguments...);
  convolve_held<2, kRounding>(arguments...);
}

template <class P, class S>
void mve_held(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const HeldTables& tables,
              const S& scratch) {
  convolve_held(p, *tables.strips, p.reversed, in.x, out.y, tables.blocks, scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
