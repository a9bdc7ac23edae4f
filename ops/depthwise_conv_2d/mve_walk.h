// The walk of mve_lines.h through images, for int8 and uint8: its geometry and tables are those of
// mve_lines.py.
#pragma once

#include "ops/depthwise_conv_2d/mve_outputs.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d {

// The lines of the input that are in the strips of up to eight channels, as a ring. What the
// assembly below keeps in memory.
struct Ring {
  int32_t input_lines;
  int32_t samples;       // that are copied of each
  int32_t line_pitch;    // bytes of the input from line to line
  const int8_t* behind;  // the places
  int8_t* first;         // place
  int32_t pitch;         // bytes of the input from sample to sample
  int32_t lines;         // bytes of a strip from sample to sample
  int32_t channels;
  int32_t end;         // the line to stage to
  const int8_t* line;  // the next of the input, which may be outside
  int32_t number;      // of it
  int8_t* place;       // of it
  uint16x8_t strips;   // where the channels of a sample go
  uint16x8_t next;     // and of the next one
  int8_t border[8];    // a sample of lines outside
};
static_assert(offsetof(Ring, samples) == offsetof(Ring, input_lines) + 4, "");
static_assert(offsetof(Ring, behind) == offsetof(Ring, line_pitch) + 4, "");

// What is the same for all channels. Lines outside of the image have the zero point.
template <bool kUnsigned, class LinesGeometry>
inline void prepare(Ring& ring, const LinesGeometry& g, int8_t* strip) {
  const auto apart = static_cast<uint16_t>(g.strip_bytes);
  ring.input_lines = g.input_lines;
  ring.samples = g.copied_samples;
  ring.line_pitch = g.input_line_pitch;
  ring.first = strip + g.padding_sample * g.filter_lines;
  ring.behind = ring.first + g.filter_lines;
  ring.pitch = g.input_sample_pitch;
  ring.lines = g.filter_lines;
  ring.strips = vmulq_n_u16(vidupq_n_u16(0, 1), apart);
  ring.next = vaddq_n_u16(ring.strips, static_cast<uint16_t>(g.filter_lines));
  vstrbq_s16(ring.border,
             vdupq_n_s16(static_cast<int16_t>(g.input_zero_point ^ (kUnsigned ? 0x80 : 0))));
}

// Begins with N channels of an image.
template <class LinesGeometry>
inline void restart(Ring& ring, const LinesGeometry& g, const int8_t* image, int32_t channels) {
  ring.channels = channels;
  ring.line = image - g.padding_line * g.input_line_pitch;
  ring.number = -g.padding_line;
  ring.place = ring.first;
}

