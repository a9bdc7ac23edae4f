// Needs the DSP extension. Fast because the eight gates of two cells are multiplied at a time: each
// four inputs that are loaded serve all of them.
#pragma once

#include "ops/unidirectional_sequence_lstm/i8/cell.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_functions.h"
#include "runtimes/cmsis/dsp_rows.h"
#include "runtimes/cmsis/dsp_padding.h"

namespace opsmith::unidirectional_sequence_lstm::i8 {

// x / 2^n for n >= 1 and |x| < 2^30, rounded to nearest, ties away from zero. `raised` is
// x + 2^(n - 1); `sign` is negative where x is, and may be so where x is 0.
inline int32_t divided(int32_t raised, int32_t sign, int32_t n) {
  return (raised + (sign >> 31)) >> n;
}

// x * multiplier / 2^(32 + n), rounded twice; SMMULR of twice a sum is the doubling high product.
inline int32_t scaled(int32_t x, int32_t multiplier, int32_t n) {
  if (n <= 0) return dsp::smmulr(x, multiplier);
  return divided(dsp::smmlar(x, multiplier, static_cast<int32_t>(1u << n >> 1)), x, n);
}

// Twice a sum with its bias, shifted to the left; the table has the bias doubled and shifted.
inline int32_t doubled(int32_t sum, int32_t bias, int32_t shift) {
  return static_cast<int32_t>((static_cast<uint32_t>(sum) << (1 + max(shift, 0))) +
                              static_cast<uint32_t>(bias));
}

// gate_of() of cell.h, with biases of a table.
template <class P>
int32_t gate_of(const P& p, int32_t which, int32_t of_x, int32_t of_h, int32_t bias,
                int32_t recurrent_bias) {
  int32_t x_multiplier = p.x_multiplier[which], h_multiplier = p.h_multiplier[which];
  __asm(""  // loads in a row take less time than loads apart
        : "+r"(of_x), "+r"(bias), "+r"(of_h), "+r"(recurrent_bias), "+r"(x_multiplier),
          "+r"(h_multiplier));
  const int32_t x_shift = p.x_shift[which], h_shift = p.h_shift[which];
  const int32_t share = __ssat(scaled(doubled(of_x, bias, x_shift), x_multiplier, -x_shift), 16);
  const int32_t sum = doubled(of_h, recurrent_bias, h_shift);
  if (h_shift >= 0) return __ssat(dsp::smmlar(sum, h_multiplier, share), 16);
  return __ssat(share + scaled(sum, h_multiplier, -h_shift), 16);
}

// output() of cell.h.
template <class P>
int8_t output_of(const P& p, const int32_t (&gates)[4], int16_t& cell) {
  const int32_t state = cell, forget = dsp::fixed_logistic(gates[kForget]);
  const int32_t update = p.coupled ? INT16_MAX - forget : dsp::fixed_logistic(gates[kInput]);
  const int32_t candidate = dsp::fixed_tanh(gates[kCell], 3);
  const int32_t bits = 15 + p.cell_bits;
  const int32_t kept = divided(dsp::smlabb(forget, state, 1 << 14), state, 15);
  const int32_t added = divided(dsp::smlabb(update, candidate, 1 << (bits - 1)), candidate, bits);
  const int32_t sum = __ssat(kept + added, 16);
  const int32_t high = p.cell_clip < INT16_MAX ? min(sum, p.cell_clip) : sum;
  const int32_t next = p.cell_clip > 0 ? max(high, -p.cell_clip) : sum;
  cell = static_cast<int16_t>(next);
  const int32_t product = dsp::fixed_logistic(gates[kOutput]) * dsp::fixed_tanh(next, p.cell_bits);
  const int32_t result = p.y_shift > 0
                             ? multiply_by_quantized_multiplier(product, p.y_multiplier, p.y_shift)
                             : scaled(2 * product, p.y_multiplier, -p.y_shift);
  return static_cast<int8_t>(__ssat(result + p.y_zero_point, 8));
}

// One step of one batch.
template <class P>
void two_by_two(const P& p, const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y,
                const DspTables& tables) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
  const uint32_t* recurrent = reinterpret_cast<const uint32_t*>(tables.recurrent);
  const int32_t products_of_x = dsp::neighbours(x, x + p.padded_depth);
  const int32_t products_of_h = dsp::neighbours(h, h + p.padded_cells);
  const int32_t* bias = tables.bias;
  for (int32_t left = 4 * p.cells; left > 0; left -= 8) {
    int32_t sums[2][8];
    weights = dsp::eight_channels(p, x, x + p.padded_depth, left, weights, products_of_x, sums[0]);
    recurrent =
        dsp::eight_channels(p, h, h + p.padded_cells, left, recurrent, products_of_h, sums[1]);
    for (int32_t j = 0; j < min(left, 8); j += 4, bias += 8) {
      int32_t gates[4];
#pragma GCC unroll 4
      for (int32_t which = p.coupled ? kForget : kInput; which < 4; ++which) {
        gates[which] =
            gate_of(p, which, sums[0][j + which], sums[1][j + which], bias[which], bias[4 + which]);
      }
      *y++ = output_of(p, gates, *cells++);
    }
  }
}

template <class P, class S>
void dsp(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
         const DspTables& tables, const S& scratch) {
  over_steps(
      p, in, out,
      [&](const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y) {
        two_by_two(p, dsp::whole_words(x, p.depth, p.padded_depth, scratch.x),
                   dsp::whole_words(h, p.cells, p.padded_cells, scratch.h), cells, y, tables);
      },
      dsp::copy_row<int8_t>);
}

}  // namespace opsmith::unidirectional_sequence_lstm::i8