// Puts the lines that a line of outputs needs, from `top` on, in their places in the strips, two
// samples at a time: uint8 as int8 that are 128 less. After the last channel come zeros.
template <bool kUnsigned, class LinesGeometry>
inline void stage_lines(const LinesGeometry& g, Ring& ring, int32_t top) {
  for (; ring.number < top; ++ring.number, ring.line += g.input_line_pitch) {
    if (++ring.place == ring.behind) ring.place = ring.first;
  }
  ring.end = top + g.filter_lines;
  if (ring.number >= ring.end) return;
  const int8_t *line = ring.line, *a, *b;
  int8_t *place = ring.place, *to;
  int32_t number = ring.number, step, count;
  __asm volatile(
      "ldr %[count], [%[ring], #%c[channels]]\n\t"
      "vctp.16 %[count]\n\t"
      "vldrw.32 q2, [%[ring], #%c[strips]]\n\t"
      "vldrw.32 q3, [%[ring], #%c[next]]\n\t"
      ".if %c[flips]\n\t"
      "vmov.i16 q4, #0x80\n\t"
      ".endif\n"
      "1:\n\t"
      "ldrd %[step], %[count], [%[ring], #%c[input_lines]]\n\t"
      "mov %[a], %[line]\n\t"
      "cmp %[number], %[step]\n\t"
      "ldr %[step], [%[ring], #%c[pitch]]\n\t"
      "itt cs\n\t"  // before the first line, or after the last
      "addcs %[a], %[ring], #%c[border]\n\t"
      "movcs %[step], #0\n\t"
      "add %[b], %[a], %[step]\n\t"
      "lsls %[step], %[step], #1\n\t"
      "mov %[to], %[place]\n\t"
      "lsr lr, %[count], #1\n\t"
      "wls lr, lr, 3f\n"
      "2:\n\t"
      "vpstt\n\t"
      "vldrbt.s16 q0, [%[a]]\n\t"
      "vldrbt.s16 q1, [%[b]]\n\t"
      "add %[a], %[step]\n\t"
      ".if %c[flips]\n\t"
      "veor q0, q0, q4\n\t"
      "veor q1, q1, q4\n\t"
      ".endif\n\t"
      "vstrb.16 q0, [%[to], q2]\n\t"
      "add %[b], %[step]\n\t"
      "vstrb.16 q1, [%[to], q3]\n\t"
      "add %[to], %[to], %[lines], lsl #1\n\t"
      "le lr, 2b\n"
      "3:\n\t"
      "lsls %[count], %[count], #31\n\t"
      "beq 4f\n\t"
      "vpst\n\t"
      "vldrbt.s16 q0, [%[a]]\n\t"
      ".if %c[flips]\n\t"
      "veor q0, q0, q4\n\t"
      ".endif\n\t"
      "vstrb.16 q0, [%[to], q2]\n"
      "4:\n\t"
      "ldrd %[step], %[count], [%[ring], #%c[line_pitch]]\n\t"
      "add %[place], #1\n\t"
      "add %[line], %[step]\n\t"
      "cmp %[place], %[count]\n\t"
      "ldr %[count], [%[ring], #%c[end]]\n\t"
      "it eq\n\t"
      "ldreq %[place], [%[ring], #%c[first]]\n\t"
      "add %[number], #1\n\t"
      "cmp %[number], %[count]\n\t"
      "blt 1b"
      : [line] "+r"(line), [number] "+r"(number), [place] "+r"(place), [a] "=&l"(a), [b] "=&l"(b),
        [to] "=&r"(to), [step] "=&l"(step), [count] "=&l"(count)
      : [ring] "r"(&ring), [lines] "r"(ring.lines), [flips] "i"(kUnsigned),
        [channels] "i"(offsetof(Ring, channels)), [strips] "i"(offsetof(Ring, strips)),
        [next] "i"(offsetof(Ring, next)), [input_lines] "i"(offsetof(Ring, input_lines)),
        [pitch] "i"(offsetof(Ring, pitch)), [border] "i"(offsetof(Ring, border)),
        [line_pitch] "i"(offsetof(Ring, line_pitch)), [end] "i"(offsetof(Ring, end)),
        [first] "i"(offsetof(Ring, first))
      : "lr", "q0", "q1", "q2", "q3", "q4", "p0", "cc", "memory");
  ring.line = line;
  ring.number = number;
  ring.place = place;
}

// A walk through images, line of outputs by line, for up to eight channels after the others. It is
// the same for all forms, so that the code of each is its assembly alone.
template <class LinesGeometry, class FourChannels>
struct Walk {
  Walk(const LinesGeometry& geometry, const int8_t* input, int8_t* output, const uint8_t* orders,
       const int8_t* taps, const FourChannels* requantization, int8_t* strips)
      : g(geometry),
        x(input),
        y(output),
        order(orders),
        filter(taps),
        constants(requantization),
        strip(strips) {}

  const LinesGeometry& g;
  const int8_t* x;
  int8_t* y;
  const uint8_t* order;
  const int8_t* filter;
  const FourChannels* constants;
  int8_t* strip;
  int32_t group;          // of channels of an image
  int32_t left;           // lines of it
  int32_t top;            // line of the input where the next line of outputs begins
  const uint8_t* turned;  // how the ring is turned there
  int32_t turn;           // bytes of `order` from this to how it is turned next
  int32_t turns;          // and of all
  int8_t* to;
  Ring ring;
  Block blocks[2];
};

// Begins with the first group.
template <bool kUnsigned, class LinesGeometry, class FourChannels>
inline __attribute__((noinline)) void begin(Walk<LinesGeometry, FourChannels>& walk, int32_t step) {
  const LinesGeometry& g = walk.g;
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second =
      vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), static_cast<uint16_t>(g.output_sample_pitch));
  walk.group = walk.left = 0;
  walk.turn = 16 * (g.stride_line % g.filter_lines);
  walk.turns = 16 * g.filter_lines;
  prepare<kUnsigned>(walk.ring, g, walk.strip);
  // The border stays: all else in the strips is written again before it is read.
  mve::fill(walk.strip, static_cast<int8_t>(g.input_zero_point), 8 * g.strip_bytes);
  const int8_t* x = walk.strip;
  for (Block& block : walk.blocks) {
    block.zero_point = g.output_zero_point;
    block.pair_pitch = 2 * g.output_sample_pitch;
    block.end = x + g.output_samples / 2 * 2 * step;
    block.taps = g.filter_lines * g.filter_samples;
    block.x = x;
    block.strip_bytes = g.strip_bytes;
    block.odd = g.output_samples % 2;
    block.step = step;
    block.low = vdupq_n_s16(static_cast<int16_t>(g.activation_min));
    block.high = vdupq_n_s16(static_cast<int16_t>(g.activation_max));
    block.places = vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
    x += 4 * g.strip_bytes;
  }
}

// Begins with the next group, if there is one.
template <class LinesGeometry, class FourChannels>
inline __attribute__((noinline)) bool next_group(Walk<LinesGeometry, FourChannels>& walk) {
  const LinesGeometry& g = walk.g;
  const int32_t groups = (g.channels + 7) / 8, b = walk.group / groups;
  if (b == g.batches) return false;
  const int32_t first = 8 * (walk.group++ - b * groups), left = g.channels - first;
  walk.left = g.output_lines;
  walk.top = -g.padding_line;
  walk.turned = walk.order;
  walk.to = walk.y + b * g.output_bytes + first - 2 * g.output_sample_pitch;
  restart(walk.ring, g, walk.x + b * g.input_bytes + first, left < 8 ? left : 8);
  int32_t channel = first;
  for (Block& block : walk.blocks) {
    block.constants = walk.constants + channel / 4;
    block.filter = walk.filter + channel * block.taps;
    block.channels = g.channels - channel;
    channel += 4;
    block.more = channel < first + 8 && channel < g.channels ? int32_t{sizeof(Block)} : 0;
  }
  return true;
}

// Begins with the next line, if there is one: its inputs are in the strips.
template <bool kUnsigned, class LinesGeometry, class FourChannels>
inline __attribute__((noinline)) bool next_line(Walk<LinesGeometry, FourChannels>& walk) {
  if (walk.left == 0 && !next_group(walk)) return false;
  const LinesGeometry& g = walk.g;
  --walk.left;
  stage_lines<kUnsigned>(g, walk.ring, walk.top);
  walk.blocks[0].order = walk.blocks[1].order = walk.turned;
  walk.blocks[0].y = walk.to;
  walk.blocks[1].y = walk.to + 4;
  walk.top += g.stride_line;
  walk.to += g.output_line_pitch;
  walk.turned += walk.turn;
  if (walk.turned - walk.order >= walk.turns) walk.turned -= walk.turns;
  return true;
}

// Whether some of a group's channels are not shifted to the right.
template <class FourChannels>
inline bool some_are_own(const Block (&blocks)[2]) {
  const auto* constants = static_cast<const FourChannels*>(blocks[0].constants);
  int32_t shifts = -1;
  for (int32_t i = 0; i < (blocks[0].more != 0 ? 8 : 4); ++i) {
    shifts &= constants[i / 4].shift[i % 4];
  }
  return shifts >= 0;
}

// All lines, whose constants begin where `order`, `filter` and `constants` point; those of groups
// with channels that are not shifted to the right as `Own` says.
template <class Form, class Own, class LinesGeometry, class FourChannels>
inline __attribute__((noinline)) void all_lines(const LinesGeometry& g, int32_t step,
                                                const int8_t* x, int8_t* y, const uint8_t* order,
                                                const int8_t* filter, const FourChannels* constants,
                                                int8_t* strip) {
  Walk<LinesGeometry, FourChannels> walk(g, x, y, order, filter, constants, strip);
  begin<Form::kUnsigned>(walk, step);
  if constexpr (Form::kOffset) {
    const mve_pred16_t taps = vctp8q(static_cast<uint32_t>(walk.blocks[0].taps));
    const auto offset = static_cast<int8_t>(g.weights_offset);
    for (Block& block : walk.blocks) {
      block.offset = vpselq_s8(vdupq_n_s8(offset), vdupq_n_s8(0), taps);
    }
  }
  [[maybe_unused]] bool own = false;
  while (next_line<Form::kUnsigned>(walk)) {
    if constexpr (Own::kOwn) {
      if (walk.left == g.output_lines - 1) own = some_are_own<FourChannels>(walk.blocks);
      if (own) {
        outputs<Own, FourChannels>(walk.blocks);
        continue;
      }
    }
    outputs<Form, FourChannels>(walk.blocks);
  }
}

template <class Form, class Own = Form, class LinesGeometry, class Tables>
void all_lines(const LinesGeometry& g, int32_t step, const int8_t* x, int8_t* y, const Tables& t,
               int8_t* strip) {
  all_lines<Form, Own>(g, step, x, y, t.order, t.filter, t.requantization, strip);
}

}  // namespace opsmith::depthwise_conv_2d
